import type { EXPORT_KINDS, EXPORTED_SAMPLES } from '@vedette/shared'
import type { ColumnType, Generated } from 'kysely'
import type { Instant } from './columns.ts'

export interface Loss {
  from_ms: number
  to_ms: number
  count: number
  /** Before the count, in words. */
  precision: '' | 'about ' | 'at least '
}

export type Losses = Partial<Record<(typeof EXPORTED_SAMPLES)[number], Loss>>

interface MetricExportTable {
  organization: number
  id: string
  name: string
  kind: (typeof EXPORT_KINDS)[number]
  url: string
  headers_encrypted: Buffer
  enabled: boolean
  /** Made from VEDETTE_OTLP_URL. */
  is_managed: Generated<boolean>
  /** What it sends; each of it from a cursor of its own. */
  samples: (typeof EXPORTED_SAMPLES)[number][]
  created_at: Instant
  updated_at: Instant
  /** The last push of which all was sent, and how many values of the next one were. */
  cursor_received_at: number
  cursor_t0: number
  /** Of 64 bits: selected as a text. */
  cursor_digest: ColumnType<never, string, string>
  cursor_server: number
  cursor_values: number
  entity_cursor_received_at: number
  entity_cursor_t0: number
  entity_cursor_digest: ColumnType<never, string, string>
  entity_cursor_server: number
  entity_cursor_values: number
  series_cursor_received_at: number
  series_cursor_t0: number
  series_cursor_digest: ColumnType<never, string, string>
  /** A target. */
  series_cursor_server: number
  series_cursor_values: number
  last_sent_at: ColumnType<Date | null, Date | null, Date | null>
  /** The last values that were refused. */
  last_error: string | null
  /** Why the next request is to be sent again. */
  waiting: Generated<string | null>
  /** What was given up, by kind of samples. */
  losses: Generated<Losses>
  samples_sent: number
  samples_dropped: number
  samples_skipped: number
}

export interface ExportTables {
  metric_export: MetricExportTable
}
