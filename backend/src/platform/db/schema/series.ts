import type { ColumnType, Generated } from 'kysely'
import type { Json } from './columns.ts'

interface SeriesTable {
  organization: number
  number: Generated<number>
  target: number
  hash: Buffer
  name: string
  labels: Json<Record<string, string>>
  /** The instant of its first sample, or up to an hour before. */
  first_seen: number
  /** When samples came last; written once an hour. */
  last_seen: number
  /** The UTC day of it, since the epoch. */
  last_day: ColumnType<number, never, never>
}

interface SeriesFamilyTable {
  organization: number
  name: string
  type: string
  unit: string
  help: string
}

interface SeriesPushTable {
  t0: number
  t_last: number
  received_at: number
  digest: Buffer
  organization: number
  target: number
  data: Buffer
  /** Stored as chunks: an export has not sent it yet. */
  is_compacted: Generated<boolean>
  /** The organizations whose exports it came through. */
  export_path: Generated<string>
}

interface SeriesChunkTable {
  t_first: number
  t_last: number
  stored_at: number
  organization: number
  target: number
  series: number
  day: string
  is_merged: boolean
  samples: number
  data: Buffer
}

export interface SeriesTables {
  received_series: SeriesTable
  series_family: SeriesFamilyTable
  series_push: SeriesPushTable
  series_chunk: SeriesChunkTable
}
