/**
 * Every figure that the checks promise, with the peers (Debian's prometheus and prometheus-blackbox-exporter) in the same run: one
 * JSON line of `figures`, each with its goal and whether it is met, and what was measured on the way.
 *
 *   npm run bench:checks -- [--only cost,tls,large,hanging,accuracy,stats] [--rounds 3] [--seconds 8] [--profile FOLDER]
 *
 * cost      1,000 monitors every 3 s (333 checks/s), http, each over a new connection: checks per CPU-second of `vedette work` and
 *           Postgres over those of a blackbox_exporter, which stores nothing, and over those of Prometheus with it, which does.
 * tls       1,000 monitors every 5 s over https, each a full handshake (TLS 1.3, ECDSA on P-256, nothing resumed), verified.
 * large     10,000 monitors every 30 s of which 10 % never answer: lateness of the others, what was left out, the memory that
 *           9,000 more monitors take, and how long a killed worker's monitors wait for the next worker.
 * hanging   1,000 monitors every 6 s of which 50 % never answer within their 5 s: lateness of the others.
 * accuracy  what `bench:probe` says of response times, also while the thread of the API is blocked.
 * stats     what `bench:stats` says.
 *
 * Lateness is the arrival at the target minus the monitor's place on its grid, ms. CPU time of whole processes counts, from /proc;
 * `load` is the machine's before and after. A figure whose peer is not installed, or whose part was left out, is missing.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureCost } from './check-cost.ts'
import { measureLateness, measureRestart } from './check-lateness.ts'
import { type MonitorWish, startCheckWorld } from './check-world.ts'
import { ROOT, startChild } from './child.ts'
import { makeCertificate, startBlackbox } from './peers.ts'
import { round2 } from './processes.ts'
import { sleep } from './sleep.ts'

const PARTS = ['cost', 'tls', 'large', 'hanging', 'accuracy', 'stats'] as const
type Part = (typeof PARTS)[number]

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: PARTS.join() },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
    profile: { type: 'string' },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const wants = (...parts: Part[]) => parts.some((part) => values.only.split(',').includes(part))

const PACED: MonitorWish = { count: 1_000, intervalSeconds: 3, timeoutSeconds: 3 }
const SECURE: MonitorWish = { count: 1_000, intervalSeconds: 5, timeoutSeconds: 5, scheme: 'https' }
const LARGE: MonitorWish = { count: 10_000, intervalSeconds: 30, timeoutSeconds: 10, hangingPercent: 10 }
const HANGING: MonitorWish = { count: 1_000, intervalSeconds: 6, timeoutSeconds: 5, hangingPercent: 50 }
/** So long after a part what is under way has ended. */
const QUIET_MS = 11_000

interface Figure {
  value: number
  goal: string
  met: boolean
}
const figures: Record<string, Figure> = {}

function atLeast(name: string, value: number | undefined, bound: number): void {
  if (value !== undefined) figures[name] = { value, goal: `>= ${bound}`, met: value >= bound }
}

function atMost(name: string, value: number | undefined, bound: number): void {
  if (value !== undefined) figures[name] = { value, goal: `<= ${bound}`, met: value <= bound }
}

/** The JSON line of another bench. */
function measureBy(file: string, ...flags: string[]) {
  const said = execFileSync(process.execPath, [file, ...flags], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(said.toString().trim().split('\n').at(-1) as string)
}

async function measureChecks(folder: string) {
  const certificate = makeCertificate(folder)
  const world = await startCheckWorld(certificate)
  const exporter = await startBlackbox(folder, certificate.cert)
  const pacer = await startChild({ args: ['bench/blackbox.ts'] })
  const flags = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  let worker = await world.startWorker({}, flags)
  const peers = { pacer, exporter }
  try {
    const cost = wants('cost')
      ? await measureCost(world, worker, peers, { wish: PACED, rounds, seconds, prometheusFolder: folder })
      : undefined
    atLeast('httpOverBlackbox', cost?.blackbox?.ratio, 1.8)
    atLeast('httpOverPrometheus', cost?.prometheus?.ratio, 2.5)
    atMost('rssMbAt1000', cost?.workerMb.rss, 120)

    const tls = wants('tls') ? await measureCost(world, worker, peers, { wish: SECURE, rounds, seconds }) : undefined
    atLeast('httpsOverBlackbox', tls?.blackbox?.ratio, 1.1)

    const hanging = wants('hanging') ? await measureLateness(world, worker, pacer, HANGING, 20) : undefined
    atMost('healthyLatenessP99Ms', hanging?.latenessMs.p99, 50)
    if (hanging) await sleep(QUIET_MS)

    const large = wants('large') ? await measureLateness(world, worker, pacer, LARGE, 35) : undefined
    atMost('latenessP99Ms', large?.latenessMs.p99, 25)
    atMost('skipped', large?.skipped, 0)
    if (cost && large) atMost('rssMbPer1000More', round2((large.workerMb.rss - cost.workerMb.rss) / 9), 15)

    const restart = large ? await measureRestart(world, worker, LARGE) : undefined
    if (restart) worker = restart.worker
    atMost(
      'secondsToFullSchedule',
      restart && (restart.figures.missing > 0 ? 1e9 : restart.figures.seconds),
      LARGE.intervalSeconds,
    )
    return { cost, tls, hanging, large, restart: restart?.figures }
  } finally {
    await exporter?.stop()
    await pacer.stop()
    await worker.stop()
    await world.stop()
  }
}

function measureAccuracy() {
  const { accuracy } = measureBy('bench/probe.ts', '--only', 'accuracy', '--seconds', '5')
  const ratio = (one: { p99: number }, other: { p99: number }) => round2(one.p99 / other.p99)
  atMost('errorP99OverBare', ratio(accuracy.vedette, accuracy.node), 1.5)
  atMost('errorP99WhileBlocked', ratio(accuracy.vedetteBlocked, accuracy.vedette), 1.2)
  return accuracy
}

function measureStats() {
  const { figures: stats } = measureBy('bench/stats.ts', '--rounds', '10')
  atMost('stats7dMs', stats['7d'].statsMs, 50)
  atMost('stats30dMs', stats['30d'].statsMs, 20)
  return stats
}

const load = () => loadavg().map(round2)
const before = load()
const at = new Date().toISOString()
const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-checks-'))
try {
  const checks = wants('cost', 'tls', 'large', 'hanging') ? await measureChecks(folder) : {}
  const accuracy = wants('accuracy') ? measureAccuracy() : undefined
  const stats = wants('stats') ? measureStats() : undefined
  const machine = { at, cores: cpus().length, load: { before, after: load() } }
  console.log(JSON.stringify({ bench: 'checks', ...machine, figures, ...checks, accuracy, stats }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
