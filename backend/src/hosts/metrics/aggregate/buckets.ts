import { BlockError, type SampleColumns, valueAt } from '@vedette/shared/metrics/block'
import { addTotal, divideExactly, type ExactSum, totalOf } from './exact.ts'
import type { FieldTotals } from './summary.ts'

/** One field over the buckets, each number at the index of its bucket. The sum of a bucket is `low` and `high` together. */
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
  bucket: number
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

  /** Adds samples that all lie in the buckets. Throws BlockError. */
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
    if (runs.some(({ bucket }) => bucket < 0 || bucket >= this.#count)) throw new BlockError('samples outside of their time')
    return runs
  }
}

export function createBuckets(count: number): FieldBuckets {
  const numbers = () => new Float64Array(count)
  const maxima = numbers().fill(Number.NEGATIVE_INFINITY)
  return { counts: numbers(), low: numbers(), high: new Map(), maxima }
}

/** Adds each value from `offset` on to its bucket; -1 leaves a value out. */
export function addColumn(field: FieldBuckets, values: Float64Array, offset: number, buckets: Int32Array): void {
  const { counts, maxima } = field
  for (let index = 0; index < buckets.length; index++) {
    const value = values[offset + index] as number
    const bucket = buckets[index] as number
    if (bucket < 0 || Number.isNaN(value)) continue
    addSum(field, bucket, value)
    counts[bucket] = (counts[bucket] as number) + 1
    if (value > (maxima[bucket] as number)) maxima[bucket] = value
  }
}

/** The runs of ascending instants over equal buckets. */
export function runsOf(atMs: Float64Array, startMs: number, bucketMs: number): Run[] {
  const runs: Run[] = []
  for (let index = 0; index < atMs.length; ) {
    const bucket = Math.floor((valueAt(atMs, index) - startMs) / bucketMs)
    const endMs = startMs + (bucket + 1) * bucketMs
    while (index < atMs.length && valueAt(atMs, index) < endMs) index++
    runs.push({ bucket, until: index })
  }
  return runs
}

/**
 * Adds a column to the buckets of its runs. A run is summed on its own, which is exact unless the sum could pass 2^53 − 1 or a sample
 * has no value; then its values are added one by one.
 */
export function addRuns(field: FieldBuckets, values: Float64Array, runs: readonly Run[]): void {
  let from = 0
  for (const { bucket, until } of runs) {
    if (!addRun(field, values, from, until, bucket)) addOneByOne(field, values, from, until, bucket)
    from = until
  }
}

function addRun(
  { counts, low, maxima }: FieldBuckets,
  values: Float64Array,
  from: number,
  until: number,
  bucket: number,
): boolean {
  const before = low[bucket] as number
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
  low[bucket] = before + sum
  counts[bucket] = (counts[bucket] as number) + until - from
  if (max > (maxima[bucket] as number)) maxima[bucket] = max
  return true
}

function addOneByOne(field: FieldBuckets, values: Float64Array, from: number, until: number, bucket: number): void {
  for (let index = from; index < until; index++) {
    const value = values[index] as number
    if (Number.isNaN(value)) continue
    const { counts, maxima } = field
    counts[bucket] = (counts[bucket] as number) + 1
    if (value > (maxima[bucket] as number)) maxima[bucket] = value
    addSum(field, bucket, value)
  }
}

function addSum(field: FieldBuckets, bucket: number, value: number): void {
  const sum = (field.low[bucket] as number) + value
  if (sum <= Number.MAX_SAFE_INTEGER && sum >= Number.MIN_SAFE_INTEGER) field.low[bucket] = sum
  else carry(field, bucket, value)
}

/** A sum beyond 2^53 − 1 goes on from this value. */
function carry({ low, high }: FieldBuckets, bucket: number, value: number): void {
  high.set(bucket, (high.get(bucket) ?? 0n) + BigInt(valueAt(low, bucket)))
  low[bucket] = value
}

/** Adds what was added up before to one bucket. */
export function addToBucket(field: FieldBuckets, bucket: number, totals: Pick<FieldTotals, 'count' | 'sum' | 'max'>): void {
  const { counts, maxima } = field
  counts[bucket] = valueAt(counts, bucket) + totals.count
  if (totals.max > valueAt(maxima, bucket)) maxima[bucket] = totals.max
  addTotalTo(field, bucket, totals.sum)
}

function addTotalTo(field: FieldBuckets, bucket: number, total: number | bigint): void {
  if (typeof total === 'bigint') field.high.set(bucket, (field.high.get(bucket) ?? 0n) + total)
  else addSum(field, bucket, total)
}

/** Adds buckets of one field to those of another at `placeOf` of each; where that is outside, the part is left out. */
export function addBuckets(field: FieldBuckets, parts: FieldBuckets, bucketOf: (part: number) => number): void {
  const { counts, maxima } = field
  for (let part = 0; part < parts.counts.length; part++) {
    const count = parts.counts[part] as number
    const bucket = bucketOf(part)
    if (!(count > 0) || bucket < 0 || bucket >= counts.length) continue
    counts[bucket] = (counts[bucket] as number) + count
    if ((parts.maxima[part] as number) > (maxima[bucket] as number)) maxima[bucket] = parts.maxima[part] as number
    if (parts.high.size === 0) addSum(field, bucket, parts.low[part] as number)
    else addTotalTo(field, bucket, sumAt(parts, part))
  }
}

/** Puts buckets where all are empty and have room from one on; false, and nothing is changed, where not. */
export function copyBuckets(field: FieldBuckets, parts: FieldBuckets, from: number): boolean {
  const { counts, low, maxima } = field
  const to = from + parts.counts.length
  if (from < 0 || to > counts.length || parts.high.size > 0) return false
  for (let bucket = from; bucket < to; bucket++) if (counts[bucket] !== 0) return false
  for (let part = 0; part < parts.counts.length; part++) if (Number.isNaN(parts.counts[part])) return false
  counts.set(parts.counts, from)
  low.set(parts.low, from)
  maxima.set(parts.maxima, from)
  return true
}

/** The mean of a bucket that has samples, whose values are `scale` times as great. */
export const meanAt = (field: FieldBuckets, bucket: number, scale: number): number =>
  divideExactly(sumAt(field, bucket), valueAt(field.counts, bucket) * scale)

/** The exact sum of one bucket. */
export const sumAt = ({ low, high }: FieldBuckets, bucket: number): number | bigint =>
  high.size === 0 ? valueAt(low, bucket) : totalOf({ low: valueAt(low, bucket), high: high.get(bucket) ?? 0n })

/** What all buckets add up to. */
export function totalOfBuckets(field: FieldBuckets): Pick<FieldTotals, 'count' | 'sum' | 'max'> {
  const { counts, low, maxima, high } = field
  let [count, sum, farthest, max] = [0, 0, 0, Number.NEGATIVE_INFINITY]
  for (let bucket = 0; bucket < counts.length; bucket++) {
    if (counts[bucket] === 0) continue
    count += counts[bucket] as number
    sum += low[bucket] as number
    farthest += Math.abs(low[bucket] as number)
    max = Math.max(max, maxima[bucket] as number)
  }
  // Nearly always: the sum of numbers whose distances to 0 add up to a safe integer is exact.
  if (high.size === 0 && farthest <= Number.MAX_SAFE_INTEGER) return { count, sum, max }
  const whole: ExactSum = { low: 0, high: 0n }
  for (let bucket = 0; bucket < counts.length; bucket++) if (counts[bucket] !== 0) addTotal(whole, sumAt(field, bucket))
  return { count, sum: totalOf(whole), max }
}
