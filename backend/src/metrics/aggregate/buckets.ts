import { BlockError, type SampleColumns, takeFields, valueAt } from '../block/index.ts'
import { addTotal, type ExactSum, totalOf } from './exact.ts'
import type { StoredPiece } from './piece-merger.ts'
import type { FieldTotals } from './summary.ts'

/** One field over the buckets, each number at the place of its bucket. The sum of a bucket is `low` and `high` together. */
export interface FieldBuckets {
  /** 0, or NaN where the buckets were read, without samples. */
  readonly counts: Float64Array
  /** The part of the sums that is exact as a number. */
  readonly low: Float64Array
  /** What passed 2^53 − 1, by bucket; nearly always empty. */
  readonly high: Map<number, bigint>
  readonly maxima: Float64Array
}

/** Samples in one part of time: those from the previous run's `until` on. */
interface Run {
  place: number
  until: number
}

/**
 * Count, sum and maximum of each field in equal buckets of time, in one pass and without an object for each: a day of a server is
 * 288 buckets of some 40 fields, and making them one by one was half of what a day cost.
 */
export class Buckets {
  readonly fields = new Map<number, FieldBuckets>()
  readonly #startMs: number
  readonly #bucketMs: number
  readonly #count: number

  constructor(startMs: number, bucketMs: number, count: number) {
    this.#startMs = startMs
    this.#bucketMs = bucketMs
    this.#count = count
  }

  /** Adds a row of samples that all lie in the buckets; no two rows may overlap. Throws BlockError. */
  addPiece({ block, t0Ms }: Pick<StoredPiece, 'block' | 't0Ms'>, wanted: ReadonlySet<number>): void {
    let runs: Run[] = []
    takeFields(block, t0Ms, wanted, {
      begin: (atMs) => void (runs = this.#runsOf(atMs)),
      take: (id, values) => addRuns(this.of(id), values, runs),
    })
  }

  /** The same of columns. */
  addColumns({ atMs, fieldIds, values }: SampleColumns): void {
    const runs = this.#runsOf(atMs)
    for (const [row, id] of fieldIds.entries())
      addRuns(this.of(id), values.subarray(row * atMs.length, (row + 1) * atMs.length), runs)
  }

  /** The buckets of one field, empty at its first use. */
  of(fieldId: number): FieldBuckets {
    let field = this.fields.get(fieldId)
    if (!field) {
      field = createBuckets(this.#count)
      this.fields.set(fieldId, field)
    }
    return field
  }

  #runsOf(atMs: Float64Array): Run[] {
    const runs = runsOf(atMs, this.#startMs, this.#bucketMs)
    if (runs.some(({ place }) => place < 0 || place >= this.#count)) throw new BlockError('samples outside of their time')
    return runs
  }
}

export function createBuckets(count: number): FieldBuckets {
  const numbers = () => new Float64Array(count)
  const maxima = numbers().fill(Number.NEGATIVE_INFINITY)
  return { counts: numbers(), low: numbers(), high: new Map(), maxima }
}

/** Adds the values from `offset` on to the buckets at their places, -1 for those that are left out. */
export function addColumn(field: FieldBuckets, values: Float64Array, offset: number, places: Int32Array): void {
  const { counts, maxima } = field
  for (let index = 0; index < places.length; index++) {
    const value = values[offset + index] as number
    const place = places[index] as number
    if (place < 0 || Number.isNaN(value)) continue
    addSum(field, place, value)
    counts[place] = (counts[place] as number) + 1
    if (value > (maxima[place] as number)) maxima[place] = value
  }
}

/** The runs of ascending instants over equal buckets. */
export function runsOf(atMs: Float64Array, startMs: number, bucketMs: number): Run[] {
  const runs: Run[] = []
  for (let index = 0; index < atMs.length; ) {
    const place = Math.floor((valueAt(atMs, index) - startMs) / bucketMs)
    const endMs = startMs + (place + 1) * bucketMs
    while (index < atMs.length && valueAt(atMs, index) < endMs) index++
    runs.push({ place, until: index })
  }
  return runs
}

/**
 * Adds a column to the buckets of its runs. A run is summed on its own, which is exact unless the sum could pass 2^53 − 1 or a sample
 * has no value; then its values are added one by one.
 */
export function addRuns(field: FieldBuckets, values: Float64Array, runs: readonly Run[]): void {
  let from = 0
  for (const { place, until } of runs) {
    if (!addRun(field, values, from, until, place)) addOneByOne(field, values, from, until, place)
    from = until
  }
}

function addRun(
  { counts, low, maxima }: FieldBuckets,
  values: Float64Array,
  from: number,
  until: number,
  place: number,
): boolean {
  const before = low[place] as number
  let sum = 0
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (let index = from; index < until; index++) {
    const value = values[index] as number
    sum += value
    if (value > max) max = value
    if (value < min) min = value
  }
  // No part of the sum can be further from 0 than this: where it is not exact, the numbers are added one by one.
  const farthest = Math.abs(before) + (until - from) * Math.max(max, -min)
  if (!(farthest <= Number.MAX_SAFE_INTEGER) || Number.isNaN(sum)) return false
  low[place] = before + sum
  counts[place] = (counts[place] as number) + until - from
  if (max > (maxima[place] as number)) maxima[place] = max
  return true
}

function addOneByOne(field: FieldBuckets, values: Float64Array, from: number, until: number, place: number): void {
  for (let index = from; index < until; index++) {
    const value = values[index] as number
    if (Number.isNaN(value)) continue
    const { counts, maxima } = field
    counts[place] = (counts[place] as number) + 1
    if (value > (maxima[place] as number)) maxima[place] = value
    addSum(field, place, value)
  }
}

function addSum(field: FieldBuckets, place: number, value: number): void {
  const sum = (field.low[place] as number) + value
  if (sum <= Number.MAX_SAFE_INTEGER && sum >= Number.MIN_SAFE_INTEGER) field.low[place] = sum
  else carry(field, place, value)
}

/** A sum beyond 2^53 − 1 goes on from this value. */
function carry({ low, high }: FieldBuckets, place: number, value: number): void {
  high.set(place, (high.get(place) ?? 0n) + BigInt(valueAt(low, place)))
  low[place] = value
}

/** Adds what was added up before to one bucket. */
export function addToBucket(field: FieldBuckets, place: number, totals: Pick<FieldTotals, 'count' | 'sum' | 'max'>): void {
  const { counts, maxima } = field
  counts[place] = valueAt(counts, place) + totals.count
  if (totals.max > valueAt(maxima, place)) maxima[place] = totals.max
  addTotalTo(field, place, totals.sum)
}

function addTotalTo(field: FieldBuckets, place: number, total: number | bigint): void {
  if (typeof total === 'bigint') field.high.set(place, (field.high.get(place) ?? 0n) + total)
  else addSum(field, place, total)
}

/** Adds buckets of one field to those of another at `placeOf` of each; where that is outside, the part is left out. */
export function addBuckets(field: FieldBuckets, parts: FieldBuckets, placeOf: (part: number) => number): void {
  const { counts, maxima } = field
  for (let part = 0; part < parts.counts.length; part++) {
    const count = parts.counts[part] as number
    const place = placeOf(part)
    if (!(count > 0) || place < 0 || place >= counts.length) continue
    counts[place] = (counts[place] as number) + count
    if ((parts.maxima[part] as number) > (maxima[place] as number)) maxima[place] = parts.maxima[part] as number
    if (parts.high.size === 0) addSum(field, place, parts.low[part] as number)
    else addTotalTo(field, place, sumAt(parts, part))
  }
}

/** The exact sum of one bucket. */
export const sumAt = ({ low, high }: FieldBuckets, place: number): number | bigint =>
  high.size === 0 ? valueAt(low, place) : totalOf({ low: valueAt(low, place), high: high.get(place) ?? 0n })

/** What all buckets add up to. */
export function totalOfBuckets(field: FieldBuckets): Pick<FieldTotals, 'count' | 'sum' | 'max'> {
  const whole: ExactSum = { low: 0, high: 0n }
  let count = 0
  let max = Number.NEGATIVE_INFINITY
  for (let place = 0; place < field.counts.length; place++) {
    count += valueAt(field.counts, place)
    addTotal(whole, sumAt(field, place))
    max = Math.max(max, valueAt(field.maxima, place))
  }
  return { count, sum: totalOf(whole), max }
}
