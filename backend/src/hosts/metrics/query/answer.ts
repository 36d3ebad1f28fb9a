import {
  ALL_FIELDS,
  type DimensionKind,
  type MetricGroup,
  type NamedField,
  type ServerDetails,
  type ServerMetrics,
  type SlotField,
  toTimestamp,
  UNIT_DECIMALS,
} from '@vedette/shared'
import { fromScaled, type SampleColumns, scaleOf, valueAt } from '@vedette/shared/metrics/block'
import { divideExactly, divideToWhole } from '../aggregate/exact.ts'
import type { SeriesPoints } from '../aggregate/series.ts'
import type { FieldTotals } from '../aggregate/summary.ts'

type Totals = ReadonlyMap<number, FieldTotals>
type Answered = Record<string, number | null>
type MetricSnapshot = NonNullable<ServerDetails['metrics']>

const FIELDS_OF = Map.groupBy(ALL_FIELDS, (field) => field.group)
const fieldsOf = (group: MetricGroup): readonly NamedField[] => FIELDS_OF.get(group) ?? []

/** The groups of an answer: gauges with their newest value, rates with their mean; a group without any value is left out. */
export function toMetricGroups(totals: Totals, groups: readonly MetricGroup[]): ServerMetrics['metrics'] {
  const present = groups.filter((group) => fieldsOf(group).some((field) => totals.has(field.id)))
  return Object.fromEntries(present.map((group) => [group, toGroup(group, totals)])) as ServerMetrics['metrics']
}

function toGroup(group: MetricGroup, totals: Totals): Answered {
  const answered: Answered = Object.fromEntries(
    fieldsOf(group).map((field) => {
      const found = totals.get(field.id)
      return [field.name, found ? answerOf(field, found) : null]
    }),
  )
  if (group === 'memory') return { ...answered, ...spreadOf(group, totals) }
  if (group !== 'cpu') return answered
  const { percent = null, ...others } = answered
  return { current_percent: percent, ...spreadOf(group, totals), ...others }
}

function answerOf(field: Pick<NamedField, 'unit' | 'answer' | 'whole'>, { sum, count, last }: FieldTotals): number {
  if (field.answer === 'newest') return fromScaled(last, field)
  const divisor = count * scaleOf(field)
  return field.whole ? divideToWhole(sum, divisor) : divideExactly(sum, divisor)
}

/** Mean and maximum of the group's `percent` over the period. */
function spreadOf(group: MetricGroup, totals: Totals): Answered {
  const field = fieldsOf(group).find(({ name }) => name === 'percent')
  const found = field && totals.get(field.id)
  if (!found) return { avg_percent: null, max_percent: null }
  return { avg_percent: divideExactly(found.sum, found.count * scaleOf(field)), max_percent: fromScaled(found.max, field) }
}

/** The last of some samples: scaled values by field id, without missing fields. */
export function newestSample(columns: SampleColumns): { atMs: number; values: Map<number, number> } {
  const count = columns.atMs.length
  const values = new Map<number, number>()
  for (const [row, id] of columns.fieldIds.entries()) {
    const value = valueAt(columns.values, (row + 1) * count - 1)
    if (!Number.isNaN(value)) values.set(id, value)
  }
  return { atMs: valueAt(columns.atMs, count - 1), values }
}

/** What a snapshot asks of each field, once: a page has 4,000 of them. */
const SNAPSHOT_FIELDS = [...FIELDS_OF].map(([group, fields]) => ({
  group,
  fields: fields.map((field) => ({
    id: field.id,
    name: field.name,
    scale: scaleOf(field),
    isWhole: field.whole === true || UNIT_DECIMALS[field.unit] === 0,
  })),
}))

/** One sample in the form of the API; `values` are scaled integers by field id. */
export function toSnapshot(sampledAtMs: number, values: ReadonlyMap<number, number>): MetricSnapshot {
  const snapshot: Record<string, unknown> = { sampled_at: toTimestamp(sampledAtMs) }
  for (const { group, fields } of SNAPSHOT_FIELDS) {
    const answered: Answered = {}
    let hasAny = false
    for (const { id, name, scale, isWhole } of fields) {
      const scaled = values.get(id)
      if (scaled !== undefined) hasAny = true
      answered[name] = scaled === undefined ? null : isWhole ? Math.round(scaled / scale) : scaled / scale
    }
    if (hasAny) snapshot[group] = answered
  }
  return snapshot as MetricSnapshot
}

/** The series of an answer; groups and fields without any value are left out. */
export function toMetricSeries(series: SeriesPoints, groups: readonly MetricGroup[]): NonNullable<ServerMetrics['series']> {
  const answered = groups.flatMap((group) => {
    const fields = fieldsOf(group).flatMap((field) => {
      const points = series.fields.get(field.id)
      return points ? [[field.name, points] as const] : []
    })
    return fields.length > 0 ? [[group, Object.fromEntries(fields)] as const] : []
  })
  const head = { step_seconds: series.stepMs / 1_000, from: toTimestamp(series.fromMs), points: series.points }
  return { ...head, ...Object.fromEntries(answered) }
}

/** One named thing over the period, by its slot's fields: gauges newest, rates mean, of a percentage mean and maximum as well. */
export function toDimension(
  kind: DimensionKind,
  name: string,
  fields: readonly SlotField[],
  totals: Totals,
  points: SeriesPoints | undefined,
): Record<string, unknown> {
  const answered = fields.flatMap((field): [string, number | null][] => {
    const found = totals.get(field.id)
    const value: [string, number | null] = [field.name, found ? answerOf(field, found) : null]
    if (field.unit !== 'percent') return [value]
    const mean = found ? divideExactly(found.sum, found.count * scaleOf(field)) : null
    return [value, ['avg_percent', mean], ['max_percent', found ? fromScaled(found.max, field) : null]]
  })
  const series = points && Object.fromEntries(fields.flatMap(({ id, name: field }) => seriesOf(points, id, field)))
  return { [kind === 'mount' ? 'mount' : 'name']: name, ...Object.fromEntries(answered), ...(series ? { series } : {}) }
}

function seriesOf({ fields }: SeriesPoints, id: number, name: string) {
  const found = fields.get(id)
  return found ? [[name, found] as const] : []
}
