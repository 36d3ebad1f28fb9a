import type { SeriesFamily } from '../../../hosts/series/index.ts'

export type ExportKind = 'remote_write' | 'otlp'

/** What OTLP says that series are about. */
export interface Resource {
  /** The same for the same resource. */
  id: string
  attributes: Readonly<Record<string, string>>
  /** The name of the scope; empty: none, for series that have a name of their own for it. */
  scope: string
}

/** Samples of one series in order of time. */
export interface ExportedSeries {
  resource: Resource
  name: string
  unit: string
  /** Without its name; of OTLP its attributes. */
  labels: Readonly<Record<string, string>>
  /** Its values only grow, but for a new start. */
  isCounter: boolean
  /** What is known of its name, where another program has sent it. */
  family?: SeriesFamily
  atMs: Float64Array
  /** A stale marker keeps its bits. */
  values: Float64Array
}
