import { randomUUID } from 'node:crypto'
import { DAY_MS } from '../../shared/src/index.ts'
import { BINARY_PUSH_TYPE, encodeBinaryBatch, encodeBinaryPush } from '../../shared/src/hosts/metrics/binary-push.ts'
import type { SampleColumns } from '../../shared/src/hosts/metrics/block/index.ts'
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

/** In which a push is sent: JSON by rows, or blocks, as our agent does. */
export type PushForm = 'rows' | 'binary'

/** Around the samples of a push. */
interface Around {
  bootId: string
  head: object
  state: object
}

/** Writes the body of a push, given the instants of its samples. */
type Template = (around: Around, atMs: readonly number[]) => string | Buffer

function makeTemplates(form: PushForm, fieldCount?: number): Template[] {
  const life = lifeColumns(1, 0, SAMPLES * VARIANTS, fieldCount)
  const make = { rows: byRows, binary: byBlock }[form]
  return Array.from({ length: VARIANTS }, (_, variant) => make(cut(life, variant * SAMPLES, (variant + 1) * SAMPLES)))
}

function byRows(samples: SampleColumns): Template {
  const { at_ms, ...groups } = toBody(samples).columns
  const rows = at_ms.map((_, index) => {
    const valuesOf = (columns: Record<string, (number | null)[]>) =>
      Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[index]]))
    const values = Object.entries(groups).map(([group, columns]) => [group, valuesOf(columns)])
    return JSON.stringify(Object.fromEntries(values)).slice(1)
  })
  const rowAt = (atMs: number, index: number) => `{"at":"${new Date(atMs).toISOString()}",${rows[index]}`
  return (around, atMs) => inJson(around, `"samples":[${atMs.map(rowAt).join(',')}]`)
}

const byBlock =
  (samples: SampleColumns): Template =>
  ({ bootId, head, state }, atMs) =>
    encodeBinaryPush({ boot_id: bootId }, [
      encodeBinaryBatch({ ...head, ...state }, { ...samples, atMs: Float64Array.from(atMs) }),
    ])

const inJson = ({ bootId, head, state }: Around, samples: string): string =>
  `{"boot_id":"${bootId}","batches":[{${JSON.stringify(head).slice(1, -1)},${samples},${JSON.stringify(state).slice(1)}]}`

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
 * Bodies of one host after the other: six samples of all fields or the first so many, filesystems and interfaces. Late ones begin with a day six to seven
 * days ago, a minute later with each push, as an agent sends after an outage; the others are of the minute that just ended.
 */
export function createBodies(
  hosts: number,
  isLate: boolean,
  form: PushForm,
  fieldCount?: number,
): (host: number) => string | Buffer {
  const templates = makeTemplates(form, fieldCount)
  const all = Array.from({ length: hosts }, (_, host) => ({ next: instantsOf(host, isLate), sent: host * 7 }))
  return (host) => {
    const one = all[host] as (typeof all)[number]
    one.sent += 1
    const t0 = one.next()
    const head = { batch_id: randomUUID(), sent_at: '2026-11-20T18:01:00.000Z', agent_version: '1.0.0' }
    const template = templates[one.sent % VARIANTS] as Template
    return template(
      { bootId: `b${host}`, head, state: STATE },
      OFFSETS_MS.map((offset) => t0 + offset),
    )
  }
}

/** The request with such a body. */
export function pushRequest(token: string, body: string | Buffer): string | Buffer {
  const isJson = typeof body === 'string'
  const head =
    'POST /v1/agent/metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n' +
    `Content-Type: ${isJson ? 'application/json' : BINARY_PUSH_TYPE}\r\nContent-Length: ${body.length}\r\n` +
    `X-API-Key: ${token}\r\nUser-Agent: vedette-agent/1.0.0\r\nConnection: keep-alive\r\n\r\n`
  return isJson ? head + body : Buffer.concat([Buffer.from(head, 'latin1'), body])
}
