import { pushVarint, readVarint } from './hour-block.ts'

/** Collects response times and returns their percentiles. */
export interface Distribution {
  add(us: number): void
  /** The nearest-rank percentile: an observed value, or within the sketch's error of it. 0 when empty. */
  percentile(percent: number): number
}

/** The index of the percentile among `count` sorted values. */
const rankOf = (percent: number, count: number): number => Math.max(0, Math.ceil((percent / 100) * count) - 1)

/** Keeps every value: exact. */
export class ExactTimes implements Distribution {
  #values = new Uint32Array(256)
  #count = 0
  #sorted = true

  add(us: number): void {
    if (this.#count === this.#values.length) {
      const grown = new Uint32Array(this.#count * 2)
      grown.set(this.#values)
      this.#values = grown
    }
    this.#values[this.#count] = us
    this.#count += 1
    this.#sorted = false
  }

  percentile(percent: number): number {
    if (this.#count === 0) return 0
    if (!this.#sorted) this.#values.subarray(0, this.#count).sort()
    this.#sorted = true
    return this.#values[rankOf(percent, this.#count)] as number
  }
}

/** Half of the promised 1 %, so that rounding to microseconds stays within it. */
const RELATIVE_ERROR = 0.005
const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR)
const LOG_GAMMA = Math.log(GAMMA)
const SKETCH_VERSION = 1
/** Above the bucket of 2^53 µs: a higher one is invalid data. */
const MAX_BUCKET = 4_000
/** Spare capacity, so that a long tail does not reallocate for each bucket. */
const SPARE_BUCKETS = 128

/**
 * DDSketch (Masson, Rim, Lee, VLDB 2019): counts in buckets whose bounds grow by a fixed ratio, so that any percentile is within
 * half a percent of the true value, and sketches add up exactly.
 */
export class Sketch implements Distribution {
  /**
   * Bucket i counts values in (GAMMA^(i-1), GAMMA^i]; 0 and 1 µs are in bucket 0. The highest µs that fits a row is in bucket
   * 2,149.
   */
  #counts = new Uint32Array(0)
  #count = 0

  add(us: number): void {
    this.#addTo(us <= 1 ? 0 : Math.ceil(Math.log(us) / LOG_GAMMA), 1)
  }

  #addTo(bucket: number, count: number): void {
    if (bucket >= this.#counts.length) this.#growTo(bucket)
    this.#counts[bucket] = (this.#counts[bucket] as number) + count
    this.#count += count
  }

  #growTo(bucket: number): void {
    if (bucket > MAX_BUCKET) throw new Error(`invalid sketch: bucket ${bucket}`)
    const grown = new Uint32Array(bucket + SPARE_BUCKETS)
    grown.set(this.#counts)
    this.#counts = grown
  }

  /** Adds the counts of an encoded sketch. Throws on invalid bytes. */
  addEncoded(data: Uint8Array): void {
    if (data[0] !== SKETCH_VERSION) throw new Error(`invalid sketch: version ${data[0]}`)
    const cursor = { offset: 1 }
    let bucket = 0
    while (cursor.offset < data.length) {
      bucket += readVarint(data, cursor)
      this.#addTo(bucket, readVarint(data, cursor))
    }
  }

  percentile(percent: number): number {
    if (this.#count === 0) return 0
    const rank = rankOf(percent, this.#count)
    let before = 0
    for (const [bucket, count] of this.#counts.entries()) {
      before += count
      if (before > rank) return Math.round(valueOf(bucket))
    }
    return 0
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** A version, then for each non-empty bucket its distance from the previous one and its count, as varints. */
  encode(): Buffer {
    const bytes: number[] = [SKETCH_VERSION]
    let before = 0
    for (const [bucket, count] of this.#counts.entries()) {
      if (count === 0) continue
      pushVarint(bytes, bucket - before)
      pushVarint(bytes, count)
      before = bucket
    }
    return Buffer.from(bytes)
  }
}

/** The value with the same relative distance to both bounds of the bucket. */
const valueOf = (bucket: number): number => (2 * GAMMA ** bucket) / (GAMMA + 1)

/** How many values of an encoded sketch are below this one, within the sketch's error of it. Throws on invalid bytes. */
export function countBelow(data: Uint8Array, us: number): number {
  if (data[0] !== SKETCH_VERSION) throw new Error(`invalid sketch: version ${data[0]}`)
  // The first bucket whose value is not below.
  const end = Math.ceil(Math.log((us * (GAMMA + 1)) / 2) / LOG_GAMMA)
  const cursor = { offset: 1 }
  let below = 0
  for (let bucket = 0; cursor.offset < data.length; ) {
    bucket += readVarint(data, cursor)
    const count = readVarint(data, cursor)
    if (bucket >= end) break
    below += count
  }
  return below
}
