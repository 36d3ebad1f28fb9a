import { ALL_FIELDS, type MetricUnit, type NamedField, type SampleColumnsBody } from '../../shared/src/index.ts'
import { fromScaled, type SampleColumns } from '../../shared/src/hosts/metrics/block/index.ts'

/** A small generator with a fixed start: every run measures the same samples. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** In stored integers: where a field is drawn back to, and how far a step may go. */
const HABITS: Record<MetricUnit, { mean: number; step: number; grid: number }> = {
  percent: { mean: 3_000, step: 120, grid: 1 },
  load: { mean: 120, step: 6, grid: 1 },
  bytes: { mean: 8 * 2 ** 30, step: 4_096 * 800, grid: 4_096 },
  count: { mean: 150, step: 4, grid: 1 },
  rate: { mean: 40_000, step: 3_000, grid: 1 },
}
/** The same of hosts that send rates as whole numbers, of which the larger ones jump. */
const WHOLE_HABITS: typeof HABITS = { ...HABITS, rate: { mean: 4e8, step: 2e6, grid: 1_000 } }
/** The fields that many programs send, and no others. */
const USUAL = new Set(
  'percent load_1 used_bytes swap_used_bytes read_iops write_iops read_throughput_bps write_throughput_bps usage_percent rx_bytes_per_sec tx_bytes_per_sec active_connections established syn_sent syn_recv fin_wait time_wait close_wait listen'.split(
    ' ',
  ),
)
/** What hosts send: every field, or the usual 20 with rates in whole numbers. */
export type Shape = 'all' | 'usual'

/** Constants of a host, and counts that are nearly always 0. */
const FIXED = new Set(['cores', 'total_bytes', 'swap_total_bytes', 'steal_percent', 'swap_used_bytes', 'swap_percent', 'listen'])
const RARE = new Set([
  'rx_errors_per_sec',
  'tx_errors_per_sec',
  'syn_sent',
  'syn_recv',
  'fin_wait',
  'last_ack',
  'closing',
  'close_wait',
])
const STEPS_A_DAY = 8_640
const DAY_SWING = 0.3
const PULL = 0.02

/**
 * Samples of one host for days: walks that are drawn back to a mean, which follows the day, with a burst now and then; the same for
 * the same seed. Of all fields, or of the first so many.
 */
export function lifeColumns(
  seed: number,
  startMs: number,
  samples: number,
  fieldCount = ALL_FIELDS.length,
  shape: Shape = 'all',
): SampleColumns {
  const next = random(seed * 7_919 + 1)
  const fields = ALL_FIELDS.filter(({ name }) => shape === 'all' || USUAL.has(name))
    .sort((left, right) => left.id - right.id)
    .slice(0, fieldCount)
  const values = new Float64Array(fields.length * samples)
  const habits = shape === 'all' ? HABITS : WHOLE_HABITS
  for (const [row, field] of fields.entries()) walk(field, habits, values.subarray(row * samples, (row + 1) * samples), next)
  return {
    atMs: Float64Array.from({ length: samples }, (_, index) => startMs + index * 10_000 + Math.floor(next() * 3)),
    fieldIds: fields.map(({ id }) => id),
    values,
  }
}

function walk({ unit, name }: NamedField, habits: typeof HABITS, values: Float64Array, next: () => number): void {
  const { mean, step, grid } = habits[unit]
  const ceiling = unit === 'percent' ? 10_000 : Number.MAX_SAFE_INTEGER
  const phase = next() * 2 * Math.PI
  let value = mean * (0.5 + next())
  const home = value
  for (let index = 0; index < values.length; index += 1) {
    if (RARE.has(name)) values[index] = next() < 0.02 ? 1 : 0
    else {
      if (!FIXED.has(name)) {
        const drawnTo = home * (1 + DAY_SWING * Math.sin(phase + (index / STEPS_A_DAY) * 2 * Math.PI))
        const burst = next() < 0.002 ? home * next() : 0
        value += (drawnTo - value) * PULL + (next() + next() + next() - 1.5) * step + burst
      }
      values[index] = Math.round(Math.min(ceiling, Math.max(0, value)) / grid) * grid
    }
  }
}

/** The samples [from, to) of columns. */
export function cut({ atMs, fieldIds, values }: SampleColumns, from: number, to: number): SampleColumns {
  const part = new Float64Array(fieldIds.length * (to - from))
  for (let row = 0; row < fieldIds.length; row += 1)
    part.set(values.subarray(row * atMs.length + from, row * atMs.length + to), row * (to - from))
  return { atMs: atMs.slice(from, to), fieldIds, values: part }
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
