import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCertificate } from '../../src/monitoring/checks/probe/test/certificates.ts'
import {
  checksOf,
  monitorsOf,
  settle,
  statusOf,
  type TestMonitor,
  transitionsOf,
} from '../../src/monitoring/checks/test/monitors.ts'
import { pauseChecks } from '../../src/monitoring/checks/index.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { createPool, type Pool } from '../../src/platform/db/index.ts'
import { findRunningUrl } from '../../src/platform/db/postgres/index.ts'
import { silentLog } from '../../src/platform/logging/log.ts'
import type { TestBackend } from '../harness.ts'
import { freePort, VEDETTE } from '../../../scripts/test-tools.ts'
import { ADMIN, makeWorkbench, type Program, type RunningVedette, until } from './workbench.ts'

const bench = makeWorkbench()
const folder = bench.makeFolder()
const dataDir = join(folder, 'data')
const REMOTE = ['east', 'west'] as const
const REGIONS = ['local', ...REMOTE] as const
const pathOf = (file: string) => join(folder, file)

/** A target that knows by the path who asks, and when each request came. */
const arrivals: Record<string, number[]> = { local: [], east: [], west: [] }
const target = { mayAnswer: Promise.resolve(), underWay: new Set<string>() }
let server: Server
let vedette: RunningVedette
let pool: Pool
let make: ReturnType<typeof monitorsOf>
const monitors = new Map<string, TestMonitor>()
const probes: Program[] = []

async function startBackend(port: string): Promise<void> {
  const tls = { VEDETTE_TLS_CERT_FILE: pathOf('server.pem'), VEDETTE_TLS_KEY_FILE: pathOf('server.key') }
  const more = {
    VEDETTE_ALLOW_PRIVATE_TARGETS: 'all',
    VEDETTE_RATE_LIMITS: 'off',
    VEDETTE_LOCAL_AGENT: 'off',
    VEDETTE_PORT: port,
  }
  vedette = await bench.start({ dataDir, environment: { ...ADMIN, ...tls, ...more } })
  pool = createPool({ url: (await findRunningUrl(dataDir)) as string, clock: systemClock, log: silentLog, max: 3 })
  // It is killed below its clients.
  pool.pg.on('error', () => undefined)
  make = monitorsOf({ pool, clock: systemClock as TestBackend['clock'] })
}

async function startProbe(region: string, trust: Record<string, string>): Promise<Program> {
  const added = await bench.run([process.execPath, VEDETTE, 'region', 'add', region, '--name', region], {
    VEDETTE_DATA_DIR: dataDir,
  }).ended
  if (added.code !== 0) throw new Error(added.output)
  writeFileSync(pathOf(`${region}.token`), added.output)
  const url = `https://localhost:${new URL(vedette.url).port}`
  const args = ['probe', '--region', region, '--url', url, '--token-file', pathOf(`${region}.token`)]
  const environment = { VEDETTE_DATA_DIR: pathOf(`of-${region}`), VEDETTE_ALLOW_PRIVATE_TARGETS: 'all', ...trust }
  return bench.run([process.execPath, VEDETTE, ...args], environment)
}

const spoolOf = (region: string) => join(folder, `of-${region}`, 'probe', region, 'results.spool')
const isKept = (region: string) => existsSync(spoolOf(region)) && readFileSync(spoolOf(region), 'utf8') !== ''
const stored = (region: string) => checksOf(pool.db, monitors.get(region) as TestMonitor)

beforeAll(async () => {
  const authority = makeCertificate({ name: 'Test authority', isAuthority: true })
  const own = makeCertificate({ names: ['localhost', '127.0.0.1'], issuer: authority })
  writeFileSync(pathOf('ca.pem'), authority.cert)
  writeFileSync(pathOf('server.pem'), own.cert)
  writeFileSync(pathOf('server.key'), own.key)
  const answer = async (who: string, response: ServerResponse) => {
    await target.mayAnswer
    target.underWay.delete(who)
    response.end('here')
  }
  server = createServer((request, response) => {
    const who = (request.url ?? '').slice(1)
    arrivals[who]?.push(Date.now())
    target.underWay.add(who)
    void answer(who, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  // The second start takes it again.
  await startBackend(String(await freePort()))
  for (const region of REMOTE) probes.push(await startProbe(region, { NODE_EXTRA_CA_CERTS: pathOf('ca.pem') }))
  await Promise.all(probes.map((probe) => until(() => /^backend {4}\S+ answers$/m.test(probe.output()), 60_000)))
})
afterAll(async () => {
  await pool.end()
  await bench.cleanUp()
  server.closeAllConnections()
  server.close()
})

/** A monitor for each region, and one of all three. */
async function makeMonitors(): Promise<TestMonitor> {
  const { number } = await pool.db.selectFrom('organization').select('number').executeTakeFirstOrThrow()
  const urlOf = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`
  const schedule = { interval: 6, timeout: 5, confirmations: 1 }
  for (const region of REGIONS)
    monitors.set(region, await make.monitor({ number }, { ...schedule, url: urlOf(region), regions: [region] }))
  return make.monitor({ number }, { ...schedule, url: urlOf('all'), regions: [...REGIONS] })
}

test('three regions over HTTPS: a backend that is killed loses nothing of the others, and nothing counts twice', async () => {
  const everywhere = await makeMonitors()
  await until(async () => (await Promise.all(REGIONS.map(stored))).every((checks) => checks.length > 0), 40_000)

  // All at one instant: a target that answers nobody until all are under way would let the first ones time out.
  const dueAtMs = Date.now() + 2_000
  for (const monitor of [...monitors.values(), everywhere]) await settle(pool.db, monitor, dueAtMs)
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  target.mayAnswer = promise
  await until(() => REMOTE.every((region) => target.underWay.has(region)), 40_000, 5)
  const killedAt = Date.now()
  const before = new Map(await Promise.all(REMOTE.map(async (region) => [region, (await stored(region)).length] as const)))
  await pool.end()
  await vedette.stop('SIGKILL')
  answer()
  // The checks that were running end without a backend to receive them, and stay on disk.
  await until(() => REMOTE.every(isKept), 60_000)
  await startBackend(new URL(vedette.url).port)
  await until(() => REMOTE.every((region) => !isKept(region)), 40_000)
  // It goes on everywhere by itself.
  const backAt = Date.now()
  await until(() => REGIONS.every((region) => (arrivals[region]?.at(-1) ?? 0) > backAt), 60_000)
  for (const { organization, number } of [...monitors.values(), everywhere]) await pauseChecks(pool.db, organization, number)

  for (const region of REMOTE) {
    const seen = arrivals[region] as number[]
    await until(async () => target.underWay.size === 0 && (await stored(region)).length >= seen.length - 1, 60_000)
    const checks = await stored(region)
    const times = checks.map(({ at }) => at)
    expect(checks.map(({ outcome }) => outcome)).toEqual(checks.map(() => 0))
    // Each check is one request: it started before the request arrived and after the previous one. No request counts twice.
    expect(times.filter((at, n) => at > (seen[n] as number) || at < (seen[n - 1] ?? 0))).toEqual([])
    const late = times.filter((at) => at <= killedAt)
    expect(late.length).toBe((before.get(region) ?? 0) + 1)
  }
  const local = (await stored('local')).map(({ at }) => at)
  expect(new Set(local).size).toBe(local.length)
  expect(local.length).toBeLessThanOrEqual((arrivals['local'] as number[]).length)
  for (const monitor of [...monitors.values(), everywhere]) {
    expect(await statusOf(pool.db, monitor)).toBe('up')
    expect(await transitionsOf(pool.db, monitor)).toEqual([])
  }
})

test('a probe does not send its token to a backend whose certificate it does not trust', async () => {
  const probe = await startProbe('distrustful', {})
  await until(() => / is unreachable: \S*(?:CERT|VERIFY)/.test(probe.output()), 60_000)
  expect(probe.output()).not.toMatch(/answers$/m)
  process.kill(probe.pid, 'SIGTERM')
  expect((await probe.ended).code).toBe(0)
})
