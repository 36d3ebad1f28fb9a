/**
 * What the agent costs its host: one JSON line, each figure with its goal and `met`.
 *
 *   npm run build && npm run bench:agent -- [--seconds 120] [--settle 30] [--sockets 10000]
 *
 * The built agent over TLS with the flags that our services use, a sample a second and a push each ten, to a backend that says yes.
 * After `--settle` seconds its CPU is taken over `--seconds`, with all that it starts; beside it, in the same seconds, run those of
 * collectd and prometheus-node-exporter that this machine has: the exporter with its defaults, scraped once a second, collectd with
 * the plugins for what we read, at that interval. Then the same while `--sockets` sockets are open, for a minute at least: once a
 * minute their states are counted. Memory is taken at the end and after the first third (`growthMb`): with `--seconds 1200` it is
 * that of 1,200 samples. `loopBlockMs` and `startMs` are of processes of their own (loop-block.ts; five starts, their median: from
 * the start of the process to its first reading, a second after which it takes its first sample). `emptyNode` is a Node with
 * one timer a second, in the same seconds: less than that cannot be had. `spoolBytesPerDay` is at the default interval of ten seconds.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { FIRST_GAP_MS } from '../agent/src/loop.ts'
import { NODE_FLAGS } from '../agent/src/node-flags.ts'
import { startChild } from './child.ts'
import { cpuOfTree, median, memoryOf, round, round2, treeOf } from './processes.ts'
import { startYes } from './src/agent/backend.ts'
import { startBuiltAgent } from './src/agent/built-agent.ts'
import { type Peer, startPeers } from './src/agent/peers.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    settle: { type: 'string', default: '30' },
    sockets: { type: 'string', default: '10000' },
  },
})
const [seconds, settle, sockets] = [values.seconds, values.settle, values.sockets].map(Number) as [number, number, number]
const STARTS = 5
const SOURCES = join(import.meta.dirname, 'src/agent')

const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-agent-'))
const backend = await startYes()
const children: ChildProcess[] = []

const pidOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error('a program could not be started')
  return pid
}

/** Lets time pass in which every second each peer takes a sample. */
async function pass(peers: readonly Peer[], howLong: number): Promise<void> {
  for (let second = 0; second < howLong; second++) {
    await Promise.all([sleep(1_000), ...peers.map(({ tick }) => tick?.().catch(() => undefined))])
  }
}

/** CPU per sample, ms, over so many seconds, of the agent and of each peer. */
async function costs(agent: { pid: number }, token: string, peers: readonly Peer[], howLong: number, beside: number[] = []) {
  const look = () => ({
    samples: backend.samples(token),
    cpu: [agent.pid, ...peers.map(({ child }) => pidOf(child)), ...beside].map(cpuOfTree),
  })
  const before = look()
  await pass(peers, howLong)
  const after = look()
  const samples = after.samples - before.samples
  const [own = 0, ...others] = after.cpu.map((cpu, index) => (cpu - (before.cpu[index] ?? 0)) * 1_000)
  return { samples, own: own / samples, others: others.map((cpu) => cpu / howLong) }
}

/** Milliseconds from the start of a process to its first reading. */
async function measureStart(number: number): Promise<number> {
  const token = `start-${number}`
  const agent = startBuiltAgent(folder, backend, token)
  children.push(agent.child)
  while (backend.firstAtMs(token) === undefined) await sleep(50)
  agent.child.kill('SIGKILL')
  return (backend.firstAtMs(token) as number) - FIRST_GAP_MS - agent.startedAtMs
}

async function measureBlock(): Promise<number> {
  const child = await startChild({ args: [...NODE_FLAGS, join(SOURCES, 'loop-block.ts')] })
  await child.stop()
  return Number(child.ready)
}

const atMost = (value: number, goal: number) => ({ value: round2(value), goal: `<= ${goal}`, met: value <= goal })

try {
  const starts: number[] = []
  for (let number = 0; number < STARTS; number++) starts.push(await measureStart(number))

  const agent = startBuiltAgent(folder, backend, 'bench')
  const empty = spawn(process.execPath, [...NODE_FLAGS, '-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  const peers = startPeers(folder)
  children.push(agent.child, empty, ...peers.map(({ child }) => child))
  await pass(peers, settle)

  const bytesBefore = agent.stored()
  const third = await costs(agent, 'bench', peers, Math.floor(seconds / 3), [pidOf(empty)])
  const early = memoryOf([agent.pid]).anonymous
  const rest = await costs(agent, 'bench', peers, seconds - Math.floor(seconds / 3), [pidOf(empty)])
  const memory = memoryOf([agent.pid])
  const samples = third.samples + rest.samples
  const bytes = agent.stored() - bytesBefore
  const cpu = (third.own * third.samples + rest.own * rest.samples) / samples
  const share = Math.floor(seconds / 3) / seconds
  const other = (index: number) => round2((third.others[index] ?? 0) * share + (rest.others[index] ?? 0) * (1 - share))
  const peerCosts = peers.map(({ name, child }, index) => {
    const cpuMsPerSample = other(index)
    const { rss, anonymous } = memoryOf([pidOf(child)])
    return [name, { cpuMsPerSample, rssMb: rss, anonymousMb: anonymous }] as const
  })

  const holder = await startChild({ args: [join(SOURCES, 'open-sockets.ts'), String(Math.round(sockets / 2))] })
  const crowded = await costs(agent, 'bench', [], Math.max(60, Math.floor(seconds / 2)))
  const block = await measureBlock()
  await holder.stop()

  const cheapest = Math.min(...peerCosts.map(([, cost]) => cost.cpuMsPerSample))
  console.log(
    JSON.stringify({
      at: new Date().toISOString(),
      load: loadavg().map(round2),
      seconds,
      samples,
      cpuMsPerSample: atMost(cpu, 1.5),
      belowPeers:
        peers.length > 0 ? { value: round2(cpu / cheapest), goal: '< 1', met: cpu < cheapest } : 'no peer is on this machine',
      cpuMsPerSampleWithSockets: { sockets, ...atMost(crowded.own, 2) },
      anonymousMb: atMost(memory.anonymous, 15),
      growthMb: atMost(memory.anonymous - early, 1),
      loopBlockMs: atMost(block, 5),
      startMs: atMost(median(starts), 300),
      children: atMost(treeOf(agent.pid).length - 1, 0),
      rssMb: memory.rss,
      emptyNode: { cpuMsPerSecond: other(peers.length), anonymousMb: memoryOf([pidOf(empty)]).anonymous },
      spoolBytesPerDay: Math.round((bytes / samples) * 8_640),
      peers:
        peers.length > 0
          ? Object.fromEntries(peerCosts)
          : 'none on this machine: apt-get install collectd-core prometheus-node-exporter',
      startsMs: starts.map(round),
    }),
  )
} finally {
  for (const child of children) child.kill('SIGKILL')
  backend.close()
  rmSync(folder, { recursive: true, force: true })
}
