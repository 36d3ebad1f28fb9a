import type { AlertSourceTemplate, AlertSourceType, Severity } from '@vedette/shared'
import type { ColumnType, Generated } from 'kysely'
import type { DeletedColumns, Instant, Json, ManagedColumn } from './columns.ts'

/** An alert with all of these labels goes to this policy. */
export interface StoredRoute {
  labels: Record<string, string>
  policy_id: string
}

interface AlertSourceTable extends DeletedColumns {
  organization: number
  /** That of its row of `alert_rule` too. */
  id: string
  name: string
  type: AlertSourceType
  enabled: boolean
  severity_map: Json<Record<string, Severity>>
  default_severity: Severity
  tags: string[]
  tag_labels: string[]
  group_by: string[]
  routes: Json<StoredRoute[]>
  resolve_after_seconds: number | null
  max_open: number
  muted: boolean
  /** A subscription at Amazon SNS that a person has to confirm. */
  confirm: ColumnType<{ topic: string; url: string } | null, string | null | undefined, string | null>
  template: ColumnType<AlertSourceTemplate | null, string | null, string | null>
  token_hash: Buffer
  last_received_at: ColumnType<Date | null, never, Date>
  received_count: Generated<number>
  created_at: Instant
  updated_at: Instant
  managed: ManagedColumn
}

interface AlertSampleTable {
  organization: number
  source_id: string
  at: Instant
  id: string
  body: string
  outcome: Json<{ opened: number; resolved: number; faults: string[] }>
}

export interface AlertSourceTables {
  alert_source: AlertSourceTable
  alert_sample: AlertSampleTable
}
