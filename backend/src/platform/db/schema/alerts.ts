import type { MonitorStatus } from '@vedette/shared'
import type { ColumnType, Generated } from 'kysely'
import type { Instant, Json } from './columns.ts'

type TargetType = 'monitor' | 'server'

interface AlertRuleTable {
  organization: number
  id: string
  name: string
  enabled: boolean
  target_type: TargetType
  /** Neither id nor tag: all of that type in the organization. */
  target_id: string | null
  target_tag: string | null
  metric: string
  /** Of a filesystem; null: any. */
  mount: string | null
  operator: 'equals' | 'greater_than' | 'less_than'
  value: Json<string | number>
  clear_value: ColumnType<number | null, string | null, string | null>
  for_seconds: number
  severity: 'info' | 'warning' | 'critical'
  channel_ids: string[]
  repeat_seconds: number | null
  created_at: Instant
  updated_at: Instant
  /** Since when it says what it says. */
  says_since: Instant
}

interface ChannelTable {
  organization: number
  id: string
  name: string
  type: string
  enabled: boolean
  /** What everybody may read of it. */
  config: Json<Record<string, unknown>>
  /** The rest of it, sealed. */
  secrets_sealed: Buffer
  created_at: Instant
  /** Why the newest telling was not taken; null where it was. */
  last_error: ColumnType<object | null, string | null | undefined, string | null>
}

interface IncidentTable {
  organization: number
  id: string
  /** When it opened. */
  at: Instant
  rule_id: string
  target_type: TargetType
  target_id: string
  target_name: string
  status: 'open' | 'acknowledged' | 'resolved'
  severity: 'info' | 'warning' | 'critical'
  summary: string
  silenced: boolean
  acknowledged_at: Instant | null
  /** Null also where an API key did it. */
  acknowledged_by: string | null
  resolved_at: Instant | null
  evidence: Json<Record<string, unknown>>
  told_channel_ids: Generated<string[]>
}

interface IncidentEventTable {
  organization: number
  incident_id: string
  at: Instant
  id: string
  type: string
  message: string
  /** The user who did it. */
  actor_id: string | null
}

interface OpenIncidentTable {
  organization: number
  rule_id: string
  target_id: string
  incident_id: string
  /** When it opened, which names its partition. */
  incident_at: Instant
  /** When it was last told. */
  told_at: Instant | null
  /** Ended by hand while its condition holds: nothing opens before that is over. */
  is_muted: ColumnType<boolean, boolean | undefined, boolean>
  /** Not told yet. */
  is_silenced: ColumnType<boolean, boolean | undefined, boolean>
  /** Where that is for a server that is offline: when it last was, roughly. */
  host_silent_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

interface AlertSignalTable {
  /** That of the transition, where it is of one. */
  id: string
  organization: number
  /** Null: all that are not up. */
  monitor: number | null
  at: Instant
  /** Null: nothing has changed, and rules are to look again. */
  to_status: MonitorStatus | null
  reason: string
  /** In the future while somebody judges it. */
  next_try_at: Instant
}

interface CertificateToldTable {
  organization: number
  monitor: number
  /** ms. */
  expires_at: number
}

interface TellingTable {
  /** The same on every repeat. */
  id: string
  organization: number
  channel_id: string
  event_id: string
  event_at: Instant
  incident_id: string | null
  incident_at: Instant | null
  created_at: Instant
  /** In the future while somebody sends it; null while it waits for an earlier one of the same incident. */
  next_try_at: Instant | null
  /** Tries that failed. */
  tries: number
}

interface MaintenanceWindowTable {
  organization: number
  id: string
  name: string
  target_type: TargetType
  target_id: string | null
  target_tag: string | null
  starts_at: Instant
  ends_at: Instant
  /** An RRULE of RFC 5545. */
  repeat: string | null
  time_zone: string
  created_at: Instant
  updated_at: Instant
}

export interface AlertTables {
  alert_rule: AlertRuleTable
  channel: ChannelTable
  incident: IncidentTable
  incident_event: IncidentEventTable
  open_incident: OpenIncidentTable
  alert_signal: AlertSignalTable
  certificate_told: CertificateToldTable
  telling: TellingTable
  maintenance_window: MaintenanceWindowTable
}
