/**
 * The promises of the checks, compared with Debian's prometheus-blackbox-exporter and prometheus in the same run.
 *
 *   npm run bench -- checks [--only cost,tls,kinds,more,icmp,large,mixed,hanging,accuracy] [--rounds 3] [--seconds 8]
 *     [--kinds ssh,upstream] [--profile FOLDER]
 *
 * cost      1,000 monitors every 3 s (333 checks/s), http, each over a new connection: CPU of a check, `vedette work` and Postgres.
 *           blackbox_exporter stores nothing; Prometheus with it does.
 * tls       1,000 monitors every 5 s over https, each a full handshake (TLS 1.3, ECDSA on P-256, no resumption), verified.
 * kinds     1,000 monitors every 3 s of each other kind, each check over a new connection: tcp (connects only), icmp (one packet), dns
 *           (UDP), tls (as above, every 5 s), grpc (without TLS), redis (a GET) and websocket (a ping); blackbox_exporter has no modules
 *           for the last two.
 * more      the same of ftp (a greeting), mongodb (hello, ping and buildInfo), mqtt (a message), ntp, radius (a state), ssh (a key
 *           exchange), udp, snmp (one value by 2c), sip and rtsp (OPTIONS), ldap (a bind) and upstream (a page that has not changed),
 *           compared with tcp; `--kinds` names those that are wanted.
 * icmp      10,000 monitors every 30 s, one packet: cores that `vedette work`, `vedette serve` and Postgres take together.
 * large     10,000 monitors every 30 s of which 10 % never answer: lateness of the others, skipped checks, memory of 9,000 more
 *           monitors, and how long the monitors of a killed worker wait for the next worker.
 * mixed     the same with nine kinds in turns: lateness of all that answer, skipped checks, and outcomes that are wrong.
 * hanging   1,000 monitors every 6 s of which 50 % never answer within 5 s: lateness of the others.
 * accuracy  error of response times (accuracy.ts), also while the thread of the API is blocked.
 *
 * Lateness is the arrival at the target minus the scheduled instant. A figure whose peer is not installed is missing. icmp needs ping
 * sockets, and mixed hosts that never answer a ping, which namespace.sh provides; without it icmp is left out:
 *
 *   unshare -n bench/checks/namespace.sh npm run bench -- checks --only icmp,mixed
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type CostSet, measureCost } from './cost.ts'
import { type KindName, OTHER_KINDS } from './kinds.ts'
import { measureLateness, measureRestart } from './lateness.ts'
import { type CheckWorld, type MonitorSet, startCheckWorld } from './world.ts'
import { type Child, ROOT, startChild } from '../lib/child.ts'
import { makeCertificate, startBlackbox } from '../lib/peers.ts'
import { type Figure, type Goal, printFigures } from '../lib/result.ts'
import { sleep } from '../lib/sleep.ts'

const PARTS = ['cost', 'tls', 'kinds', 'more', 'icmp', 'large', 'mixed', 'hanging', 'accuracy'] as const
type Part = (typeof PARTS)[number]

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: PARTS.join() },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
    kinds: { type: 'string', default: OTHER_KINDS.join() },
    profile: { type: 'string' },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const wants = (...parts: Part[]) => parts.some((part) => values.only.split(',').includes(part))

/** Ping sockets, and an address of the silent network. */
const canPing = readFileSync('/proc/sys/net/ipv4/ping_group_range', 'utf8').startsWith('0') && 'silent' in networkInterfaces()
const withPing = (kinds: readonly KindName[]) => kinds.filter((kind) => kind !== 'icmp' || canPing)

const PACED = { count: 1_000, intervalSeconds: 3, timeoutSeconds: 3 }
const SECURE = { count: 1_000, intervalSeconds: 5, timeoutSeconds: 5 }
const PINGS: CostSet = { count: 10_000, intervalSeconds: 30, timeoutSeconds: 10, kind: 'icmp' }
const LARGE: MonitorSet = { count: 10_000, intervalSeconds: 30, timeoutSeconds: 10, hangingPercent: 10 }
const MIXED: MonitorSet = {
  ...LARGE,
  kinds: withPing(['http', 'https', 'exchange', 'icmp', 'dns', 'tls', 'grpc', 'redis', 'websocket']),
}
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

const MORE = ['tcp' as const, ...OTHER_KINDS.filter((kind) => values.kinds.split(',').includes(kind))]

/** Kinds whose targets count nobody, and `tcp`, of whose checks for each second of CPU they are to make 0.8 times as many. */
async function measureMore(world: CheckWorld, worker: Child, peers: Parameters<typeof measureCost>[2]) {
  const costs = []
  for (const kind of MORE) {
    const one = await measureCost(world, worker, peers, { set: { ...PACED, kind }, rounds, seconds })
    costs.push(one)
    const [tcp] = costs
    const isOther = kind !== 'tcp' && tcp
    const peer = isOther ? { name: 'a check of type tcp', value: tcp.us, goal: { atMost: 1.25 } } : undefined
    add(`CPU of a check of type ${kind}, stored`, 'µs', one.us, undefined, peer)
  }
  return costs
}

async function measureChecks(folder: string) {
  const certificate = makeCertificate(folder)
  const world = await startCheckWorld(certificate)
  const exporter = await startBlackbox(folder, certificate.cert)
  const pacer = await startChild({ args: ['bench/checks/pacer.ts'] })
  const flags = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  let worker = await world.startWorker({}, flags)
  const peers = { pacer, exporter }
  const alone = { pacer, exporter: undefined }
  try {
    const cost = wants('cost')
      ? await measureCost(world, worker, peers, { set: { ...PACED, kind: 'http' }, rounds, seconds, prometheusFolder: folder })
      : undefined
    const us = cost?.us
    add('CPU of an http check, stored', 'µs', us, undefined, peerOf('blackbox_exporter (stores nothing)', cost?.blackbox, 0.56))
    if (cost?.prometheus)
      add('CPU of an http check, stored', 'µs', us, undefined, peerOf('Prometheus + blackbox_exporter', cost.prometheus, 0.4))
    add('memory of the worker at 1,000 monitors (RSS)', 'MB', cost?.workerMb.rss, { atMost: 120 })

    const secure = { ...SECURE, kind: 'https' } as const
    const tls = wants('tls') ? await measureCost(world, worker, peers, { set: secure, rounds, seconds }) : undefined
    const tlsPeer = peerOf('blackbox_exporter (stores nothing)', tls?.blackbox, 0.67)
    add('CPU of an https check, stored', 'µs', tls?.us, undefined, tlsPeer)

    const kinds = []
    for (const kind of wants('kinds') ? withPing(['tcp', 'icmp', 'dns', 'tls', 'grpc', 'redis', 'websocket']) : []) {
      const set = { ...(kind === 'tls' ? SECURE : PACED), kind }
      const one = await measureCost(world, worker, peers, { set, rounds, seconds })
      kinds.push(one)
      const peer = peerOf('blackbox_exporter (stores nothing)', one.blackbox, 0.67)
      add(`CPU of a check of type ${kind}, stored`, 'µs', one.us, undefined, peer)
    }

    const more = wants('more') ? await measureMore(world, worker, alone) : []

    const icmp =
      wants('icmp') && canPing
        ? await measureCost(world, worker, alone, { set: PINGS, rounds: 1, seconds: PINGS.intervalSeconds })
        : undefined
    const cores = icmp && ((icmp.us + icmp.serveUs) * icmp.checksPerSecond) / 1e6
    add('10,000 pings every 30 s, stored', 'cores', cores, { atMost: 1 })

    const hanging = wants('hanging') ? await measureLateness(world, worker, pacer, HANGING, 20) : undefined
    add('lateness p99 while half of 1,000 targets hang', 'ms', hanging?.p99Ms, { atMost: 50 })
    if (hanging) await sleep(QUIET_MS)

    const large = wants('large') ? await measureLateness(world, worker, pacer, LARGE, 35) : undefined
    add('lateness p99 of 10,000 monitors at 30 s, 10 % hang', 'ms', large?.p99Ms, { atMost: 25 })
    add('skipped checks', '', large?.skipped, { atMost: 0 })
    if (cost && large)
      add('memory of 1,000 more monitors (RSS)', 'MB', (large.workerMb.rss - cost.workerMb.rss) / 9, { atMost: 15 })

    const mixed = wants('mixed') ? await measureLateness(world, worker, pacer, MIXED, 35) : undefined
    add('lateness p99 of 10,000 monitors of all kinds at 30 s, 10 % hang', 'ms', mixed?.p99Ms, { atMost: 25 })
    add('the same: skipped checks', '', mixed?.skipped, { atMost: 0 })
    add('the same: wrong outcomes', '', mixed?.wrong, { atMost: 0 })

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
    return { cost, tls, kinds, more, icmp, hanging, large, mixed, restart: restart?.figures }
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

if (!canPing && wants('kinds', 'icmp', 'mixed')) console.error('left out: icmp, which needs namespace.sh')
const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-checks-'))
try {
  const checks = wants('cost', 'tls', 'kinds', 'more', 'icmp', 'large', 'mixed', 'hanging') ? await measureChecks(folder) : {}
  const accuracy = wants('accuracy') ? measureAccuracy() : undefined
  printFigures(figures, { ...checks, accuracy })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
