/**
 * What a check costs with its storing, and how late it is: one JSON line.
 *
 *   npm run bench:checks -- [--rounds 3] [--seconds 20] [--large-seconds 60] [--profile FOLDER]
 *
 * 1. 1,000 monitors every 3 s (333 checks/s), http, each over a new connection. `vedette work` and a blackbox_exporter (Debian's
 *    prometheus-blackbox-exporter) take turns at the same targets and the same pace. `ratio` is the median over the rounds of
 *    (checks per CPU-second of worker and Postgres) / (checks per CPU-second of blackbox), which stores nothing: goal ≥ 1.8.
 *    What the database costs when nothing is checked is measured before and taken off neither side.
 * 2. 10,000 monitors every 30 s of which 10 % never answer (timeout 10 s): lateness of the others, and what was left out.
 *
 * Lateness is the arrival at the target minus the monitor's place on its grid, ms. CPU time of whole processes counts, from /proc.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { PaceOrder, PaceResult } from './blackbox.ts'
import {
  type CheckWorld,
  holdAll,
  type Lateness,
  latenessOf,
  makeMonitors,
  type MonitorWish,
  outcomes,
  releaseAll,
  sleep,
  startCheckWorld,
} from './check-world.ts'
import { type Child, startChild } from './child.ts'
import { cpuOf, cpuOfTree, median, memoryOf, round, round2 } from './processes.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '20' },
    'large-seconds': { type: 'string', default: '60' },
    profile: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const largeSeconds = Number(values['large-seconds'])

const PACED: MonitorWish = { count: 1_000, intervalSeconds: 3, timeoutSeconds: 3 }
const LARGE: MonitorWish = { count: 10_000, intervalSeconds: 30, timeoutSeconds: 10, hangingPercent: 10 }

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => void server.close(resolve))
  return port
}

/** A blackbox_exporter with a module that does what our monitors do. Undefined where it is not installed. */
async function startBlackbox(folder: string): Promise<{ process: ChildProcess; port: number } | undefined> {
  const config = join(folder, 'blackbox.yml')
  writeFileSync(config, 'modules:\n  http_2xx:\n    prober: http\n    timeout: 3s\n    http:\n      preferred_ip_protocol: ip4\n')
  const port = await freePort()
  const flags = [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error']
  const child = spawn('prometheus-blackbox-exporter', flags, { stdio: 'ignore' })
  const failed = new Promise<boolean>((resolve) => void child.once('error', () => resolve(true)))
  for (let tries = 0; tries < 100; tries += 1) {
    if (await Promise.race([failed, sleep(50).then(() => false)])) return undefined
    if (
      await fetch(`http://127.0.0.1:${port}/-/healthy`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { process: child, port }
  }
  throw new Error('the blackbox_exporter did not get ready')
}

interface Round {
  checks: number
  workerUs: number
  postgresUs: number
  lateness: Lateness
}

async function ownRound(world: CheckWorld, worker: Child): Promise<Round> {
  const firstDueMs = Date.now() + 3_000
  await releaseAll(world, firstDueMs)
  await sleep(firstDueMs - Date.now() + 3_000)
  await world.arrivals()
  const fromMs = Date.now()
  const before = { worker: cpuOf(worker.pid), postgres: cpuOfTree(world.backend.postgresPid) }
  await sleep(seconds * 1_000)
  const after = { worker: cpuOf(worker.pid), postgres: cpuOfTree(world.backend.postgresPid) }
  const toMs = Date.now()
  await sleep(300)
  const lateness = latenessOf(await world.arrivals(), PACED, firstDueMs, fromMs, toMs)
  await holdAll(world)
  await sleep(1_000)
  const perCheck = (cpuSeconds: number) => (cpuSeconds / lateness.checks) * 1e6
  return {
    checks: lateness.checks,
    workerUs: perCheck(after.worker - before.worker),
    postgresUs: perCheck(after.postgres - before.postgres),
    lateness,
  }
}

async function blackboxRound(
  world: CheckWorld,
  pacer: Child,
  blackbox: { process: ChildProcess; port: number },
): Promise<number> {
  const targets = Array.from(
    { length: PACED.count },
    (_, n) => `http://127.1.0.${Math.floor(n / 100) + 1}:${world.targets.ready}/m/${n}`,
  )
  const order = (orderSeconds: number): PaceOrder => ({
    port: blackbox.port,
    targets,
    intervalSeconds: PACED.intervalSeconds,
    seconds: orderSeconds,
  })
  pacer.process.send(order(3))
  await once(pacer.process, 'message')
  const before = cpuOf(blackbox.process.pid as number)
  pacer.process.send(order(seconds))
  const [{ asked, failures }] = (await once(pacer.process, 'message')) as [PaceResult]
  if (failures > 0) throw new Error(`blackbox: ${failures} of ${asked} failed`)
  await world.arrivals()
  return ((cpuOf(blackbox.process.pid as number) - before) / asked) * 1e6
}

async function paced(
  world: CheckWorld,
  worker: Child,
  pacer: Child,
  blackbox: { process: ChildProcess; port: number } | undefined,
) {
  await makeMonitors(world, PACED, Date.now() + 3_600_000)
  await holdAll(world)
  const idleFrom = cpuOfTree(world.backend.postgresPid) + cpuOf(worker.pid)
  await sleep(5_000)
  const idleUsPerSecond = ((cpuOfTree(world.backend.postgresPid) + cpuOf(worker.pid) - idleFrom) / 5) * 1e6
  // Until V8 has compiled what is hot.
  await ownRound(world, worker)
  const own: Round[] = []
  const other: number[] = []
  for (let index = 0; index < rounds; index += 1) {
    own.push(await ownRound(world, worker))
    if (blackbox) other.push(await blackboxRound(world, pacer, blackbox))
  }
  const rss = memoryOf([worker.pid]).rss
  const usOf = ({ workerUs, postgresUs }: Round) => workerUs + postgresUs
  const over = (pick: (one: Round) => number) => round(median(own.map(pick)))
  return {
    monitors: PACED.count,
    checksPerSecond: Math.round(PACED.count / PACED.intervalSeconds),
    ratio: blackbox ? round2(median(own.map((one, index) => (other[index] as number) / usOf(one)))) : null,
    ratios: own.map((one, index) => round2((other[index] ?? Number.NaN) / usOf(one))),
    workerUs: over(({ workerUs }) => workerUs),
    postgresUs: over(({ postgresUs }) => postgresUs),
    blackboxUs: blackbox ? round(median(other)) : null,
    idleUsPerSecond: Math.round(idleUsPerSecond),
    latenessMs: summary(own.map(({ lateness }) => lateness)),
    workerRssMb: rss,
  }
}

function summary(all: readonly Lateness[]) {
  return {
    p50: round2(median(all.map(({ p50 }) => p50))),
    p99: round2(median(all.map(({ p99 }) => p99))),
    max: round2(Math.max(...all.map(({ max }) => max))),
    missing: all.reduce((sum, { missing }) => sum + missing, 0),
    doubled: all.reduce((sum, { doubled }) => sum + doubled, 0),
  }
}

async function large(world: CheckWorld, worker: Child) {
  const firstDueMs = Date.now() + 5_000
  await world.backend.database.query('truncate check_result')
  await makeMonitors(world, LARGE, firstDueMs)
  await sleep(firstDueMs - Date.now() + 10_000)
  const fromMs = Date.now()
  const before = { worker: cpuOf(worker.pid), postgres: cpuOfTree(world.backend.postgresPid) }
  await sleep(largeSeconds * 1_000)
  const toMs = Date.now()
  const cores = (cpuSeconds: number) => round2(cpuSeconds / ((toMs - fromMs) / 1_000))
  const load = {
    worker: cores(cpuOf(worker.pid) - before.worker),
    postgres: cores(cpuOfTree(world.backend.postgresPid) - before.postgres),
  }
  await sleep(500)
  const lateness = latenessOf(await world.arrivals(), LARGE, firstDueMs, fromMs, toMs)
  await holdAll(world)
  const seen = await outcomes(world.backend.database)
  return {
    monitors: LARGE.count,
    hangingPercent: LARGE.hangingPercent,
    latenessMs: summary([lateness]),
    skipped: seen['inconclusive'] ?? 0,
    outcomes: seen,
    coresOfWorker: load.worker,
    coresOfPostgres: load.postgres,
    workerRssMb: memoryOf([worker.pid]).rss,
  }
}

const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-checks-'))
const flags = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
const world = await startCheckWorld()
const worker = await world.startWorker({}, flags)
const blackbox = await startBlackbox(folder)
const pacer = await startChild({ args: ['bench/blackbox.ts'] })
try {
  const small = await paced(world, worker, pacer, blackbox)
  blackbox?.process.kill()
  const big = largeSeconds > 0 ? await large(world, worker) : undefined
  console.log(JSON.stringify({ paced: small, large: big }))
} finally {
  blackbox?.process.kill()
  await pacer.stop()
  await worker.stop()
  await world.stop()
  rmSync(folder, { recursive: true, force: true })
}
