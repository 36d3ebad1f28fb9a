/**
 * What the agent costs its host.
 *
 *   npm run build && npm run bench -- agent [--minutes 3] [--seconds 120] [--settle 30] [--sockets 10000] [--default-only]
 *
 * The built agent over TLS with the flags that our services use, to a server that accepts everything. In the same seconds run the peers
 * collectd and prometheus-node-exporter, as far as they are installed (the exporter with its defaults, scraped at the interval of the
 * samples, collectd with the plugins for what we read), a Node that only wakes at that interval, and one that only reads, writes and
 * sends what an agent does (reader.ts).
 *
 * First at the default intervals, a sample each 10 s and a push each 60 s, over `--minutes` after the pending updates were counted: on
 * the quiet host, then while another process uses half a core (load.ts). To that comes what the count of updates took, with its
 * programs, by its part of the six hours until the next one. Then, unless `--default-only`, with a sample a second and a push each
 * ten: after `--settle` seconds over `--seconds`, then the same while `--sockets` sockets are open, for a minute at least: once a
 * minute their states are counted. CPU is that of all threads; there are no child processes, which is measured too. Memory is taken at the end and after the first third (`growthMb`): with `--seconds 1200` it is
 * that of 1,200 samples. `loopBlockMs` and `startMs` are of processes of their own (loop-block.ts; five starts, their median: from
 * the start of the process to its first reading, a second after which it takes its first sample).
 */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { EVERY_MS, FIRST_AFTER_MS } from '../../agent/src/entities/updates/source.ts'
import { FIRST_INTERVAL_MS } from '../../agent/src/loop.ts'
import { NODE_FLAGS } from '../../agent/src/process/node-flags.ts'
import { SAMPLE_INTERVAL_SECONDS } from '../../shared/src/hosts/metrics/limits.ts'
import { startChild } from '../lib/child.ts'
import { cpuOfTree, exactCpuOf, median, memoryOf, round, round2, treeOf } from '../lib/processes.ts'
import { type Figure, printFigures } from '../lib/result.ts'
import { startYes } from './backend.ts'
import { QUICK, startBuiltAgent } from './built-agent.ts'
import { type Peer, startPeers } from './peers.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    'default-only': { type: 'boolean', default: false },
    seconds: { type: 'string', default: '120' },
    settle: { type: 'string', default: '30' },
    sockets: { type: 'string', default: '10000' },
  },
})
const [seconds, settle, sockets] = [values.seconds, values.settle, values.sockets].map(Number) as [number, number, number]
const STARTS = 5
const DEFAULT_SECONDS = SAMPLE_INTERVAL_SECONDS.default
const SOURCES = import.meta.dirname

const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-agent-'))
const backend = await startYes()
const children: ChildProcess[] = []

const pidOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error('a program could not be started')
  return pid
}

/** Lets time pass in which each peer takes a sample at every interval. */
async function pass(peers: readonly Peer[], howLong: number, interval = 1): Promise<void> {
  for (let second = 0; second < howLong; second += interval) {
    await Promise.all([sleep(interval * 1_000), ...peers.map(({ tick }) => tick?.().catch(() => undefined))])
  }
}

/** CPU per sample, ms, at the default intervals, of the agent and of each peer: over whole minutes, which all have a push. */
async function defaultCosts(agent: { pid: number }, peers: readonly Peer[], minutes: number) {
  const cpu = () => [agent.pid, ...peers.map(({ child }) => pidOf(child))].map(exactCpuOf)
  const before = cpu()
  await pass(peers, minutes * 60, DEFAULT_SECONDS)
  const [own = 0, ...others] = cpu().map(
    (after, index) => ((after - (before[index] ?? 0)) * 1_000) / (minutes * (60 / DEFAULT_SECONDS)),
  )
  return { own, others: peers.map(({ name }, index) => [name, others[index] ?? 0] as const) }
}

/** The figures at the default intervals, quiet and with load. */
async function measureDefault(minutes: number): Promise<Figure[]> {
  const agent = startBuiltAgent(folder, backend, 'default')
  const peers = startPeers(folder, DEFAULT_SECONDS, backend)
  const own = [agent.child, ...peers.map(({ child }) => child)]
  children.push(...own)
  await pass(peers, 60, DEFAULT_SECONDS)
  const beforeScan = cpuOfTree(agent.pid)
  // The first push after that time counts them.
  const scanSeconds = FIRST_AFTER_MS / 1_000 + 60
  await pass(peers, scanSeconds, DEFAULT_SECONDS)
  const withScan = cpuOfTree(agent.pid)
  const quiet = await defaultCosts(agent, peers, minutes)
  const load = await startChild({ args: [join(SOURCES, 'load.ts')] })
  const loaded = await defaultCosts(agent, peers, minutes)
  await load.stop()
  for (const child of own) child.kill('SIGKILL')
  const costOf = (wanted: string) => quiet.others.find(([name]) => name === wanted)?.[1] ?? 0
  const scanMs = (withScan - beforeScan) * 1_000 - (quiet.own * scanSeconds) / DEFAULT_SECONDS
  const scanOfSample = (scanMs * DEFAULT_SECONDS * 1_000) / EVERY_MS
  const name = 'CPU of a sample at the default intervals'
  return [
    { name, value: quiet.own + scanOfSample, unit: 'ms', ...peerOf(quiet.others, 'collectd') },
    {
      name: `${name}, compared with node_exporter`,
      value: quiet.own + scanOfSample,
      unit: 'ms',
      ...peerOf(quiet.others, 'node_exporter'),
    },
    { name: `${name}, with load`, value: loaded.own + scanOfSample, unit: 'ms', ...peerOf(loaded.others, 'collectd') },
    { name: 'of it the count of pending updates', value: scanOfSample, unit: 'ms' },
    { name: 'the same of a Node that only wakes', value: costOf('timer'), unit: 'ms' },
    { name: 'the same of a Node that only reads, writes and sends', value: costOf('reader'), unit: 'ms' },
  ]
}

/** CPU per sample, ms, over so many seconds, of the agent and of each peer. */
async function costs(agent: { pid: number }, token: string, peers: readonly Peer[], howLong: number) {
  const readCosts = () => ({
    samples: backend.samples(token),
    cpu: [agent.pid, ...peers.map(({ child }) => pidOf(child))].map(exactCpuOf),
  })
  const before = readCosts()
  await pass(peers, howLong)
  const after = readCosts()
  const samples = after.samples - before.samples
  const [own = 0, ...others] = after.cpu.map((cpu, index) => (cpu - (before.cpu[index] ?? 0)) * 1_000)
  return { samples, own: own / samples, others: others.map((cpu) => cpu / howLong) }
}

/** Milliseconds from the start of a process to its first reading. */
async function measureStart(number: number): Promise<number> {
  const token = `start-${number}`
  const agent = startBuiltAgent(folder, backend, token, QUICK)
  children.push(agent.child)
  while (backend.firstAtMs(token) === undefined) await sleep(50)
  agent.child.kill('SIGKILL')
  return (backend.firstAtMs(token) as number) - FIRST_INTERVAL_MS - agent.startedAtMs
}

async function measureBlock(): Promise<number> {
  const child = await startChild({ args: [...NODE_FLAGS, join(SOURCES, 'loop-block.ts')] })
  await child.stop()
  return Number(child.ready)
}

/** The cost of a peer compared with ours; nothing where it is not installed. */
const peerOf = (costs: readonly (readonly [string, number])[], wanted: string, atMost = 1) => {
  const cost = costs.find(([name]) => name === wanted)?.[1]
  return cost !== undefined ? { peer: { name: wanted, value: cost, goal: { atMost } } } : {}
}

async function measureQuick(): Promise<{ figures: Figure[]; details: object }> {
  const starts: number[] = []
  for (let number = 0; number < STARTS; number++) starts.push(await measureStart(number))

  const agent = startBuiltAgent(folder, backend, 'bench', QUICK)
  const peers = startPeers(folder, 1, backend)
  children.push(agent.child, ...peers.map(({ child }) => child))
  await pass(peers, settle)

  const third = await costs(agent, 'bench', peers, Math.floor(seconds / 3))
  const early = memoryOf([agent.pid]).anonymous
  const rest = await costs(agent, 'bench', peers, seconds - Math.floor(seconds / 3))
  const memory = memoryOf([agent.pid])
  const samples = third.samples + rest.samples
  const cpu = (third.own * third.samples + rest.own * rest.samples) / samples
  const share = Math.floor(seconds / 3) / seconds
  const other = (index: number) => round2((third.others[index] ?? 0) * share + (rest.others[index] ?? 0) * (1 - share))
  const peerCosts = peers.map(({ name }, index) => [name, other(index)] as const)

  const holder = await startChild({ args: [join(SOURCES, 'open-sockets.ts'), String(Math.round(sockets / 2))] })
  const crowded = await costs(agent, 'bench', [], Math.max(60, Math.floor(seconds / 2)))
  const block = await measureBlock()
  await holder.stop()

  return {
    figures: [
      {
        name: 'CPU of a sample, a sample each second',
        value: cpu,
        unit: 'ms',
        goal: { atMost: 1.5 },
        ...peerOf(peerCosts, 'collectd', 1.2),
      },
      ...(peerCosts.some(([name]) => name === 'node_exporter')
        ? [{ name: 'CPU of a sample', value: cpu, unit: 'ms', ...peerOf(peerCosts, 'node_exporter') }]
        : []),
      { name: `CPU of a sample with ${sockets} open sockets`, value: crowded.own, unit: 'ms', goal: { atMost: 2 } },
      { name: 'anonymous memory', value: memory.anonymous, unit: 'MB', goal: { atMost: 15 } },
      { name: 'growth of anonymous memory over the run', value: memory.anonymous - early, unit: 'MB', goal: { atMost: 1 } },
      { name: 'longest block of the event loop', value: block, unit: 'ms', goal: { atMost: 5 } },
      { name: 'start to first reading', value: median(starts), unit: 'ms', goal: { atMost: 300 } },
      { name: 'child processes', value: treeOf(agent.pid).length - 1, unit: '', goal: { atMost: 0 } },
    ],
    details: { seconds, samples, startsMs: starts.map(round) },
  }
}

try {
  const defaults = await measureDefault(Number(values.minutes))
  const quick = values['default-only'] ? { figures: [], details: {} } : await measureQuick()
  printFigures([...defaults, ...quick.figures], quick.details)
} finally {
  for (const child of children) child.kill('SIGKILL')
  backend.close()
  rmSync(folder, { recursive: true, force: true })
}
