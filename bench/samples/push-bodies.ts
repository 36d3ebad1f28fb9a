import { DAY_MS } from '../../shared/src/index.ts'
import { randomUUID } from 'node:crypto'
import { cut, lifeColumns, toBody } from './host-samples.ts'

const SAMPLES = 6
const PUSH_MS = 60_000
/** Pushes of a host continue each other this many times; then the values repeat. */
const VARIANTS = 256
/** Inside the accepted 8 days, with room for every push of a run. */
const BACKLOG_MS = 7 * DAY_MS
/** Late pushes lie before today. */
const LATE_MS = 6 * DAY_MS
/** Of the samples of a push, from the first on: a sampler is a little late now and then. */
const OFFSETS_MS = [0, 10_001, 20_000, 30_002, 40_000, 50_001]

const STATE = {
  filesystems: [
    { mount: '/', fs_type: 'ext4', used_bytes: 41_203_011_584, total_bytes: 105_089_261_568, percent: 41.32 },
    { mount: '/srv', fs_type: 'ext4', used_bytes: 803_206_144_000, total_bytes: 1_967_317_549_056, percent: 43.03 },
  ],
  interfaces: [{ name: 'eth0', rx_bytes_per_sec: 120_331.5, tx_bytes_per_sec: 82_113.25 }],
}

/** The samples of a body, given their instants. */
type Template = (atMs: readonly number[]) => string

function makeTemplates(): Template[] {
  const life = lifeColumns(1, 0, SAMPLES * VARIANTS)
  return Array.from({ length: VARIANTS }, (_, variant) => {
    const { at_ms: _atMs, ...groups } = toBody(cut(life, variant * SAMPLES, (variant + 1) * SAMPLES)).columns
    const after = JSON.stringify(groups).slice(1)
    return (atMs) => `"columns":{"at_ms":[${atMs.join(',')}],${after}`
  })
}

/** First instants of a host's pushes, no two the same. */
function instantsOf(host: number, isLate: boolean): () => number {
  const startMs = Math.ceil((Date.now() - BACKLOG_MS) / DAY_MS) * DAY_MS
  let count = 0
  let last = 0
  if (!isLate) return () => (last = Math.max(last + 1, Date.now() - PUSH_MS))
  return () => {
    count += 1
    const step = count * PUSH_MS
    // Every host has its own phase, so that one push in sixty crosses an hour. When the backlog is used up it is gone through
    // again, one millisecond later.
    return startMs + host * 937 + (step % LATE_MS) + Math.floor(step / LATE_MS)
  }
}

/**
 * Bodies of one host after the other as our agent sends them: six samples of all fields, filesystems and interfaces. Late ones begin
 * with a day six to seven days ago, a minute later with each push, as an agent sends after an outage; the others are of the minute
 * that just ended.
 */
export function createBodies(hosts: number, isLate: boolean): (host: number) => string {
  const templates = makeTemplates()
  const state = JSON.stringify(STATE).slice(1)
  const all = Array.from({ length: hosts }, (_, host) => ({ next: instantsOf(host, isLate), sent: host * 7 }))
  return (host) => {
    const one = all[host] as (typeof all)[number]
    one.sent += 1
    const t0 = one.next()
    const template = templates[one.sent % VARIANTS] as Template
    const samples = template(OFFSETS_MS.map((offset) => t0 + offset))
    const head = `"batch_id":"${randomUUID()}","sent_at":"2026-11-20T18:01:00.000Z","agent_version":"1.0.0"`
    return `{"boot_id":"b${host}","batches":[{${head},${samples},${state}]}`
  }
}

/** The same of hosts that sample now: the minute that ends at the instant, whatever their number. */
export function createLiveBodies(hosts: number): (host: number, nowMs: number) => string {
  const templates = makeTemplates()
  const state = JSON.stringify(STATE).slice(1)
  const sent = new Uint16Array(hosts)
  return (host, nowMs) => {
    const count = (sent[host] ?? 0) + 1
    sent[host] = count
    const template = templates[(count + host * 7) % VARIANTS] as Template
    const samples = template(OFFSETS_MS.map((offset) => nowMs - 55_000 + offset))
    const head = `"batch_id":"${randomUUID()}","sent_at":"${new Date(nowMs).toISOString()}","agent_version":"1.0.0"`
    return `{"boot_id":"b${host}","batches":[{${head},${samples},${state}]}`
  }
}
