import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
import { ADMIN, call, makeWorkbench, type Program, report, type RunningVedette, signIn, until } from './workbench.ts'

const bench = makeWorkbench()
const folder = bench.makeFolder()
const dataDir = join(folder, 'data')
const settings = { ...ADMIN, VEDETTE_ALLOW_PRIVATE_TARGETS: 'all', VEDETTE_RATE_LIMITS: 'off', VEDETTE_LOCAL_AGENT: 'off' }

/** A target that counts requests and answers them with `status` once `mayAnswer` resolves. */
const target = { status: 200, mayAnswer: Promise.resolve(), requests: 0 }
let server: Server
let targetUrl: string
let vedette: RunningVedette
let port: string
let pool: Pool
let organization: number
let make: ReturnType<typeof monitorsOf>

beforeAll(async () => {
  server = createServer((_request, response) => {
    target.requests += 1
    void target.mayAnswer.then(() => response.writeHead(target.status).end('here'))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  targetUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  // The second start takes it again.
  await startBackend(String(await freePort()))
  for (const region of ['east', 'west', 'south']) await addRegion(region)
})
afterAll(async () => {
  await pool.end()
  await bench.cleanUp()
  server.closeAllConnections()
  server.close()
})

async function startBackend(at: string): Promise<void> {
  vedette = await bench.start({ dataDir, environment: { ...settings, VEDETTE_PORT: at } })
  port = new URL(vedette.url).port
  pool = createPool({ url: (await findRunningUrl(dataDir)) as string, clock: systemClock, log: silentLog, max: 3 })
  pool.pg.on('error', () => undefined)
  ;({ number: organization } = await pool.db.selectFrom('organization').select('number').executeTakeFirstOrThrow())
  make = monitorsOf({ pool, clock: systemClock as TestBackend['clock'] })
}

async function vedetteCommand(...args: string[]): Promise<string> {
  const { code, output } = await bench.run([process.execPath, VEDETTE, ...args], { VEDETTE_DATA_DIR: dataDir }).ended
  if (code !== 0) throw new Error(output)
  return output.trim()
}

const tokenFile = (region: string) => join(folder, `${region}.token`)

async function addRegion(region: string): Promise<void> {
  writeFileSync(tokenFile(region), `${await vedetteCommand('region', 'add', region, '--name', region)}\n`)
}

function startProbe(region: string, environment: Record<string, string> = { VEDETTE_ALLOW_PRIVATE_TARGETS: 'all' }): Program {
  const args = ['probe', '--region', region, '--url', `http://127.0.0.1:${port}`, '--token-file', tokenFile(region)]
  return bench.run([process.execPath, VEDETTE, ...args], { VEDETTE_DATA_DIR: join(folder, `of-${region}`), ...environment })
}

const answers = (probe: Program) => until(() => /^backend {4}\S+ answers$/m.test(probe.output()), 60_000)
const monitor = (options: Parameters<typeof make.monitor>[1]) =>
  make.monitor({ number: organization }, { url: targetUrl, interval: 4, timeout: 2, ...options })
const isNow = (mine: TestMonitor, status: string) => until(async () => (await statusOf(pool.db, mine)) === status, 60_000)
const isLast = (mine: TestMonitor, line: RegExp) =>
  until(async () => line.test((await transitionsOf(pool.db, mine)).at(-1) ?? ''), 60_000)
const spoolOf = (region: string) => join(folder, `of-${region}`, 'probe', region, 'results.spool')

test('the majority of three regions on one machine decides the status, and each failure is confirmed [START-42]', async () => {
  // What is on this host is no target for the one in the west.
  const probes = [startProbe('east'), startProbe('west', {})]
  await Promise.all(probes.map(answers))
  const everywhere = await monitor({ regions: ['local', 'east', 'west'] })
  const twice = await monitor({ regions: ['local', 'east'] })
  await isNow(everywhere, 'degraded')
  await until(async () => new Set((await checksOf(pool.db, twice)).map(({ region }) => region)).size === 2, 60_000)
  expect(await statusOf(pool.db, twice)).toBe('up')

  target.status = 500
  await Promise.all([isNow(everywhere, 'down'), isNow(twice, 'down')])
  target.status = 200
  // A region that is silent for three intervals does not count meanwhile, so what is waited for is the end.
  await Promise.all([isLast(everywhere, / → degraded: 1 of 3 regions down/), isLast(twice, / → up: 2 of 2 regions up$/)])
  const transitions = await transitionsOf(pool.db, twice)
  expect(transitions.filter((line) => line.includes('→ down: 2 of 2 regions down: '))).toHaveLength(1)
  // In the east every failure was repeated five seconds later before it counted.
  const number = await make.region('east')
  const east = (await checksOf(pool.db, twice)).filter(({ region }) => region === number)
  const firstDown = east.findIndex(({ outcome }) => outcome === 2)
  const [one, two] = [east[firstDown], east[firstDown + 1]]
  // Checks of one slot of 10 ms start together, at most half a slot early; a timer fires up to 1 ms before its time.
  expect((two?.at ?? 0) - (one?.at ?? 0)).toBeGreaterThanOrEqual(5_000 - 6)

  const regions = (await call(vedette.url, 'GET', '/v1/regions', await signIn(vedette.url))).body.regions
  const online = ['east', 'local', 'west'].map((id) => ({ id, name: id, status: 'online', control_targets: [] }))
  expect(regions).toEqual([
    ...online.slice(0, 2),
    { id: 'south', name: 'south', status: 'offline', control_targets: [] },
    ...online.slice(2),
  ])
  for (const mine of [everywhere, twice]) await pauseChecks(pool.db, organization, mine.number)
  for (const probe of probes) {
    const stopAtMs = performance.now()
    process.kill(probe.pid, 'SIGTERM')
    expect((await probe.ended).code).toBe(0)
    report('probe from SIGTERM to its exit', performance.now() - stopAtMs)
    expect(performance.now() - stopAtMs).toBeLessThan(3_000)
  }
})

test('what a probe saw while its backend was away, and was killed then, arrives with its own time', async () => {
  const mine = await monitor({ regions: ['east'], interval: 600, timeout: 30 })
  await settle(pool.db, mine, Date.now() + 600_000)
  let probe = startProbe('east')
  await answers(probe)
  // The health check of the probe's image reads its time.
  await until(() => existsSync(join(folder, 'of-east', 'probe', 'east', 'answered')), 60_000)
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  target.mayAnswer = promise
  const { requests } = target
  await settle(pool.db, mine, Date.now() + 1_500)
  await until(() => target.requests > requests, 60_000)
  const begunBefore = Date.now()
  await pool.end()
  await vedette.stop('SIGTERM')
  answer()
  await until(() => existsSync(spoolOf('east')) && readFileSync(spoolOf('east'), 'utf8') !== '', 60_000)
  process.kill(probe.pid, 'SIGKILL')
  await probe.ended
  await startBackend(port)
  probe = startProbe('east')
  await until(() => probe.output().includes('results    1 kept from before'), 60_000)
  await until(async () => (await checksOf(pool.db, mine)).length === 1, 60_000)
  const [check] = await checksOf(pool.db, mine)
  expect(check).toMatchObject({ outcome: 0 })
  expect(check?.at).toBeLessThanOrEqual(begunBefore)
  await until(() => readFileSync(spoolOf('east'), 'utf8') === '', 60_000)

  // While it runs, its data folder is its own.
  const second = await startProbe('east').ended
  expect(second).toMatchObject({
    code: 1,
    output: expect.stringContaining('The probe of this data folder is run by another Vedette'),
  })
})

test('a token that was replaced is said, and nothing but the call at fault ends a probe at once', async () => {
  const probe = startProbe('south')
  await answers(probe)
  await vedetteCommand('region', 'rotate-token', 'south')
  await until(() => /^token {6}refused: 401/m.test(probe.output()), 100_000)
  process.kill(probe.pid, 'SIGTERM')
  expect((await probe.ended).code).toBe(0)
  const wrong = (...args: string[]) =>
    bench.run([process.execPath, VEDETTE, 'probe', ...args], { VEDETTE_DATA_DIR: folder }).ended
  expect(await wrong('--region', 'x', '--url', 'http://192.0.2.1', '--token-file', tokenFile('south'))).toMatchObject({
    code: 2,
    output: expect.stringContaining('must be https'),
  })
  expect(await wrong('--region', 'x', '--url', 'https://b.test', '--token-file', join(folder, 'none'))).toMatchObject({
    code: 2,
    output: expect.stringContaining('cannot be read (ENOENT)'),
  })
})
