import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODE_FLAGS } from '../../agent/src/node-flags.ts'
import { isInstalled } from '../lib/peers.ts'

const EXPORTER_PORT = 19_100

export interface Peer {
  name: string
  child: ChildProcess
  /** Makes it take a sample, where it does not do so by itself. */
  tick?: () => Promise<unknown>
}

/**
 * node_exporter and collectd as far as they are here, each running: the one with its defaults, the other with what we read too; and a
 * Node that only wakes at the interval, under the flags of the agent: the least that any program for Node takes.
 */
export function startPeers(parent: string, intervalSeconds: number): Peer[] {
  const folder = mkdtempSync(join(parent, 'peers-'))
  const timer = spawn(process.execPath, [...NODE_FLAGS, '-e', `setInterval(() => {}, ${intervalSeconds * 1_000})`], {
    stdio: 'ignore',
  })
  const peers: Peer[] = [{ name: 'timer', child: timer }]
  if (isInstalled('prometheus-node-exporter')) {
    const child = spawn('prometheus-node-exporter', [`--web.listen-address=127.0.0.1:${EXPORTER_PORT}`], { stdio: 'ignore' })
    const tick = () => fetch(`http://127.0.0.1:${EXPORTER_PORT}/metrics`).then((answer) => answer.text())
    peers.push({ name: 'node_exporter', child, tick })
  }
  if (isInstalled('collectd')) {
    const plugins = ['cpu', 'load', 'memory', 'disk', 'df', 'interface', 'tcpconns']
    const lines = [`Interval ${intervalSeconds}`, `BaseDir "${folder}"`, `PIDFile "${folder}/collectd.pid"`, 'FQDNLookup false']
    lines.push(...plugins.map((plugin) => `LoadPlugin ${plugin}`), 'LoadPlugin network')
    lines.push('<Plugin network>', '  Server "127.0.0.1" "25827"', '</Plugin>', '')
    const config = join(folder, 'collectd.conf')
    writeFileSync(config, lines.join('\n'))
    peers.push({ name: 'collectd', child: spawn('collectd', ['-f', '-C', config], { stdio: 'ignore' }) })
  }
  return peers
}
