import type { Plan } from '@vedette/shared'
import type { Matcher, SeriesData } from '../../../../querying/promql/index.ts'
import type { ReadSource } from '../../../../platform/db/index.ts'
import type { Family } from '../../export/format.ts'

/** Whose series. */
export interface Scope {
  from: ReadSource
  organization: number
  plan: Plan
  nowMs: number
}

/** Which of them, and of which time. */
export interface Wanted {
  matchers: readonly Matcher[]
  /** Instants (fromMs, toMs]. */
  fromMs: number
  toMs: number
  /** Between two instants of the answer, ms; 0 for one alone. */
  stepMs: number
  /** Of a selector as `name[5m]`, ms; undefined without one. */
  rangeMs: number | undefined
  /** Without a range: the instants that look back, each so far. */
  instants?: { firstMs: number; stepMs: number; lookbackMs: number } | undefined
  /** The label whose values alone are wanted: of series with equal ones one is enough. Only of lists. */
  label?: string
}

export type Labels = Record<string, string>

export interface FoundSeries {
  series: SeriesData[]
  /** Whether some of it are means of five minutes. */
  hasMeans?: boolean
}

/** One kind of things that have series. */
export interface SeriesSource {
  /** By their names. A name that is in no list, as those of a host's own metrics, has no type. */
  families: readonly Family[]
  /** Whether a selector may have series here, as far as names say. */
  mayHave(matchers: readonly Matcher[]): boolean
  /** The labels of series that match, the name as `__name__`; of what was there in the window. */
  list(scope: Scope, wanted: Wanted): Promise<Labels[]>
  /** Their samples in order, and those that have any. */
  read(scope: Scope, wanted: Wanted): Promise<FoundSeries>
}
