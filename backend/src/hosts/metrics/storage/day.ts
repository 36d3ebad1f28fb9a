import {
  addBuckets,
  Buckets,
  createBuckets,
  type FieldBuckets,
  type FieldTotals,
  fieldIdsOf,
  placeOf,
  STORED_GROUPS,
  type StoredGroup,
  sumAt,
  totalOfBuckets,
} from '../aggregate/index.ts'
import { BlockError, valueAt } from '@vedette/shared/metrics/block'
import { pack, readHead, readPart } from './packed/index.ts'
import { encodeTotals } from './rollup.ts'
import { type HourOfDay, toSampleSections } from './day-samples.ts'
import { BUCKET_MS, DAY_MS, HALF_HOUR_MS } from './schedule.ts'
import { joinSections, type Sections } from './sections.ts'

/** A day of one server as it is stored. */
export interface StoredDay {
  /** Samples. */
  count: number
  /** Ids of the fields that have samples. */
  fieldIds: readonly number[]
  /** Totals of the day (`rollup.ts`, one part). */
  header: Uint8Array
  /** Of each group the half hours and the 5 minutes, as `rollupSection` numbers them. */
  rollups: Sections
  /** All samples (`day-samples.ts`). */
  samples: Sections
}

/** What stands in the sections of a day in addition to its totals, by the length of its buckets. */
export type DayDetail = 'halfHours' | 'buckets'
export const BUCKET_MS_OF: Readonly<Record<DayDetail, number>> = { halfHours: HALF_HOUR_MS, buckets: BUCKET_MS }

/** The section of a group. */
export const rollupSection = (group: StoredGroup, detail: DayDetail): number =>
  2 * placeOf(group) + (detail === 'buckets' ? 1 : 0)

/**
 * Count, sum and maximum of a field over the buckets are columns of their own, under ids made of the field's. A sum that passes
 * 2^53 − 1 has its multiple of 2^48 in a column as well.
 */
const COUNT = 0
const SUM = 1
const MAX = 2
const LARGE = 3
const PARTS = 4
const SMALL_PARTS = [COUNT, SUM, MAX]
const ALL_PARTS = [COUNT, SUM, MAX, LARGE]
const LARGE_UNIT = 2n ** 48n

const IDS_OF = new Map(STORED_GROUPS.map((group) => [group, fieldIdsOf([group])]))
const ALL_IDS = fieldIdsOf(STORED_GROUPS)
const IN_PLACE = STORED_GROUPS.toSorted((left, right) => placeOf(left) - placeOf(right))

/** The day, from its hours in order, each once. Throws BlockError. */
export function toDay(day: number, hours: readonly HourOfDay[]): StoredDay {
  const startMs = day * DAY_MS
  const buckets = new Buckets(startMs, BUCKET_MS, DAY_MS / BUCKET_MS)
  for (const { columns } of hours) buckets.addColumns(columns)
  const halfHours = new Map([...buckets.fields].map(([id, field]) => [id, toHalfHours(field)]))
  const sections = IN_PLACE.flatMap((group) =>
    [halfHours, buckets.fields].map((fields) => packBuckets(fields, IDS_OF.get(group) as ReadonlySet<number>)),
  )
  return {
    count: hours.reduce((sum, { columns }) => sum + columns.atMs.length, 0),
    fieldIds: [...buckets.fields.keys()],
    header: encodeTotals(totalsOfDay(halfHours, hours), startMs),
    rollups: joinSections(sections),
    samples: toSampleSections(day, hours),
  }
}

function toHalfHours(field: FieldBuckets): FieldBuckets {
  const halfHours = createBuckets(DAY_MS / HALF_HOUR_MS)
  addBuckets(halfHours, field, (bucket) => Math.floor((bucket * BUCKET_MS) / HALF_HOUR_MS))
  return halfHours
}

function totalsOfDay(halfHours: ReadonlyMap<number, FieldBuckets>, hours: readonly HourOfDay[]): Map<number, FieldTotals> {
  const newest = new Map<number, Pick<FieldTotals, 'last' | 'lastAtMs'>>()
  for (const { columns } of hours) {
    const { atMs, fieldIds, values } = columns
    for (const [row, id] of fieldIds.entries()) {
      let index = atMs.length - 1
      while (index >= 0 && Number.isNaN(values[row * atMs.length + index])) index -= 1
      if (index >= 0) newest.set(id, { last: valueAt(values, row * atMs.length + index), lastAtMs: valueAt(atMs, index) })
    }
  }
  return new Map(
    [...halfHours].flatMap(([id, field]) => {
      const last = newest.get(id)
      return last && ALL_IDS.has(id) ? [[id, { ...totalOfBuckets(field), ...last }] as const] : []
    }),
  )
}

/** Of these fields; nothing when none has a sample. */
function packBuckets(fields: ReadonlyMap<number, FieldBuckets>, wanted: ReadonlySet<number>): Uint8Array {
  const columns = new Map<number, Float64Array>()
  let count = 0
  for (const id of [...fields.keys()].filter((each) => wanted.has(each)).sort((left, right) => left - right)) {
    const field = fields.get(id) as FieldBuckets
    count = field.counts.length
    for (const part of field.high.size === 0 ? SMALL_PARTS : ALL_PARTS) columns.set(id * PARTS + part, columnOf(field, part))
  }
  if (columns.size === 0) return new Uint8Array(0)
  const { head, parts } = pack([{ count, columns }], [...columns.keys()])
  return Buffer.concat([head, ...parts])
}

/** NaN where no sample is. */
function columnOf(field: FieldBuckets, part: number): Float64Array {
  const { counts, low, maxima, high } = field
  if (high.size === 0 && !counts.includes(0)) return part === COUNT ? counts : part === SUM ? low : maxima
  return counts.map((count, bucket) => (count === 0 ? Number.NaN : partAt(field, bucket, part)))
}

function partAt(field: FieldBuckets, bucket: number, part: number): number {
  if (part === COUNT) return valueAt(field.counts, bucket)
  if (part === MAX) return valueAt(field.maxima, bucket)
  const sum = sumAt(field, bucket)
  if (typeof sum === 'number') return part === SUM ? sum : Number.NaN
  const rest = ((sum % LARGE_UNIT) + LARGE_UNIT) % LARGE_UNIT
  return part === SUM ? Number(rest) : Number((sum - rest) / LARGE_UNIT)
}

/** Hands on the buckets of the wanted fields in a section. Total: any bytes either decode or throw BlockError. */
export function takeBuckets(
  section: Uint8Array,
  wanted: ReadonlySet<number>,
  take: (id: number, buckets: FieldBuckets) => void,
): void {
  if (section.length === 0) return
  const head = readHead(section)
  const parts = { size: wanted.size * PARTS, has: (id: number) => wanted.has(Math.floor(id / PARTS)) }
  const { count, ids, values } = readPart(head, section, head.end, section.length, parts)
  let row = 0
  const nextOf = (column: number) => (ids[row] === column ? values.subarray(row * count, ++row * count) : undefined)
  while (row < ids.length) {
    const id = Math.floor((ids[row] as number) / PARTS)
    const [counts, low, maxima, large] = ALL_PARTS.map((part) => nextOf(id * PARTS + part))
    if (!counts || !low || !maxima) throw new BlockError('a field without its parts')
    for (let bucket = 0; bucket < count; bucket++) {
      if (!Number.isNaN(counts[bucket])) continue
      counts[bucket] = 0
      low[bucket] = 0
      maxima[bucket] = Number.NEGATIVE_INFINITY
    }
    take(id, { counts, low, maxima, high: largeSums(large) })
  }
}

function largeSums(multiples: Float64Array | undefined): Map<number, bigint> {
  const high = new Map<number, bigint>()
  for (const [bucket, multiple] of (multiples ?? []).entries())
    if (!Number.isNaN(multiple)) high.set(bucket, BigInt(multiple) * LARGE_UNIT)
  return high
}
