import type { EntityKindName, EntityMetrics } from '@vedette/shared'
import { ALL_STORED, type SampleColumns, valueAt } from '@vedette/shared/metrics/block'
import type { Db } from '../../platform/db/index.ts'
import { decodeChunk, joinColumns } from '../storage/chunk.ts'
import { readChunks } from '../storage/chunk-store.ts'
import { fieldsOf, fromStored, idOfKind, type StoredField } from '../storage/fields.ts'
import { readPushed } from '../storage/push-store.ts'
import { decodeReadings } from '../storage/readings.ts'
import { listHeads } from './list-store.ts'
import { findNamed } from './recent-store.ts'

export interface EntityKey {
  organization: number
  server: number
  entity: number
  kind: EntityKindName
}

interface Window {
  fromMs: number
  toMs: number
}

/** What was read of the entity in [fromMs, toMs), each instant once. */
export async function readHistory(db: Db, key: EntityKey, window: Window): Promise<SampleColumns> {
  const chunks = await readChunks(db, { ...key, entities: [key.entity] }, window)
  // After the chunks: what is compacted in between is in both, and none is in neither.
  const pushed = await readPushed(db, key.organization, key.server, window)
  const pieces = [
    ...chunks.map(({ data }) => decodeChunk(data, ALL_STORED)),
    ...pushed.flatMap(({ at, data }) => ofEntity(decodeReadings(data, key.kind).get(key.kind), key.entity, at) ?? []),
  ]
  return cut(joinColumns(pieces), window)
}

/** The values of one entity at an instant. */
function ofEntity(columns: SampleColumns | undefined, entity: number, at: number): SampleColumns | undefined {
  const index = columns?.atMs.indexOf(entity) ?? -1
  if (!columns || index < 0) return undefined
  const { atMs, fieldIds, values } = columns
  return {
    atMs: Float64Array.of(at),
    fieldIds,
    values: Float64Array.from(fieldIds, (_, row) => valueAt(values, row * atMs.length + index)),
  }
}

function cut({ atMs, fieldIds, values }: SampleColumns, { fromMs, toMs }: Window): SampleColumns {
  const from = atMs.findIndex((at) => at >= fromMs)
  const last = atMs.findLastIndex((at) => at < toMs)
  if (from < 0 || last < from) return { atMs: new Float64Array(0), fieldIds: [], values: new Float64Array(0) }
  const count = last + 1 - from
  const own = new Float64Array(fieldIds.length * count)
  for (const row of fieldIds.keys()) own.set(values.subarray(row * atMs.length + from, row * atMs.length + last + 1), row * count)
  return { atMs: atMs.subarray(from, last + 1), fieldIds, values: own }
}

/** The values of a field, NaN where it was not read; undefined where it never was. */
export function valuesOf({ atMs, fieldIds, values }: SampleColumns, field: StoredField): Float64Array | undefined {
  const row = fieldIds.indexOf(field.column)
  if (row < 0) return undefined
  const count = atMs.length
  const own = values.subarray(row * count, (row + 1) * count)
  const exponents = field.scale === undefined ? fieldIds.indexOf(field.column + 1) : -1
  return own.map((value, index) =>
    Number.isNaN(value) ? value : fromStored(field, value, exponents < 0 ? 0 : valueAt(values, exponents * count + index)),
  )
}

/** Newest, mean and maximum of each field. */
export function summaryOf(kind: EntityKindName, columns: SampleColumns): EntityMetrics['metrics'] {
  return Object.fromEntries(
    fieldsOf(kind).flatMap((field) => {
      const found = valuesOf(columns, field)?.filter((value) => !Number.isNaN(value))
      if (!found || found.length === 0) return []
      return [
        [
          field.name,
          { newest: found.at(-1) as number, avg: meanOf(found), max: found.reduce((most, value) => Math.max(most, value)) },
        ],
      ]
    }),
  )
}

const meanOf = (values: Float64Array): number =>
  Number((values.reduce((sum, value) => sum + value, 0) / values.length).toPrecision(12))

/** Mean and maximum of each field per step. */
export function seriesOf(
  kind: EntityKindName,
  columns: SampleColumns,
  { fromMs, toMs, stepMs }: Window & { stepMs: number },
): NonNullable<EntityMetrics['series']> {
  const points = Math.max(1, Math.round((toMs - fromMs) / stepMs))
  const steps = columns.atMs.map((at) => Math.floor((at - fromMs) / stepMs))
  const fields = fieldsOf(kind).flatMap((field) => {
    const values = valuesOf(columns, field)
    if (!values) return []
    const [sums, counts, maxima] = [new Float64Array(points), new Float64Array(points), new Float64Array(points).fill(-Infinity)]
    for (const [index, value] of values.entries()) {
      const step = steps[index] as number
      if (Number.isNaN(value) || step < 0 || step >= points) continue
      sums[step] = valueAt(sums, step) + value
      counts[step] = valueAt(counts, step) + 1
      maxima[step] = Math.max(valueAt(maxima, step), value)
    }
    const of = (value: (step: number) => number) =>
      Array.from(counts, (count, step) => (count === 0 ? null : Number(value(step).toPrecision(12))))
    return [
      [
        field.name,
        { avg: of((step) => valueAt(sums, step) / valueAt(counts, step)), max: of((step) => valueAt(maxima, step)) },
      ] as const,
    ]
  })
  return { step_seconds: stepMs / 1000, from: new Date(fromMs).toISOString(), points, fields: Object.fromEntries(fields) }
}

export interface SeriesQuery {
  organization: number
  server: number
  kind: EntityKindName
  /** As in rules; null: any. */
  pattern: string | null
  /** Those that were seen last. */
  limit: number
}

/** Means and maxima per step of a field of the entities of a server, of each that had it. */
export async function readSeriesOf(
  db: Db,
  { organization, server, kind, pattern, limit }: SeriesQuery,
  field: string,
  steps: Window & { stepMs: number },
): Promise<{ avg: (number | null)[]; max: (number | null)[] }[]> {
  const heads = await listHeads(db, organization, [server], { kind: idOfKind(kind), text: undefined })
  const named = pattern === null ? undefined : await findNamed(db, organization, [server], [{ kind, pattern }])
  const wanted = new Set(named?.map(({ number }) => number))
  const chosen = heads
    .filter(({ number, last_seen: lastMs }) => lastMs >= steps.fromMs && (!named || wanted.has(number)))
    .sort((one, other) => other.last_seen - one.last_seen)
    .slice(0, limit)
  const found: { avg: (number | null)[]; max: (number | null)[] }[] = []
  for (const { number } of chosen) {
    const columns = await readHistory(db, { organization, server, entity: number, kind }, steps)
    const own = seriesOf(kind, columns, steps).fields[field]
    if (own) found.push(own)
  }
  return found
}
