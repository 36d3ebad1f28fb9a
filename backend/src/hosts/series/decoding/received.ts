export type SeriesType = 'counter' | 'gauge' | 'histogram' | 'summary' | 'info' | 'stateset' | 'unknown'

export type Label = readonly [name: string, value: string]
/** Sorted by name (bytes of UTF-8), `__name__` among them, no empty values, no name twice. Never changed: sets are shared. */
export type LabelSet = readonly Label[]

export interface ReceivedSeries {
  labels: LabelSet
  /** Undefined where the request does not say. */
  type: SeriesType | undefined
  /** Empty where the request does not say. */
  unit: string
  /** Integers, ms since 1970, ascending; a time may come twice. */
  times: Float64Array
  /**
   * The stale marker keeps its bits: `isStale` of the query language finds it. Copy with `set` or `slice`: reading a NaN as a number
   * and writing it elsewhere may change its bits.
   */
  values: Float64Array
  /** `host.id` and `host.name` of the resource: one object for all series of a resource. Absent where it has neither. */
  resource?: ReadonlyMap<string, string>
}

export interface ReceivedMetadata {
  name: string
  type: SeriesType
  unit: string
  help: string
}

/** What one request brought, whichever protocol it spoke. */
export interface Received {
  /** Each has at least one point. A label set may come more than once, as senders with a backlog do. */
  series: ReceivedSeries[]
  metadata: ReceivedMetadata[]
  /** Points that were understood and are not taken, by reason: a short literal sentence. */
  refused: { reason: string; points: number }[]
  /** Read over, counted. */
  exemplars: number
  /** Native and exponential histograms: each is one of the refused points too. */
  histograms: number
}

export interface Bounds {
  /** Of a request; more is a DecodingFault. */
  samples: number
  /** Of a request; more is a DecodingFault. */
  series: number
  /** Of a series; one with more is refused alone. */
  labels: number
  /** Bytes of all names and values of a series; one with more is refused alone. */
  labelBytes: number
}

export const DEFAULT_BOUNDS: Bounds = { samples: 10_000, series: 10_000, labels: 64, labelBytes: 65_536 }

/** The body can never be taken: sending it again does not help. `place` says where: `timeseries[3].labels[1]`. */
export class DecodingFault extends Error {
  readonly what: string
  place: string

  constructor(what: string, place = '') {
    super(place === '' ? what : `${place}: ${what}`)
    this.name = 'DecodingFault'
    this.what = what
    this.place = place
  }

  /** Adds the message around to the place. */
  in(outer: string): this {
    this.place = this.place === '' || this.place.startsWith('[') ? `${outer}${this.place}` : `${outer}.${this.place}`
    this.message = `${this.place}: ${this.what}`
    return this
  }
}

/** To throw from the message around: other errors stay as they are. */
export const faultIn = (outer: string, error: unknown): unknown => (error instanceof DecodingFault ? error.in(outer) : error)
