export interface Matcher {
  label: string
  op: '=' | '!=' | '=~' | '!~'
  value: string
}

export type ValueType = 'scalar' | 'string' | 'vector' | 'matrix'

/** What must be read for one selector of an expression: the samples in (fromMs, toMs]. */
export interface Selection {
  id: number
  /** Includes the one of `__name__`. */
  matchers: Matcher[]
  fromMs: number
  toMs: number
  /** Between two evaluations of the selector, in a subquery its step; 0 for an instant query. */
  stepMs: number
  /** Width of a range selector; undefined for an instant selector. */
  rangeMs: number | undefined
  /** Of an instant selector with steps: its first instant, and how long a sample counts. No other samples are looked at. */
  instants?: { firstMs: number; stepMs: number; lookbackMs: number } | undefined
  /** The innermost function or aggregation around it, as `rate`. */
  func: string | undefined
  /** Labels that an aggregation keeps (`by`) or drops, if the selector stands directly in one. */
  grouping: { labels: string[]; without: boolean } | undefined
}

export interface QueryWindow {
  /** An instant query has `startMs` equal to `endMs` and a step of 0. */
  startMs: number
  endMs: number
  stepMs: number
  lookbackMs: number
}

/** Plain data: it can be posted to a thread. */
export interface QueryPlan {
  expression: string
  window: QueryWindow
  type: ValueType
  selections: Selection[]
}

/**
 * One series with its samples in order; an absent sample is not in it. A stale marker is a NaN with the bits 0x7ff0000000000002
 * (`setStale`): an instant selector finds nothing from there on until the next sample.
 */
export interface SeriesData {
  labels: Readonly<Record<string, string>>
  atMs: Float64Array
  values: Float64Array
  /** How long a sample counts, in place of the lookback of the window: it is read less often, or known to be gone sooner. */
  lookbackMs?: number
}

export interface Bounds {
  /** Samples that are given to the evaluation: 50 million by default. */
  maxSamples?: number
  /** What is held at once, the given samples included: 256 MiB by default. */
  maxBytes?: number
  /** Points of one series in the answer: 11,000 by default. */
  maxPoints?: number
  /** Series in the answer; the others are left out, and a warning says so. Undefined: all. */
  limit?: number | undefined
}

/** One series of an answer. `present[i]` is 1 where step i has the value `values[i]`. */
export interface ResultSeries {
  labels: Readonly<Record<string, string>>
  values: Float64Array
  present: Uint8Array
}

export type QueryResult = {
  warnings: string[]
  infos: string[]
  /** Samples that were read. */
  samplesRead: number
} & (
  | { resultType: 'scalar'; atMs: number; value: number }
  | { resultType: 'string'; atMs: number; value: string }
  /** Each series has one step, which is present; the instant is that of the query. */
  | { resultType: 'vector'; atMs: number; series: ResultSeries[] }
  /** Of a range query: steps from `startMs`. */
  | { resultType: 'matrix'; startMs: number; stepMs: number; series: ResultSeries[] }
  /** Of an instant query for a range selector: the samples as they are. */
  | { resultType: 'matrix'; samples: { labels: Readonly<Record<string, string>>; atMs: Float64Array; values: Float64Array }[] }
)
