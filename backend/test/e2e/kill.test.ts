import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeInstants } from '@vedette/shared/metrics/block'
import { findRunningUrl } from '../../src/platform/db/postgres/index.ts'
import { registration } from '../harness.ts'
import { CONTAINER, type Pusher, startPusher } from './pusher.ts'
import {
  ADMIN,
  agentStatus,
  call,
  isAlive,
  makeWorkbench,
  pidOf,
  processesOf,
  report,
  type RunningVedette,
  signIn,
  STOP_MS,
  until,
} from './workbench.ts'

const bench = makeWorkbench()
const folder = bench.makeFolder()
const dataDir = join(folder, 'data')
const keyFile = join(folder, 'agent.key')
const environment = {
  ...ADMIN,
  VEDETTE_BOOTSTRAP_API_KEY_FILE: keyFile,
  VEDETTE_RATE_LIMITS: 'off',
  VEDETTE_SAMPLE_INTERVAL_SECONDS: '1',
  VEDETTE_PUSH_INTERVAL_SECONDS: '5',
}
const MACHINE = 'the pusher'

let vedette: RunningVedette
let pusher: Pusher
let serverId: string
beforeAll(async () => {
  vedette = await bench.start({ dataDir, environment, byLauncher: true })
  await until(() => existsSync(keyFile) && readFileSync(keyFile, 'utf8') !== '', 30_000)
  const key = { 'x-api-key': readFileSync(keyFile, 'utf8').trim() }
  const { body } = await call(vedette.url, 'POST', '/v1/agent/register', key, registration(MACHINE))
  serverId = body.server_id
  pusher = startPusher(vedette.url, body.token)
  await until(agentHasPushed, 30_000)
})
afterAll(async () => {
  // Undefined when the set-up failed.
  await (pusher as Pusher | undefined)?.stop(0)
  await bench.cleanUp()
})

const agentHasPushed = () => (agentStatus(join(dataDir, 'agent'))?.accepted_samples ?? 0) > 0
const pids = () => ({ backend: pidOf.backend(dataDir), postgres: pidOf.postgres(dataDir), agent: pidOf.agent(dataDir) })
const kill = (pid: number) => process.kill(pid, 'SIGKILL')

/** The next start, at another address; it ends when a push that began after it is acknowledged. */
async function startAgain(): Promise<void> {
  vedette = await bench.start({ dataDir, environment, byLauncher: true })
  pusher.url = vedette.url
  await pusher.nextSuccess()
}

/** Its id is that of the former one until it has said its first word. */
const agentRuns = () => until(() => isAlive(pidOf.agent(dataDir)), 60_000)

/** What is stored of the pusher, instant by instant, twice when it is there twice. */
async function storedInstants(): Promise<number[]> {
  const client = new pg.Client({ connectionString: await findRunningUrl(dataDir) })
  await client.connect()
  const { rows } = await client.query<{ t0: number; data: Buffer }>(
    'select p.t0::float8 as t0, p.data from metric_push p join server s on s.organization = p.organization and s.number = p.server where s.machine_id = $1',
    [MACHINE],
  )
  await client.end()
  return rows.flatMap(({ t0, data }) => [...decodeInstants(data, t0)]).sort((a, b) => a - b)
}

/** Every acknowledged reading of the container is there, once: of all of them the mean and the newest, and how many there are. */
async function expectReadings(owner: Record<string, string>): Promise<void> {
  const { readings } = pusher
  const base = `/v1/servers/${serverId}/entities`
  const { entities } = (await call(vedette.url, 'GET', `${base}?kind=container`, owner)).body
  expect(entities.map(({ name }: { name: string }) => name)).toEqual([CONTAINER])
  const [first, last] = [Math.min(...readings.keys()), Math.max(...readings.keys())]
  const range = `from=${new Date(first).toISOString()}&to=${new Date(last + 1).toISOString()}`
  const { metrics } = (await call(vedette.url, 'GET', `${base}/${entities[0].id}/metrics?${range}`, owner)).body
  const values = [...readings.values()]
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  expect(metrics.restarts).toEqual({ newest: readings.get(last), avg: Number(mean.toPrecision(12)), max: Math.max(...values) })
  console.info(`figure: ${readings.size} readings of a container acknowledged`)
}

test('a killed agent is started again by the backend', async () => {
  const { agent, backend } = pids()
  const beganAt = performance.now()
  kill(agent)
  await until(() => pidOf.agent(dataDir) !== agent && agentHasPushed(), 60_000)
  report('agent killed to its next accepted push', performance.now() - beganAt)
  expect(pidOf.backend(dataDir)).toBe(backend)
})

test('a killed Postgres comes back and pushes are taken again within 10 s, by the same backend', async () => {
  const before = pids()
  const beganAt = performance.now()
  kill(before.postgres)
  // Its children store what they are just given, until they see that it is dead.
  await until(() => ![before.postgres, 0].includes(pidOf.postgres(dataDir)), 60_000)
  await pusher.nextSuccess()
  const ms = performance.now() - beganAt
  report('Postgres killed to the next acknowledged push', ms)
  expect(ms).toBeLessThan(10_000)
  expect(pids()).toMatchObject({ backend: before.backend, agent: before.agent })
  // Agents hear of it as something that passes, never as a refusal of their samples.
  expect([...pusher.statuses].filter((status) => status !== 503)).toEqual([])
  expect((await call(vedette.url, 'GET', '/readyz')).status).toBe(200)
})

test('a killed backend takes its agent with it; the next start takes up where it was', async () => {
  const before = pids()
  const beganAt = performance.now()
  kill(before.backend)
  expect((await vedette.ended).code).toBe('SIGKILL')
  await until(() => !isAlive(before.agent), STOP_MS)
  await startAgain()
  report('backend killed to the next acknowledged push, start included', performance.now() - beganAt)
  // It outlived the backend, and was taken over with its memory warm.
  expect(pidOf.postgres(dataDir)).toBe(before.postgres)
})

test('all of them killed at once are survived as well', async () => {
  await agentRuns()
  for (const pid of Object.values(pids())) kill(pid)
  await vedette.ended
  await startAgain()
  report('everything killed, start to ready', vedette.readyMs)
  expect(Object.values(pids()).filter(isAlive)).toContain(pidOf.postgres(dataDir))
})

test('every acknowledged sample is there, exactly once [PUSH-02, PUSH-18]', async () => {
  await pusher.stop()
  const { acknowledged } = pusher
  console.info(`figure: ${acknowledged.size} samples acknowledged, ${pusher.failures} pushes were cut or refused`)
  expect(pusher.failures).toBeGreaterThan(0)
  expect(await storedInstants()).toEqual([...acknowledged.keys()].sort((a, b) => a - b))

  const owner = await signIn(vedette.url)
  const { body } = await call(vedette.url, 'GET', `/v1/servers/${serverId}/metrics?period=1h`, owner)
  const percents = [...acknowledged.values()]
  const mean = percents.reduce((sum, percent) => sum + percent, 0) / percents.length
  expect(body.metrics.cpu.avg_percent).toBeCloseTo(mean, 1)
  expect(body.metrics.cpu.max_percent).toBe(Math.max(...percents))
  await expectReadings(owner)
  // The pusher and this host, which was not registered again by any start.
  expect((await call(vedette.url, 'GET', '/v1/servers', owner)).body.total).toBe(2)
  expect((await vedette.stop()).code).toBe(0)
  expect(processesOf(dataDir)).toEqual([])
})
