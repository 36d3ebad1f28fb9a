import {
  addBuckets,
  Buckets,
  type FieldBuckets,
  fieldIdsOf,
  firstNotBefore,
  groupNumber,
  type Series,
  STORED_GROUPS,
  type StoredGroup,
  Summary,
  sumAt,
  type Window,
} from '../aggregate/index.ts'
import { decodeBlock, type SampleColumns, valueAt } from '@vedette/shared/metrics/block'
import { compress, decompress } from './compressed.ts'
import { toPiece } from './hour.ts'
import { encodeRollup, encodeTotals, type FieldRollup, takeRollup, type Totals, totalsOf } from './rollup.ts'
import { BUCKET_MS, DAY_MS, HALF_HOUR_MS, HOUR_MS } from './schedule.ts'

const BUCKETS = DAY_MS / BUCKET_MS
const HALF_HOURS = DAY_MS / HALF_HOUR_MS

/** A row of a server's day: a group over 5 minutes, or a set of groups over half hours. */
export interface StoredDay {
  number: number
  /** Totals of the day (`rollup.ts`, one part). */
  header: Uint8Array
  data: Uint8Array
}

/**
 * Buckets of 5 minutes as columns of a block: count, sum and maximum of each field, under ids made of the field's own. A sum that
 * passes 2^53 − 1 has its multiple of 2^48 in a column of its own.
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

/** An hour of the day, as stored. */
export interface HourOfDay {
  hour: number
  header: Uint8Array
  data: Uint8Array
}

/** The day, from its hours; a group without any value is left out. Throws BlockError. */
export function toDay(day: number, hours: readonly HourOfDay[]): StoredDay[] {
  const startMs = day * DAY_MS
  const buckets = new Buckets(startMs, BUCKET_MS, BUCKETS)
  const halfHours = new Buckets(startMs, HALF_HOUR_MS, HALF_HOURS)
  const summary = new Summary({ fromMs: startMs, toMs: startMs + DAY_MS })
  for (const stored of hours) {
    const hourMs = stored.hour * HOUR_MS
    buckets.addPiece(toPiece(stored), ALL_IDS)
    takeRollup(stored.header, hourMs, ALL_IDS, (id, field) => {
      summary.addTotals(id, totalsOf(field))
      addBuckets(halfHours.of(id), field.parts, (part) => (hourMs - startMs) / HALF_HOUR_MS + part)
    })
  }
  const totals = summary.totals()
  const groups = STORED_GROUPS.flatMap((group) => {
    const own = new Map([...totals].filter(([id]) => IDS_OF.get(group)?.has(id)))
    if (own.size === 0) return []
    const columns = toColumns(startMs, [...own.keys()], buckets)
    return [{ number: groupNumber(group), header: encodeTotals(own, startMs), data: compress(columns, startMs) }]
  })
  return [...groups, ...toHalfHours(totals, startMs, halfHours)]
}

/** One row for all groups of samples, and one for filesystems or interfaces each: a long series reads few rows. */
function toHalfHours(totals: Totals, startMs: number, halfHours: Buckets): StoredDay[] {
  const sets = Map.groupBy(STORED_GROUPS, halfHoursNumber)
  return [...sets].flatMap(([number, groups]) => {
    const wanted = fieldIdsOf(groups)
    const own = new Map([...totals].filter(([id]) => wanted.has(id)))
    if (own.size === 0) return []
    const fields = [...own].map(([id, { last, lastAtMs }]): [number, FieldRollup] => [
      id,
      { parts: halfHours.of(id), last, lastAtMs },
    ])
    return [{ number, header: encodeTotals(own, startMs), data: encodeRollup(new Map(fields), HALF_HOURS, startMs) }]
  })
}

/** The number of the row with the half hours of a group, among those of groups. */
export const halfHoursNumber = (group: StoredGroup): number =>
  FIRST_HALF_HOURS_NUMBER + Math.max(0, groupNumber(group) - FIRST_KIND + 1)
/** Numbers of groups from here on are of filesystems and interfaces. */
const FIRST_KIND = 100
export const FIRST_HALF_HOURS_NUMBER = 200

/** Adds the half hours of a stored day that lie in the window to the steps of a series, which are made of whole ones. Throws BlockError. */
export function addHalfHoursToSeries(
  day: number,
  data: Uint8Array,
  wanted: ReadonlySet<number>,
  series: Series,
  window: Window,
): void {
  takeRollup(data, day * DAY_MS, wanted, (id, { parts }) => series.addBuckets(day * DAY_MS, HALF_HOUR_MS, id, parts, window))
}

function toColumns(startMs: number, ids: readonly number[], { fields }: Buckets): SampleColumns {
  const present = ids.toSorted((a, b) => a - b).filter((id) => fields.has(id))
  const fieldIds: number[] = []
  const values = new Float64Array(present.length * ALL_PARTS.length * BUCKETS)
  for (const id of present) {
    const field = fields.get(id) as FieldBuckets
    for (const part of field.high.size === 0 ? SMALL_PARTS : ALL_PARTS) {
      writePart(values, fieldIds.length * BUCKETS, field, part)
      fieldIds.push(id * PARTS + part)
    }
  }
  const atMs = Float64Array.from({ length: BUCKETS }, (_, bucket) => startMs + bucket * BUCKET_MS)
  return { atMs, fieldIds, values: values.subarray(0, fieldIds.length * BUCKETS) }
}

/** NaN where there is no sample. */
function writePart(values: Float64Array, start: number, field: FieldBuckets, part: number): void {
  for (let bucket = 0; bucket < BUCKETS; bucket++)
    values[start + bucket] = field.counts[bucket] === 0 ? Number.NaN : partAt(field, bucket, part)
}

function partAt(field: FieldBuckets, bucket: number, part: number): number {
  if (part === COUNT) return valueAt(field.counts, bucket)
  if (part === MAX) return valueAt(field.maxima, bucket)
  const sum = sumAt(field, bucket)
  if (typeof sum === 'number') return part === SUM ? sum : Number.NaN
  const rest = ((sum % LARGE_UNIT) + LARGE_UNIT) % LARGE_UNIT
  return part === SUM ? Number(rest) : Number((sum - rest) / LARGE_UNIT)
}

/** Adds the 5 minutes of a stored day that lie in the window to the steps of a series, which are no finer. Throws BlockError. */
export function addDayToSeries(day: number, data: Uint8Array, wanted: ReadonlySet<number>, series: Series, window: Window): void {
  const parts = new Set([...wanted].flatMap((id) => ALL_PARTS.map((part) => id * PARTS + part)))
  const { atMs, fieldIds, values } = decodeBlock(decompress(data).block, day * DAY_MS, parts)
  const rowOf = new Map(fieldIds.map((partId, row) => [partId, row]))
  const from = firstNotBefore(atMs, window.fromMs)
  const to = firstNotBefore(atMs, window.toMs)
  const columnOf = (partId: number) => {
    const row = rowOf.get(partId)
    return row === undefined ? undefined : values.subarray(row * atMs.length + from, row * atMs.length + to)
  }
  for (const id of wanted) {
    const counts = columnOf(id * PARTS + COUNT)
    const low = columnOf(id * PARTS + SUM)
    const maxima = columnOf(id * PARTS + MAX)
    if (counts === undefined || low === undefined || maxima === undefined) continue
    const high = largeSums(columnOf(id * PARTS + LARGE))
    series.addBuckets(day * DAY_MS + from * BUCKET_MS, BUCKET_MS, id, { counts, low, high, maxima })
  }
}

function largeSums(multiples: Float64Array | undefined): Map<number, bigint> {
  const high = new Map<number, bigint>()
  for (const [bucket, multiple] of (multiples ?? []).entries())
    if (!Number.isNaN(multiple)) high.set(bucket, BigInt(multiple) * LARGE_UNIT)
  return high
}
