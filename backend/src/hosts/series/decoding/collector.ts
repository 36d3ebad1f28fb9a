import {
  type Bounds,
  DecodingFault,
  type LabelSet,
  type Received,
  type ReceivedMetadata,
  type ReceivedSeries,
  type SeriesType,
} from './received.ts'

interface OpenSeries {
  labels: LabelSet
  type: SeriesType | undefined
  unit: string
  resource: ReadonlyMap<string, string> | undefined
  end: number
}

/**
 * Of all series of a request. A label of remote write 2 takes two bytes that name symbols, and labels of a resource come with each of
 * its points: without a bound ten thousand series of 64 KiB would come out of a small body.
 */
const MOST_LABEL_BYTES = 32 * 2 ** 20
const FIRST_POINTS = 256

const NO_NATIVE_HISTOGRAMS = 'native histograms are not stored: send classic ones (send_native_histograms: false)'

/** Collects what a request brings and holds its bounds. The points of all series are in one piece of memory, bit by bit. */
export class Collector {
  exemplars = 0
  #histograms = 0
  readonly #refused = new Map<string, number>()
  readonly #metadata: ReceivedMetadata[] = []
  readonly #described = new Set<string>()
  #labelBytes = 0
  readonly #bounds: Bounds
  #times = new Float64Array(FIRST_POINTS)
  #values = new Float64Array(FIRST_POINTS)
  /** The bits of the values, lower half first. */
  #words = new Int32Array(this.#values.buffer)
  readonly #open: OpenSeries[] = []
  /** Points of the series in `#open`, and of the one that is being read. */
  #closed = 0
  #end = 0
  #left = 0
  #seriesCount = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** One more series of the request, refused or not. */
  countSeries(): void {
    this.#seriesCount += 1
    const { series } = this.#bounds
    if (this.#seriesCount > series) throw new DecodingFault(`the request has more than ${series} series`)
  }

  /** Bytes of labels that come of fewer bytes in the body. */
  countLabelBytes(bytes: number): void {
    this.#labelBytes += bytes
    if (this.#labelBytes > MOST_LABEL_BYTES)
      throw new DecodingFault(`the labels of all series have more than ${MOST_LABEL_BYTES} bytes`)
  }

  /** Adds a point to the series that is being read; the halves of the value are its bits, so that a stale marker stays one. */
  add(time: number, low: number, high: number): void {
    const index = this.#next()
    this.#times[index] = time
    this.#words[2 * index] = low
    this.#words[2 * index + 1] = high
  }

  /** Ends the series that is being read: with its labels, or the reason why it is refused. One without points is left out. */
  close(labels: LabelSet | string, type?: SeriesType, unit = '', resource?: ReadonlyMap<string, string>): void {
    const points = this.#end - this.#closed
    if (points === 0) return
    if (typeof labels === 'string') {
      this.refuse(labels, points)
      this.#left += points
      this.#end = this.#closed
      return
    }
    this.#sort()
    this.#closed = this.#end
    this.#open.push({ labels, type, unit, resource, end: this.#end })
  }

  /** Points are counted by reason, in the order of the first of each. */
  refuse(reason: string, points: number): void {
    this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + points)
  }

  refuseHistograms(points: number, reason = NO_NATIVE_HISTOGRAMS): void {
    if (points === 0) return
    this.#histograms += points
    this.refuse(reason, points)
  }

  /** As `addMetadata`, but only what is said first of a name. */
  describe(metadata: ReceivedMetadata): void {
    if (this.#described.has(metadata.name)) return
    this.#described.add(metadata.name)
    this.addMetadata(metadata)
  }

  addMetadata(metadata: ReceivedMetadata): void {
    const { series } = this.#bounds
    if (this.#metadata.length >= series) throw new DecodingFault(`the request has metadata of more than ${series} metrics`)
    this.#metadata.push(metadata)
  }

  get metadataCount(): number {
    return this.#metadata.length
  }

  toReceived(): Received {
    return {
      series: this.#toSeries(),
      metadata: this.#metadata,
      refused: Array.from(this.#refused, ([reason, points]) => ({ reason, points })),
      exemplars: this.exemplars,
      histograms: this.#histograms,
    }
  }

  #toSeries(): ReceivedSeries[] {
    let start = 0
    return this.#open.map(({ labels, type, unit, resource, end }) => {
      const times = this.#times.subarray(start, end)
      const values = this.#values.subarray(start, end)
      start = end
      return resource === undefined ? { labels, type, unit, times, values } : { labels, type, unit, times, values, resource }
    })
  }

  #next(): number {
    const index = this.#end++
    const { samples } = this.#bounds
    if (this.#end + this.#left > samples) throw new DecodingFault(`the request has more than ${samples} samples`)
    if (index === this.#times.length) {
      this.#times = lengthen(this.#times)
      this.#values = lengthen(this.#values)
      this.#words = new Int32Array(this.#values.buffer)
    }
    return index
  }

  /** Senders must send in order, and do; what does not is put in order, equal times as they came. */
  #sort(): void {
    const [from, to] = [this.#closed, this.#end]
    let index = from + 1
    while (index < to && (this.#times[index - 1] as number) <= (this.#times[index] as number)) index += 1
    if (index >= to) return
    const times = this.#times.slice(from, to)
    const words = this.#words.slice(2 * from, 2 * to)
    const order = Array.from(times.keys()).sort((left, right) => (times[left] as number) - (times[right] as number))
    order.forEach((old, place) => {
      this.#times[from + place] = times[old] as number
      this.#words.set(words.subarray(2 * old, 2 * old + 2), 2 * (from + place))
    })
  }
}

/** Copies as bytes, which keeps the bits of a NaN. */
function lengthen(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(2 * array.length)
  longer.set(array)
  return longer
}
