/**
 * What the agent costs its host: one JSON line.
 *
 *   npm run build && npm run bench:agent -- [--seconds 60] [--settle 20]
 *
 * The built file, a sample a second and a push each ten to a backend that says yes, over HTTP, with the flags that our services
 * use; after `--settle` it is looked at twice, `--seconds` apart, with all that it starts. Beside it, in the same run, each of
 * collectd and prometheus-node-exporter that this machine has: the exporter is scraped once a second, collectd reads at that
 * interval. Goals: `cpuMsPerSample` ≤ 1.5 and below the peers', `anonymousMb` ≤ 15, `children` 0. `emptyNodeMb` is the anonymous
 * memory of a Node with one timer: less than that cannot be had. `spoolBytesPerDay` is at the default interval of ten seconds.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ROOT } from './child.ts'
import { cpuOfTree, memoryOf, round2, treeOf } from './processes.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, settle: { type: 'string', default: '20' } },
})
const seconds = Number(values.seconds)
const FLAGS = ['--max-semi-space-size=1', '--optimize-for-size', '--v8-pool-size=0', '--single-threaded']
const EXPORTER_PORT = 19_100

const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-agent-'))
let samples = 0
const backend = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    if (request.method === 'PUT') return void response.writeHead(204).end()
    const { batches } = JSON.parse(Buffer.concat(pieces).toString()) as { batches: { columns: { at_ms: number[] } }[] }
    for (const { columns } of batches) samples += columns.at_ms.length
    const answer = { accepted: 1, duplicates: 0, rejected: [], server_time: new Date().toISOString() }
    response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
})
await new Promise<void>((resolve) => void backend.listen(0, '127.0.0.1', resolve))

function startAgent(): ChildProcess {
  // A copy: a file that was just written shows pages that an installed one does not have.
  const program = join(folder, 'vedette-agent.cjs')
  copyFileSync(join(ROOT, 'agent/dist/vedette-agent.cjs'), program)
  const config = join(folder, 'agent.yaml')
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`
  const lines = [`url: ${url}`, 'token: bench', 'sample_interval_seconds: 1', 'push_interval_seconds: 10', '']
  writeFileSync(config, lines.join('\n'), { mode: 0o600 })
  const env = { PATH: process.env.PATH ?? '', VEDETTE_CONFIG: config, VEDETTE_STATE_DIR: join(folder, 'state') }
  return spawn(process.execPath, [...FLAGS, program, 'run'], { env, stdio: 'ignore' })
}

function has(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The peers that are here, each running; `tick` is what makes one take a sample. */
function startPeers(): { name: string; child: ChildProcess; tick?: () => Promise<unknown> }[] {
  const peers: { name: string; child: ChildProcess; tick?: () => Promise<unknown> }[] = []
  if (has('prometheus-node-exporter')) {
    const child = spawn('prometheus-node-exporter', [`--web.listen-address=127.0.0.1:${EXPORTER_PORT}`], { stdio: 'ignore' })
    const tick = () => fetch(`http://127.0.0.1:${EXPORTER_PORT}/metrics`).then((answer) => answer.text())
    peers.push({ name: 'node_exporter', child, tick })
  }
  if (has('collectd')) {
    const plugins = ['cpu', 'load', 'memory', 'disk', 'df', 'interface', 'tcpconns']
    const lines = ['Interval 1', `BaseDir "${folder}"`, `PIDFile "${folder}/collectd.pid"`, 'FQDNLookup false']
    lines.push(...plugins.map((plugin) => `LoadPlugin ${plugin}`), 'LoadPlugin network')
    lines.push('<Plugin network>', '  Server "127.0.0.1" "25827"', '</Plugin>', '')
    const config = join(folder, 'collectd.conf')
    writeFileSync(config, lines.join('\n'))
    peers.push({ name: 'collectd', child: spawn('collectd', ['-f', '-C', config], { stdio: 'ignore' }) })
  }
  return peers
}

const agent = startAgent()
const empty = spawn(process.execPath, [...FLAGS, '-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
const peers = startPeers()
const pidOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error('a program could not be started')
  return pid
}
const stored = () => {
  const spool = join(folder, 'state/spool')
  return readdirSync(spool).reduce((sum, name) => sum + statSync(join(spool, name)).size, 0)
}

try {
  await sleep(Number(values.settle) * 1_000)
  const look = () => ({
    agent: cpuOfTree(pidOf(agent)),
    peers: peers.map(({ child }) => cpuOfTree(pidOf(child))),
    samples,
    bytes: stored(),
  })
  const before = look()
  for (let second = 0; second < seconds; second++) {
    await Promise.all([sleep(1_000), ...peers.map(({ tick }) => tick?.().catch(() => undefined))])
  }
  const after = look()
  const taken = after.samples - before.samples
  const memory = memoryOf([pidOf(agent)])
  const costs = peers.map(({ name, child }, index) => {
    const cpu = (after.peers[index] ?? 0) - (before.peers[index] ?? 0)
    const { rss, anonymous } = memoryOf([pidOf(child)])
    return [name, { cpuMsPerSample: round2((cpu * 1_000) / seconds), rssMb: rss, anonymousMb: anonymous }]
  })
  console.log(
    JSON.stringify({
      seconds,
      samples: taken,
      agent: {
        cpuMsPerSample: round2(((after.agent - before.agent) * 1_000) / taken),
        rssMb: memory.rss,
        anonymousMb: memory.anonymous,
        children: treeOf(pidOf(agent)).length - 1,
        spoolBytesPerDay: Math.round(((after.bytes - before.bytes) / taken) * 8_640),
      },
      emptyNodeMb: memoryOf([pidOf(empty)]).anonymous,
      peers:
        peers.length > 0
          ? Object.fromEntries(costs)
          : 'none on this machine: apt-get install collectd-core prometheus-node-exporter',
    }),
  )
} finally {
  for (const child of [agent, empty, ...peers.map((peer) => peer.child)]) child.kill('SIGKILL')
  backend.close()
  backend.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
}
