import { ALL_FIELDS, type MetricUnit, type NamedField, type SampleColumnsBody } from '../../shared/src/index.ts'
import { fromScaled, type SampleColumns } from '../../backend/src/metrics/block/index.ts'

/** A small generator with a fixed start: every run measures the same samples. */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const SPREAD: Record<MetricUnit, number> = { percent: 400, load: 12, bytes: 4_096 * 2_000, count: 3, rate: 20_000_000 }
export const FIXED = new Set([
  'cores',
  'total_bytes',
  'swap_total_bytes',
  'steal_percent',
  'swap_used_bytes',
  'swap_percent',
  'listen',
])
export const RARE = new Set([
  'rx_errors_per_sec',
  'tx_errors_per_sec',
  'syn_sent',
  'syn_recv',
  'fin_wait',
  'last_ack',
  'closing',
  'close_wait',
])
const SLOW = new Set(['load_1', 'load_5', 'load_15', 'usage_percent', 'percent'])

/** Walks like those of a host that does something: constants, counts that are nearly always 0, slow gauges, restless rates. */
function walk({ unit, name }: NamedField, samples: number, next: () => number): number[] {
  // 100 % as stored: a long walk must not leave what a host can be.
  const ceiling = unit === 'percent' ? 10_000 : Number.MAX_SAFE_INTEGER
  let value = unit === 'bytes' ? 16 * 2 ** 30 : Math.round(SPREAD[unit] * 3)
  return Array.from({ length: samples }, () => {
    if (FIXED.has(name)) return value
    if (RARE.has(name)) return next() < 0.02 ? 1 : 0
    if (unit === 'rate') return next() < 0.3 ? 0 : Math.round(next() * SPREAD.rate)
    const move = (next() - 0.5) * SPREAD[unit] * (SLOW.has(name) ? 0.1 : 1)
    const grid = unit === 'bytes' ? 4_096 : 1
    value = Math.min(ceiling, Math.max(0, value + Math.round(move / grid) * grid))
    return value
  })
}

/** Samples of one host, all fields, ten seconds apart within some milliseconds. */
export function hostColumns(samples: number): SampleColumns {
  const next = random(42)
  const fields = [...ALL_FIELDS].sort((left, right) => left.id - right.id)
  return {
    atMs: Float64Array.from({ length: samples }, (_, index) => 1_763_661_600_000 + index * 10_000 + Math.floor(next() * 3)),
    fieldIds: fields.map((field) => field.id),
    values: Float64Array.from(fields.flatMap((field) => walk(field, samples, next))),
  }
}

const HEAD = { batch_id: '01890a5d-ac96-774b-bcce-b302099a8057', sent_at: '2026-11-20T18:01:00.000Z', agent_version: '1.0.0' }

/** The same samples as an agent sends them. */
export function toBody(columns: SampleColumns) {
  const at_ms = [...columns.atMs]
  const body: SampleColumnsBody = { at_ms }
  for (const [index, id] of columns.fieldIds.entries()) {
    const field = ALL_FIELDS.find((candidate) => candidate.id === id)
    if (!field) continue
    const scaled = columns.values.slice(index * at_ms.length, (index + 1) * at_ms.length)
    const group = (body[field.group] ??= {})
    group[field.name] = [...scaled].map((value) => fromScaled(value, field))
  }
  return { ...HEAD, columns: body }
}
