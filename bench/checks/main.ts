/**
 * The promises of the checks, compared with Debian's prometheus-blackbox-exporter and prometheus in the same run.
 *
 *   npm run bench -- checks [--only cost,tls,grpc,redis,kinds,large,hanging,accuracy,stats] [--rounds 3] [--seconds 8]
 *     [--profile FOLDER]
 *
 * cost      1,000 monitors every 3 s (333 checks/s), http, each over a new connection: CPU of a check, `vedette work` and Postgres.
 *           blackbox_exporter stores nothing; Prometheus with it does.
 * tls       1,000 monitors every 5 s over https, each a full handshake (TLS 1.3, ECDSA on P-256, no resumption), verified.
 * grpc      1,000 monitors every 3 s of gRPC services, each a call over a new connection without TLS.
 * redis     1,000 monitors every 3 s, each a GET over a new connection; blackbox_exporter has no such module.
 * kinds     the same with tcp, icmp (one packet) and dns. icmp needs ping sockets: as root, in a network namespace that opens them,
 *           unshare -n sh -c 'ip link set lo up; echo "0 2147483647" >/proc/sys/net/ipv4/ping_group_range; …'
 * large     10,000 monitors every 30 s of which 10 % never answer: lateness of the others, skipped checks, memory of 9,000 more
 *           monitors, and how long the monitors of a killed worker wait for the next worker.
 * hanging   1,000 monitors every 6 s of which 50 % never answer within 5 s: lateness of the others.
 * accuracy  error of response times (accuracy.ts), also while the thread of the API is blocked.
 * stats     reading the stats of a monitor (stats.ts).
 *
 * Lateness is the arrival at the target minus the scheduled instant. A figure whose peer is not installed is missing.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureCost, measureKindCost } from './cost.ts'
import { measureLateness, measureRestart } from './lateness.ts'
import { type KindSet, type MonitorSet, startCheckWorld } from './world.ts'
import { ROOT, startChild } from '../lib/child.ts'
import { makeCertificate, startBlackbox } from '../lib/peers.ts'
import { type Figure, type Goal, printFigures } from '../lib/result.ts'
import { sleep } from '../lib/sleep.ts'

const PARTS = ['cost', 'tls', 'grpc', 'redis', 'kinds', 'large', 'hanging', 'accuracy', 'stats'] as const
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

const PACED: MonitorSet = { count: 1_000, intervalSeconds: 3, timeoutSeconds: 3 }
const KINDS: readonly KindSet[] = [
  { type: 'tcp', options: { send: '', expect: '' } },
  { type: 'icmp', options: { packets: 1, packet_bytes: 56, family: 'any' } },
  { type: 'dns', options: { transport: 'udp', recursion: true, verify_tls: true } },
]
const SECURE: MonitorSet = { count: 1_000, intervalSeconds: 5, timeoutSeconds: 5, scheme: 'https' }
const LARGE: MonitorSet = { count: 10_000, intervalSeconds: 30, timeoutSeconds: 10, hangingPercent: 10 }
const HANGING: MonitorSet = { count: 1_000, intervalSeconds: 6, timeoutSeconds: 5, hangingPercent: 50 }
/** After this time no check of the part before is under way. */
const QUIET_MS = 11_000

const figures: Figure[] = []

function add(name: string, unit: string, value: number | undefined, goal?: Goal, peer?: Figure['peer']): void {
  if (value !== undefined) figures.push({ name, unit, value, ...(goal && { goal }), ...(peer && { peer }) })
}

/** A peer whose CPU is compared with ours: `atMost` bounds ours over theirs. */
const peerOf = (name: string, cost: { us: number } | undefined, atMost: number): Figure['peer'] =>
  cost && { name, value: cost.us, goal: { atMost } }

/** The JSON line that a program prints. */
function runProgram(file: string, ...flags: string[]) {
  const said = execFileSync(process.execPath, [file, ...flags], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(said.toString().trim().split('\n').at(-1) as string)
}

async function measureChecks(folder: string) {
  const certificate = makeCertificate(folder)
  const world = await startCheckWorld(certificate)
  const exporter = await startBlackbox(folder, certificate.cert)
  const pacer = await startChild({ args: ['bench/checks/pacer.ts'] })
  const flags = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  let worker = await world.startWorker({}, flags)
  const peers = { pacer, exporter }
  try {
    const cost = wants('cost')
      ? await measureCost(world, worker, peers, { set: PACED, rounds, seconds, prometheusFolder: folder })
      : undefined
    const us = cost && cost.workerUs + cost.postgresUs
    add('CPU of an http check, stored', 'µs', us, undefined, peerOf('blackbox_exporter (stores nothing)', cost?.blackbox, 0.56))
    if (cost?.prometheus)
      add('CPU of an http check, stored', 'µs', us, undefined, peerOf('Prometheus + blackbox_exporter', cost.prometheus, 0.4))
    add('memory of the worker at 1,000 monitors (RSS)', 'MB', cost?.workerMb.rss, { atMost: 120 })

    const tls = wants('tls') ? await measureCost(world, worker, peers, { set: SECURE, rounds, seconds }) : undefined
    const tlsPeer = peerOf('blackbox_exporter (stores nothing)', tls?.blackbox, 0.9)
    add('CPU of an https check, stored', 'µs', tls && tls.workerUs + tls.postgresUs, undefined, tlsPeer)

    const grpcSet = { ...PACED, scheme: 'grpc' } as const
    const grpc = wants('grpc') ? await measureCost(world, worker, peers, { set: grpcSet, rounds, seconds }) : undefined
    const grpcPeer = peerOf('blackbox_exporter (stores nothing)', grpc?.blackbox, 0.67)
    add('CPU of a gRPC check, stored', 'µs', grpc && grpc.workerUs + grpc.postgresUs, undefined, grpcPeer)

    const alone = { pacer, exporter: undefined }
    const redisSet = { ...PACED, scheme: 'redis' } as const
    const redis = wants('redis') ? await measureCost(world, worker, alone, { set: redisSet, rounds, seconds }) : undefined
    add('CPU of a Redis check, stored', 'µs', redis && redis.workerUs + redis.postgresUs)
    const kinds = []
    for (const kind of wants('kinds') ? KINDS : []) {
      const { us: kindUs, blackbox } = await measureKindCost(world, worker, peers, { set: PACED, rounds, seconds }, kind)
      kinds.push({ type: kind.type, us: kindUs, blackbox })
      const peer = peerOf('blackbox_exporter (stores nothing)', blackbox, 0.67)
      add(`CPU of a check of type ${kind.type}, stored`, 'µs', kindUs, undefined, peer)
    }

    const hanging = wants('hanging') ? await measureLateness(world, worker, pacer, HANGING, 20) : undefined
    add('lateness p99 while half of 1,000 targets hang', 'ms', hanging?.p99Ms, { atMost: 50 })
    if (hanging) await sleep(QUIET_MS)

    const large = wants('large') ? await measureLateness(world, worker, pacer, LARGE, 35) : undefined
    add('lateness p99 of 10,000 monitors at 30 s, 10 % hang', 'ms', large?.p99Ms, { atMost: 25 })
    add('skipped checks', '', large?.skipped, { atMost: 0 })
    if (cost && large)
      add('memory of 1,000 more monitors (RSS)', 'MB', (large.workerMb.rss - cost.workerMb.rss) / 9, { atMost: 15 })

    const restart = large ? await measureRestart(world, worker, LARGE) : undefined
    if (restart) worker = restart.worker
    add(
      'worker killed to all healthy monitors checked again',
      's',
      restart && (restart.figures.missing > 0 ? 1e9 : restart.figures.seconds),
      {
        atMost: LARGE.intervalSeconds,
      },
    )
    return { cost, tls, grpc, redis, kinds, hanging, large, restart: restart?.figures }
  } finally {
    await exporter?.stop()
    await pacer.stop()
    await worker.stop()
    await world.stop()
  }
}

function measureAccuracy() {
  const accuracy = runProgram('bench/checks/accuracy.ts', '--seconds', '5')
  const bare = { name: "Node's http client", value: accuracy.node.p99, goal: { atMost: 1.5 } }
  add('error of response times, p99', 'ms', accuracy.vedette.p99, undefined, bare)
  const free = { name: 'while it is free', value: accuracy.vedette.p99, goal: { atMost: 1.2 } }
  add('the same while the thread of the API is blocked', 'ms', accuracy.vedetteBlocked.p99, undefined, free)
  return accuracy
}

function measureStats() {
  const stats = runProgram('bench/checks/stats.ts', '--rounds', '10')
  add('stats of a monitor over 7 days', 'ms', stats['7d'], { atMost: 50 })
  add('stats of a monitor over 30 days', 'ms', stats['30d'], { atMost: 20 })
  return stats
}

const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-checks-'))
try {
  const checks = wants('cost', 'tls', 'grpc', 'redis', 'kinds', 'large', 'hanging') ? await measureChecks(folder) : {}
  const accuracy = wants('accuracy') ? measureAccuracy() : undefined
  const stats = wants('stats') ? measureStats() : undefined
  printFigures(figures, { ...checks, accuracy, stats })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
