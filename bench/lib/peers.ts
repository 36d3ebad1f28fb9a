import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { sleep } from './sleep.ts'
import { freePort } from '../../scripts/test-tools.ts'

/** A program of others, in a process of its own. */
export interface Peer {
  pid: number
  port: number
  stop(): Promise<void>
}

export interface Certificate {
  key: string
  cert: string
}

/** Hosts of the targets of 1,000 checks. */
const HOSTS = Array.from({ length: 10 }, (_, n) => `127.1.0.${n + 1}`)

/** Files of an own authority's certificate, ECDSA on P-256, for localhost, the addresses and the server names of targets. By openssl. */
export function makeCertificate(folder: string): Certificate {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = ['DNS:localhost', 'DNS:*.bench.test', ...['127.0.0.1', ...HOSTS].map((host) => `IP:${host}`)].join(',')
  const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${names}`, '-days', '2']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return { key, cert }
}

const EXPORTER = 'prometheus-blackbox-exporter'

/** A blackbox_exporter with modules that do what our monitors do; undefined, and said aloud, where there is none. */
export async function startBlackbox(folder: string, cert: string): Promise<Peer | undefined> {
  if (!isInstalled(EXPORTER)) return undefined
  const config = join(folder, 'blackbox.yml')
  const http = 'prober: http\n    timeout: 10s\n    http:\n      preferred_ip_protocol: ip4'
  const grpc = 'prober: grpc\n    timeout: 10s\n    grpc:\n      preferred_ip_protocol: ip4\n      service: m-0'
  const dns = 'prober: dns\n    dns:\n      preferred_ip_protocol: ip4\n      query_name: m-0.bench.test\n      query_type: A'
  const tls = `prober: tcp\n    tcp:\n      preferred_ip_protocol: ip4\n      tls: true\n      tls_config:\n        ca_file: ${cert}\n        server_name: m-0.bench.test`
  const others = ['tcp', 'icmp'].map((name) => `${name}:\n    prober: ${name}\n    ${name}:\n      preferred_ip_protocol: ip4`)
  const secure = `https:\n    ${http}\n      tls_config:\n        ca_file: ${cert}`
  const modules = [`http:\n    ${http}`, secure, `grpc:\n    ${grpc}`, `dns:\n    ${dns}`, `tls:\n    ${tls}`, ...others]
  writeFileSync(config, `modules:\n  ${modules.join('\n  ')}\n`)
  return startPeer(EXPORTER, (port) => [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'])
}

/** A Prometheus that has these targets probed by the exporter and stores what it says; undefined where there is none. */
export async function startPrometheus(
  folder: string,
  { exporter, targets, intervalSeconds }: { exporter: Peer; targets: readonly string[]; intervalSeconds: number },
): Promise<Peer | undefined> {
  if (!isInstalled('prometheus')) return undefined
  const config = join(folder, 'prometheus.json')
  const job = {
    job_name: 'probes',
    metrics_path: '/probe',
    params: { module: ['http'] },
    static_configs: [{ targets }],
    relabel_configs: [
      { source_labels: ['__address__'], target_label: '__param_target' },
      { source_labels: ['__param_target'], target_label: 'instance' },
      { target_label: '__address__', replacement: `127.0.0.1:${exporter.port}` },
    ],
  }
  const every = `${intervalSeconds}s`
  // YAML reads JSON.
  writeFileSync(config, JSON.stringify({ global: { scrape_interval: every, scrape_timeout: every }, scrape_configs: [job] }))
  return startPeer('prometheus', (port) => [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ])
}

/** A Prometheus that scrapes nothing and takes remote writes; undefined where there is none. */
export async function startPrometheusReceiver(folder: string): Promise<Peer | undefined> {
  if (!isInstalled('prometheus')) return undefined
  const config = join(folder, 'receiver.json')
  writeFileSync(config, '{}')
  return startPeer('prometheus', (port) => [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'receiver')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--web.enable-remote-write-receiver',
    '--log.level=error',
  ])
}

/** A node_exporter of this host; undefined where there is none. */
export async function startNodeExporter(): Promise<Peer | undefined> {
  if (!isInstalled('prometheus-node-exporter')) return undefined
  return startPeer('prometheus-node-exporter', (port) => [
    `--web.listen-address=127.0.0.1:${port}`,
    // It needs a bus.
    '--no-collector.systemd',
    '--log.level=error',
  ])
}

/** A VictoriaMetrics that answers about samples as soon as it has them; undefined where there is none. */
export async function startVictoria(folder: string): Promise<Peer | undefined> {
  if (!isInstalled('victoria-metrics')) return undefined
  return startPeer('victoria-metrics', (port) => [
    `-storageDataPath=${join(folder, 'victoria')}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    '-retentionPeriod=1',
    '-search.latencyOffset=0s',
    '-loggerLevel=ERROR',
  ])
}

/** Reports on stderr that figures are left out when it is not. */
export function isInstalled(program: string): boolean {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter))
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      // Not there.
    }
  console.error(`left out, because ${program} is missing: everything that is compared with it`)
  return false
}

async function startPeer(program: string, flagsFor: (port: number) => string[]): Promise<Peer> {
  const port = await freePort()
  const child = spawn(program, flagsFor(port), { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  for (;;) {
    // Some have no such page: then any answer says that it listens.
    const isUp = await fetch(`http://127.0.0.1:${port}/-/healthy`).then(
      ({ status }) => status === 200 || status === 404,
      () => false,
    )
    if (isUp) break
    if (child.exitCode !== null) throw new Error(`${program} ended (${child.exitCode})`)
    await sleep(50)
  }
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { pid: child.pid as number, port, stop }
}
