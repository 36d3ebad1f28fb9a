import { randomUUID } from 'node:crypto'
import { hostColumns, toBody } from './host-samples.ts'

const SAMPLES = 6
const PUSH_MS = 60_000
/** So many pushes of a host go on where the one before ended; then the same values come again. */
const VARIANTS = 256
/** Far enough inside of what is accepted (8 days), with room for every push of a run. */
const BACKLOG_MS = 7 * 86_400_000

const STATE = {
  filesystems: [
    { mount: '/', fs_type: 'ext4', used_bytes: 41_203_011_584, total_bytes: 105_089_261_568, percent: 41.32 },
    { mount: '/srv', fs_type: 'ext4', used_bytes: 803_206_144_000, total_bytes: 1_967_317_549_056, percent: 43.03 },
  ],
  interfaces: [{ name: 'eth0', rx_bytes_per_sec: 120_331.5, tx_bytes_per_sec: 82_113.25 }],
}

/** Body text around the instants. */
interface Template {
  before: string
  after: string
}

function makeTemplates(): Template[] {
  const columns = hostColumns(SAMPLES * VARIANTS)
  const { columns: all } = toBody(columns)
  const { at_ms: _atMs, ...groups } = all
  return Array.from({ length: VARIANTS }, (_, variant) => {
    const own = Object.entries(groups).map(([group, fields]) => [
      group,
      Object.fromEntries(
        Object.entries(fields).map(([name, column]) => [name, column.slice(variant * SAMPLES, (variant + 1) * SAMPLES)]),
      ),
    ])
    const text = JSON.stringify(Object.fromEntries(own))
    return { before: '"columns":{"at_ms":[', after: `],${text.slice(1)},${JSON.stringify(STATE).slice(1)}` }
  })
}

/**
 * Bodies of one host after the other as our agent sends them: six samples of all fields by columns, filesystems and interfaces.
 * No two have the same instants. Every host has its own phase, so that one push in sixty crosses an hour, as in life.
 */
export function createBodies(hosts: number): (host: number) => string {
  const templates = makeTemplates()
  const startMs = Math.floor((Date.now() - BACKLOG_MS) / PUSH_MS) * PUSH_MS
  const sent = Array.from({ length: hosts }, () => 0)
  return (host) => {
    const count = (sent[host] ?? 0) + 1
    sent[host] = count
    const step = count * PUSH_MS
    // When the backlog is used up it is gone through again, one millisecond later.
    const t0 = startMs + host * 937 + (step % BACKLOG_MS) + Math.floor(step / BACKLOG_MS)
    const { before, after } = templates[(count + host * 7) % VARIANTS] as Template
    const instants = `${t0},${t0 + 10_001},${t0 + 20_000},${t0 + 30_002},${t0 + 40_000},${t0 + 50_001}`
    const head = `"batch_id":"${randomUUID()}","sent_at":"2026-11-20T18:01:00.000Z","agent_version":"1.0.0"`
    return `{"boot_id":"b${host}","batches":[{${head},${before}${instants}${after}]}`
  }
}
