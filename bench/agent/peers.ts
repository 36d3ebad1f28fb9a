import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NODE_FLAGS } from '../../agent/src/process/node-flags.ts'
import { isInstalled } from '../lib/peers.ts'
import type { Yes } from './backend.ts'

const EXPORTER_PORT = 19_100

export interface Peer {
  name: string
  child: ChildProcess
  /** Makes it take a sample, where it does not do so by itself. */
  tick?: () => Promise<unknown>
}

/**
 * node_exporter and collectd as far as they are here, each running: the one with its defaults, the other with what we read too; and under
 * the flags of the agent a Node that only wakes at the interval, and one that only reads, writes and sends (reader.ts): the least that
 * any program for Node takes.
 */
export function startPeers(parent: string, intervalSeconds: number, backend: Yes): Peer[] {
  const folder = mkdtempSync(join(parent, 'peers-'))
  const startNode = (...args: string[]) => spawn(process.execPath, [...NODE_FLAGS, ...args], { stdio: 'ignore' })
  const timer = startNode('-e', `setInterval(() => {}, ${intervalSeconds * 1_000})`)
  const reader = [join(import.meta.dirname, 'reader.ts'), folder, String(intervalSeconds), backend.url]
  const peers: Peer[] = [
    { name: 'timer', child: timer },
    { name: 'reader', child: startNode(...reader, backend.certificate.certFile) },
  ]
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
