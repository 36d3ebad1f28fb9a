import { type Adder, BlockError, type Run, takeFields, valueAt } from '../block/index.ts'
import { addTotal, type ExactSum, totalOf } from './exact.ts'
import type { StoredPiece } from './merge.ts'
import type { FieldTotals } from './summary.ts'

/** One field over the buckets, each number at the place of its bucket. The sum of a bucket is `low` and `high` together. */
export interface FieldBuckets {
  readonly counts: Float64Array
  /** What of the sums stays exact as a number. */
  readonly low: Float64Array
  /** What passed 2^53 − 1, by bucket; nearly always empty. */
  readonly high: Map<number, bigint>
  readonly maxima: Float64Array
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

  readonly #spare: SpareBuckets | undefined

  /** With `spare` the numbers stand in there, until others are made with it: they are most of the memory that a day takes. */
  constructor(startMs: number, bucketMs: number, count: number, spare?: SpareBuckets) {
    this.#startMs = startMs
    this.#bucketMs = bucketMs
    this.#count = count
    this.#spare = spare
  }

  /** Adds a row of samples that all lie in the buckets; no two rows may overlap. Throws BlockError. */
  addPiece({ block, t0Ms }: Pick<StoredPiece, 'block' | 't0Ms'>, wanted: ReadonlySet<number>): void {
    let runs: Run[] = []
    takeFields(block, t0Ms, wanted, {
      begin: (atMs) => {
        runs = runsOf(atMs, this.#startMs, this.#bucketMs)
        if (runs.some(({ place }) => place < 0 || place >= this.#count)) throw new BlockError('samples beside their time')
      },
      take: (id, values, isSparse) => addRuns(this.of(id), values, runs, isSparse),
    })
  }

  /** For an encoder of samples that all lie in the buckets, and are alone in them. */
  adderOf(atMs: Float64Array): Adder {
    return {
      runs: runsOf(atMs, this.#startMs, this.#bucketMs),
      of: (id) => this.of(id),
      addOneByOne: (id, values) => this.#addAnew(id, values, atMs),
    }
  }

  #addAnew(id: number, values: Float64Array, atMs: Float64Array): void {
    const field = createBuckets(this.#count)
    addRuns(field, values, runsOf(atMs, this.#startMs, this.#bucketMs), true)
    this.fields.set(id, field)
  }

  /** The same in buckets of `times` the length. */
  widened(times: number, spare?: SpareBuckets): Buckets {
    const wide = new Buckets(this.#startMs, this.#bucketMs * times, this.#count / times, spare)
    for (const [id, field] of this.fields) {
      const into = wide.of(id)
      for (let to = 0; to < wide.#count; to++) addBuckets(into, to, field, to * times, (to + 1) * times)
    }
    return wide
  }

  /** Those of one field, from its first use on. */
  of(fieldId: number): FieldBuckets {
    let field = this.fields.get(fieldId)
    if (!field) {
      field = this.#spare?.take(fieldId, this.#count) ?? createBuckets(this.#count)
      this.fields.set(fieldId, field)
    }
    return field
  }
}

/** Buckets by field, for who makes the same ones again and again. */
export class SpareBuckets {
  readonly #fields = new Map<number, FieldBuckets>()

  take(fieldId: number, count: number): FieldBuckets {
    let field = this.#fields.get(fieldId)
    if (field?.counts.length !== count) {
      field = createBuckets(count)
      this.#fields.set(fieldId, field)
      return field
    }
    empty(field)
    return field
  }
}

/** By hand: of some places, a call to fill them costs more than that. */
function empty({ counts, low, high, maxima }: FieldBuckets): void {
  for (let place = 0; place < counts.length; place++) {
    counts[place] = 0
    low[place] = 0
    maxima[place] = Number.NEGATIVE_INFINITY
  }
  if (high.size > 0) high.clear()
}

/** Adds the buckets [from, until) to one that is empty. */
function addBuckets(into: FieldBuckets, to: number, field: FieldBuckets, from: number, until: number): void {
  const { counts, low, maxima, high } = field
  let count = 0
  let sum = 0
  let farthest = 0
  let max = Number.NEGATIVE_INFINITY
  for (let place = from; place < until; place++) {
    const part = low[place] as number
    count += counts[place] as number
    sum += part
    farthest += Math.abs(part)
    if ((maxima[place] as number) > max) max = maxima[place] as number
  }
  into.counts[to] = count
  into.maxima[to] = max
  if (high.size === 0 && farthest <= Number.MAX_SAFE_INTEGER) into.low[to] = sum
  else for (let place = from; place < until; place++) addTotalTo(into, to, sumAt(field, place))
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
 * Adds a column to the buckets of its runs: the sum of a run is made apart, which is exact as long as it could not pass 2^53 − 1
 * and no sample lacks the field, which need not be said.
 */
export function addRuns(field: FieldBuckets, values: Float64Array, runs: readonly Run[], isSparse: boolean): void {
  let from = 0
  for (const { place, until } of runs) {
    if (isSparse || !addRun(field, values, from, until, place)) addOneByOne(field, values, from, until, place)
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

/** What was added up before, by parts of time; NaN where a part has no sample. */
export interface Parts {
  counts: Float64Array
  sums: Float64Array
  maxima: Float64Array
}

/** Adds each part to the bucket that `placeOf` gives, if there is one. */
export function addParts(field: FieldBuckets, parts: Parts, placeOf: (part: number) => number, length: number): void {
  const { counts, maxima } = field
  for (let part = 0; part < parts.counts.length; part++) {
    const count = parts.counts[part] as number
    const place = placeOf(part)
    if (Number.isNaN(count) || place < 0 || place >= length) continue
    const max = parts.maxima[part] as number
    counts[place] = (counts[place] as number) + count
    if (max > (maxima[place] as number)) maxima[place] = max
    addSum(field, place, parts.sums[part] as number)
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
