import {
  addParts,
  Buckets,
  type FieldBuckets,
  fieldIdsOf,
  firstNotBefore,
  type Parts,
  type Series,
  SpareBuckets,
  groupNumber,
  STORED_GROUPS,
  type StoredGroup,
  Summary,
  sumAt,
  type Window,
} from '../aggregate.ts'
import { decodeBlock, type SampleColumns, valueAt } from '../block/index.ts'
import { decodeHeader, encodeHeader, type Totals } from './header.ts'
import { BUCKET_MS, HOUR_MS, toPiece } from './hour.ts'
import { pack, unpack } from './pack.ts'
import { encodeParts, HALF_HOUR_MS, takeParts } from './parts.ts'
import { joinTail, moveTail, type Stored } from './tail.ts'

export const DAY_MS = 86_400_000
const BUCKETS = DAY_MS / BUCKET_MS

/** A group of a server's day as it is stored, or a set of groups by their half hours. */
export interface StoredDay {
  number: number
  header: Uint8Array
  data: Uint8Array
}

/**
 * Means over 5 minutes as columns of a block: count, sum and maximum of each field, under ids made of the field's own. A sum that
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

/** A day is made in one go: all may use the same. */
const spare = new SpareBuckets()
const spareHalves = new SpareBuckets()

/** An hour by its samples, or by what they add up to over 5 minutes where that is known still. */
export type HourOfDay = { hour: number; header: Uint8Array } & ({ data: Uint8Array } | { means: Uint8Array })

/** The day, from its hours; a group without any value is left out. What the hours add up to is not added up again. */
export function toDay(day: number, hours: readonly HourOfDay[]): StoredDay[] {
  const startMs = day * DAY_MS
  const buckets = new Buckets(startMs, BUCKET_MS, BUCKETS, spare)
  const summary = new Summary({ fromMs: startMs, toMs: startMs + DAY_MS })
  for (const stored of hours) {
    if ('data' in stored) buckets.addPiece(toPiece(stored), ALL_IDS)
    else addMeans(buckets, (stored.hour * HOUR_MS - startMs) / BUCKET_MS, stored.means)
    for (const [id, totals] of decodeHeader(stored.header, stored.hour * HOUR_MS, ALL_IDS)) summary.addTotals(id, totals)
  }
  const whole = summary.totals()
  const groups = STORED_GROUPS.flatMap((group) => {
    const own = new Map([...whole].filter(([id]) => IDS_OF.get(group)?.has(id)))
    if (own.size === 0) return []
    const columns = toColumns(startMs, [...own.keys()], buckets)
    return [{ number: groupNumber(group), ...moveTail({ header: encodeHeader(own, startMs), data: pack(columns, startMs) }) }]
  })
  return [...groups, ...toHalves(whole, startMs, buckets.widened(HALF_HOUR_MS / BUCKET_MS, spareHalves))]
}

function addMeans(buckets: Buckets, from: number, means: Uint8Array): void {
  takeParts(means, ALL_IDS, (id, parts) => addParts(buckets.of(id), parts, (part) => from + part, BUCKETS))
}

/** One row for all groups of samples, and one for the filesystems or interfaces, each: few rows are read for a long series. */
function toHalves(whole: Totals, startMs: number, halves: Buckets): StoredDay[] {
  const sets = Map.groupBy(STORED_GROUPS, halvesNumber)
  return [...sets].flatMap(([number, groups]) => {
    const wanted = fieldIdsOf(groups)
    const own = new Map([...whole].filter(([id]) => wanted.has(id)))
    const fields = new Map([...halves.fields].filter(([id]) => wanted.has(id)))
    const data = own.size > 0 ? encodeParts({ fields }, DAY_MS / HALF_HOUR_MS) : undefined
    return data ? [{ number, ...moveTail({ header: encodeHeader(own, startMs), data }) }] : []
  })
}

/** The number of the row with the half hours of a group, among those of groups. */
export const halvesNumber = (group: StoredGroup): number => FIRST_HALVES_NUMBER + Math.max(0, groupNumber(group) - FIRST_KIND + 1)
/** Numbers of groups from here on are of filesystems and interfaces. */
export const FIRST_KIND = 100
export const FIRST_HALVES_NUMBER = 200

/** Adds the half hours of a stored day that lie in the window to the steps of a series, which are made of whole ones. Throws BlockError. */
export function addHalvesToSeries(
  day: number,
  stored: Stored,
  wanted: ReadonlySet<number>,
  series: Series,
  window: Window,
): void {
  const [from, to] = [window.fromMs, window.toMs].map((ms) => Math.ceil((ms - day * DAY_MS) / HALF_HOUR_MS)) as [number, number]
  const within = (numbers: Float64Array) => numbers.subarray(from, to)
  const startMs = day * DAY_MS + from * HALF_HOUR_MS
  takeParts(joinTail(stored), wanted, (id, { counts, sums, maxima }) =>
    series.addParts(startMs, HALF_HOUR_MS, id, { counts: within(counts), sums: within(sums), maxima: within(maxima) }),
  )
}

/** For a group with twice as many fields as there are; used by one after the other. */
const room = new Float64Array(32 * ALL_PARTS.length * BUCKETS)

function toColumns(startMs: number, ids: readonly number[], { fields }: Buckets): SampleColumns {
  const present = ids.toSorted((a, b) => a - b).filter((id) => fields.has(id))
  const fieldIds: number[] = []
  const length = present.length * ALL_PARTS.length * BUCKETS
  const values = length <= room.length ? room : new Float64Array(length)
  for (const id of present) {
    const field = fields.get(id) as FieldBuckets
    for (const part of field.high.size === 0 ? SMALL_PARTS : ALL_PARTS) {
      writePart(values, fieldIds.length * BUCKETS, field, part)
      fieldIds.push(id * PARTS + part)
    }
  }
  return { atMs: startsFrom(startMs), fieldIds, values: values.subarray(0, fieldIds.length * BUCKETS) }
}

function startsFrom(startMs: number): Float64Array {
  const atMs = new Float64Array(BUCKETS)
  for (let place = 0; place < BUCKETS; place++) atMs[place] = startMs + place * BUCKET_MS
  return atMs
}

/** NaN where there is no sample. */
function writePart(values: Float64Array, start: number, field: FieldBuckets, part: number): void {
  const numbers = plainPart(field, part)
  for (let place = 0; place < BUCKETS; place++) {
    if (field.counts[place] === 0) values[start + place] = Number.NaN
    else values[start + place] = numbers ? (numbers[place] as number) : partAt(field, place, part)
  }
}

/** The numbers of a part as they stand; undefined of what has to be reckoned. */
function plainPart({ counts, low, high, maxima }: FieldBuckets, part: number): Float64Array | undefined {
  if (part === COUNT) return counts
  if (part === MAX) return maxima
  return part === SUM && high.size === 0 ? low : undefined
}

/** A part of a sum. */
function partAt(field: FieldBuckets, place: number, part: number): number {
  const sum = sumAt(field, place)
  if (typeof sum === 'number') return part === SUM ? sum : Number.NaN
  const rest = ((sum % LARGE_UNIT) + LARGE_UNIT) % LARGE_UNIT
  return part === SUM ? Number(rest) : Number((sum - rest) / LARGE_UNIT)
}

/** Adds the 5 minutes of a stored day that lie in the window to the steps of a series, which are no finer. Throws BlockError. */
export function addDayToSeries(day: number, stored: Stored, wanted: ReadonlySet<number>, series: Series, window: Window): void {
  const parts = new Set([...wanted].flatMap((id) => ALL_PARTS.map((part) => id * PARTS + part)))
  const { atMs, fieldIds, values } = decodeBlock(unpack(joinTail(stored), false).block, day * DAY_MS, parts)
  const rowOf = new Map(fieldIds.map((partId, row) => [partId, row]))
  const from = firstNotBefore(atMs, window.fromMs)
  const to = firstNotBefore(atMs, window.toMs)
  const columnOf = (partId: number) => {
    const row = rowOf.get(partId)
    return row === undefined ? undefined : values.subarray(row * atMs.length + from, row * atMs.length + to)
  }
  for (const id of wanted) {
    const counts = columnOf(id * PARTS + COUNT)
    const sums = columnOf(id * PARTS + SUM)
    const maxima = columnOf(id * PARTS + MAX)
    if (counts === undefined || sums === undefined || maxima === undefined) continue
    const large = columnOf(id * PARTS + LARGE)
    const startMs = day * DAY_MS + from * BUCKET_MS
    if (large) addLarge(series, startMs, id, { counts, sums, maxima }, large)
    else series.addParts(startMs, BUCKET_MS, id, { counts, sums, maxima })
  }
}

function addLarge(series: Series, startMs: number, id: number, { counts, sums, maxima }: Parts, large: Float64Array): void {
  for (const [place, count] of counts.entries()) {
    if (Number.isNaN(count)) continue
    const high = valueAt(large, place)
    const low = valueAt(sums, place)
    const sum = Number.isNaN(high) ? low : BigInt(high) * LARGE_UNIT + BigInt(low)
    series.addTotals(startMs + place * BUCKET_MS, id, { count, sum, max: valueAt(maxima, place) })
  }
}
