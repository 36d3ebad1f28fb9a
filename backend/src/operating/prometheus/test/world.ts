import { randomUUID } from 'node:crypto'
import type { Credentials, TestBackend } from '../../../../test/harness.ts'

const iso = (ms: number) => new Date(ms).toISOString()

/** A sample with every group. */
export const SAMPLE = {
  cpu: {
    percent: 12.5,
    user_percent: 9.25,
    system_percent: 3.25,
    iowait_percent: 0.1,
    steal_percent: 0,
    cores: 4,
    load_1: 0.11,
    load_5: 0.43,
    load_15: 0.81,
  },
  memory: {
    used_bytes: 2_147_483_648,
    total_bytes: 8_589_934_592,
    percent: 25,
    swap_used_bytes: 1024,
    swap_total_bytes: 4096,
    swap_percent: 25,
  },
  disk: { read_iops: 3, write_iops: 12, read_throughput_bps: 16_384, write_throughput_bps: 122_880, usage_percent: 41.5 },
  network: {
    rx_bytes_per_sec: 1_200,
    tx_bytes_per_sec: 800,
    active_connections: 12,
    rx_errors_per_sec: 0.5,
    tx_errors_per_sec: 0,
  },
  tcp: {
    established: 12,
    syn_sent: 0,
    syn_recv: 0,
    fin_wait: 1,
    time_wait: 7,
    close_wait: 2,
    last_ack: 0,
    listen: 9,
    closing: 0,
    retransmits_per_sec: 0.1,
    resets_per_sec: 0.2,
  },
  host: { failed_units: 1, reboot_required: 0, missing_processes: 0 },
}

export const STATE = {
  filesystems: [
    { mount: '/', fs_type: 'ext4', used_bytes: 17_179_869_184, total_bytes: 42_949_672_960, percent: 41.5 },
    { mount: '/srv/"a\\b"', fs_type: 'xfs', used_bytes: 1, total_bytes: 2, percent: 50 },
  ],
  interfaces: [{ name: 'eth0', rx_bytes_per_sec: 1_200.5, tx_bytes_per_sec: 830 }],
  host: { uptime_seconds: 1_000, failed_units: ['a.service'], reboot_required: false, missing_processes: [] },
}

export const ENTITIES = [
  {
    kind: 'container',
    name: 'shop/web',
    attributes: { image: 'shop:1.4', project: 'shop', service: 'web', state: 'running' },
    values: {
      cpu_percent: 3.25,
      memory_bytes: 134_217_728,
      memory_limit_bytes: 268_435_456,
      memory_percent: 50,
      network_rx_bytes_per_sec: 10,
      network_tx_bytes_per_sec: 20,
      read_bytes_per_sec: 30,
      write_bytes_per_sec: 40,
      running: 1,
      healthy: 1,
      restarts: 2,
      oom_kills: 0,
    },
  },
  { kind: 'unit', name: 'nginx.service', values: { running: 1, failed: 0, memory_bytes: 1_000, restarts: 1 } },
  { kind: 'process', name: 'postgres', values: { count: 8, memory_bytes: 5_000 } },
  {
    kind: 'sensor',
    name: 'coretemp Package',
    attributes: { chip: 'coretemp', label: 'Package id 0' },
    values: { temperature_celsius: 41.5, critical_celsius: 100 },
  },
  { kind: 'sensor', name: 'fan1', values: { fan_rpm: 900, critical_celsius: 3_000 } },
  {
    kind: 'disk',
    name: 'sda',
    attributes: { model: 'WD', serial: 'S1' },
    values: { healthy: 1, power_on_hours: 2, used_percent: 4 },
  },
  { kind: 'pressure', name: 'cpu', values: { some_percent: 1.5 } },
  { kind: 'limit', name: 'conntrack', values: { used: 5, maximum: 10, percent: 50 } },
  { kind: 'updates', name: 'apt', values: { pending: 3, security: 1, oldest_days: 2, lists_age_days: 0.5 } },
  {
    kind: 'metric',
    name: 'queue_length{queue="mail"}',
    attributes: { type: 'gauge', help: 'Mails that wait.' },
    values: { value: 1.5 },
  },
]

export interface HostPush {
  /** ms before now. */
  ageMs?: number
  samples?: readonly object[]
  state?: object
}

/** Pushes samples of the present, unless it says otherwise. */
export async function push(
  backend: TestBackend,
  as: Credentials,
  { ageMs = 0, samples, state = {} }: HostPush = {},
): Promise<void> {
  const at = iso(backend.clock.now() - ageMs)
  const head = { batch_id: randomUUID(), sent_at: iso(backend.clock.now()), agent_version: '1' }
  const body = { ...head, samples: samples ?? [{ at, ...SAMPLE }], ...state }
  const answer = await backend.call('POST', '/v1/agent/metrics', { as, body })
  if (answer.status !== 202 || answer.body.rejected.length > 0) throw new Error(JSON.stringify(answer.body))
}

export interface Result {
  url: string
  [field: string]: unknown
}

/** Monitors of a region of its own, and results that its probe submits for those with these URLs. */
export async function startRegion(backend: TestBackend, id: string) {
  const as = await backend.probe(id)
  return async (results: readonly Result[]): Promise<void> => {
    const { body } = await backend.call('POST', '/v1/probe/claims', { as, body: { worker_id: randomUUID() } })
    const at = iso(backend.clock.now())
    const submitted = results.map(({ url, ...more }) => {
      const claimed = body.checks.find((check: { definition: { url: string } }) => check.definition.url === url)
      if (!claimed) throw new Error(`${url} is not due: ${JSON.stringify(body)}`)
      return { ...ANSWERED, claim: claimed.claim, checked_at: at, ended_at: at, ...more }
    })
    const answer = await backend.call('POST', '/v1/probe/results', { as, body: { results: submitted } })
    if (answer.body.accepted !== results.length) throw new Error(JSON.stringify(answer.body))
  }
}

const ANSWERED = {
  outcome: 'up',
  status_code: 200,
  response_ms: 84.2,
  dns_ms: 1.3,
  connect_ms: 20.4,
  tls_ms: 41.7,
  first_byte_ms: 20.1,
  transfer_ms: 0.7,
  error: null,
  address: '192.0.2.80',
  http_version: '1.1',
  certificate: null,
  delayed: false,
}

export async function createMonitor(
  backend: TestBackend,
  as: Credentials,
  body: { name: string; url: string; [field: string]: unknown },
): Promise<string> {
  const answer = await backend.call('POST', '/v1/monitors', { as, body })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body.id
}

/** The lines of the samples, without comments. */
export const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
