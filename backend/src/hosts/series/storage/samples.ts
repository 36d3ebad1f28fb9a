/** Samples of one series, in order: each instant, ms since the epoch, once. A value may be any double; of a NaN its bits count. */
export interface Samples {
  atMs: Float64Array
  values: Float64Array
}

/** Samples of one series as they come, in any order. */
export class SampleList {
  #atMs = new Float64Array(4)
  #bits = new BigUint64Array(4)
  #count = 0

  add(atMs: Float64Array, values: Float64Array): void {
    const count = this.#count + atMs.length
    if (count > this.#atMs.length) {
      const length = Math.max(count, 2 * this.#atMs.length)
      const [former, formerBits] = [this.#atMs, this.#bits]
      this.#atMs = new Float64Array(length)
      this.#atMs.set(former)
      this.#bits = new BigUint64Array(length)
      this.#bits.set(formerBits)
    }
    const bits = bitsOf(values)
    // One sample is what comes most, and costs less than a call of `set`.
    for (let index = 0; index < atMs.length; index++) {
      this.#atMs[this.#count + index] = atMs[index] as number
      this.#bits[this.#count + index] = bits[index] as bigint
    }
    this.#count = count
  }

  get count(): number {
    return this.#count
  }

  /** In order. Of two at one instant that which was added first stands. */
  toSamples(): Samples {
    const count = this.#count
    const [atMs, bits] = [this.#atMs.subarray(0, count), this.#bits.subarray(0, count)]
    if (isAscending(atMs)) return { atMs, values: new Float64Array(bits.buffer, 0, count) }
    const order = orderOf(atMs)
    const kept = order.filter((index, place) => place === 0 || atMs[index] !== atMs[order[place - 1] as number])
    const chosen = { atMs: new Float64Array(kept.length), values: new Float64Array(kept.length) }
    const to = bitsOf(chosen.values)
    for (let place = 0; place < kept.length; place++) {
      const index = kept[place] as number
      chosen.atMs[place] = atMs[index] as number
      to[place] = bits[index] as bigint
    }
    return chosen
  }
}

/** All of them in one. Of two at one instant that of the first piece stands. The pieces need not be in order in themselves. */
export function joinSamples(pieces: readonly Samples[]): Samples {
  if (pieces.length === 1 && isAscending((pieces[0] as Samples).atMs)) return pieces[0] as Samples
  const list = new SampleList()
  for (const { atMs, values } of pieces) list.add(atMs, values)
  return list.toSamples()
}

/** The places of instants in their order; of equal ones the first comes first. */
function orderOf(atMs: Float64Array): Float64Array {
  const count = atMs.length
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const at of atMs) {
    if (at < least) least = at
    if (at > greatest) greatest = at
  }
  // Numbers without a function to compare them are sorted some ten times as fast.
  if ((greatest - least + 1) * count <= Number.MAX_SAFE_INTEGER)
    return atMs
      .map((at, index) => (at - least) * count + index)
      .sort()
      .map((key) => key % count)
  return Float64Array.from(atMs.keys()).sort((one, other) => (atMs[one] as number) - (atMs[other] as number) || one - other)
}

/** Those of [fromMs, toMs). */
export function within({ atMs, values }: Samples, fromMs: number, toMs: number): Samples {
  const from = placeOf(atMs, fromMs)
  const to = Math.max(from, placeOf(atMs, toMs))
  return { atMs: atMs.subarray(from, to), values: values.subarray(from, to) }
}

/** Where an instant is or would be. */
export function placeOf(atMs: Float64Array, instant: number): number {
  let [low, high] = [0, atMs.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((atMs[middle] as number) < instant) low = middle + 1
    else high = middle
  }
  return low
}

/** The bits of doubles: a copy of a NaN as a number may lose the bits that make it a stale marker. */
export const bitsOf = (values: Float64Array): BigUint64Array =>
  new BigUint64Array(values.buffer, values.byteOffset, values.length)

function isAscending(atMs: Float64Array): boolean {
  for (let index = 1; index < atMs.length; index++) if ((atMs[index] as number) <= (atMs[index - 1] as number)) return false
  return true
}
