import type {
  ChannelConfig,
  ChannelFault,
  ChannelLastTest,
  ChannelType,
  ChatService,
  IncidentCause,
  LayerRestriction,
  MonitorStatus,
  SloKind,
  SloWindow,
} from '@vedette/shared'
import type { ColumnType, Generated } from 'kysely'
import type { DeletedColumns, Instant, Json, ManagedColumn, RuleDescriptionColumns } from './columns.ts'
import type { QueueTable } from './queue.ts'

type TargetType = 'monitor' | 'server'

interface AlertRuleTable extends DeletedColumns, RuleDescriptionColumns {
  organization: number
  id: string
  name: string
  enabled: boolean
  /** Of `slo`: the burn-rate alerts of an SLO. Of `source`: who is notified of a sender's alerts. */
  target_type: TargetType | 'slo' | 'series' | 'source'
  /** Neither id nor tag: all of that type in the organization. */
  target_id: string | null
  target_tag: string | null
  metric: string
  /** Of a filesystem; null: any. */
  mount: string | null
  /** Of entities, with * for any text; null: any. */
  entity_name: string | null
  /** PromQL, of `series`; they are evaluated at this interval. */
  expression: ColumnType<string | null, string | null | undefined, string | null>
  every_seconds: ColumnType<number | null, number | null | undefined, number | null>
  operator: 'equals' | 'greater_than' | 'less_than'
  value: Json<string | number>
  clear_value: ColumnType<number | null, string | null, string | null>
  for_seconds: number
  severity: 'info' | 'warning' | 'critical'
  channel_ids: string[]
  repeat_seconds: number | null
  escalation_policy_id: string | null
  created_at: Instant
  updated_at: Instant
  /** Since when the definition is as it is; a new name does not change it. */
  defined_at: Instant
  managed: ManagedColumn
  /** Why the last evaluation of `series` failed; null: it did not. */
  last_error: ColumnType<string | null, never, string | null>
  evaluation: ColumnType<StoredEvaluation | null, never, string | null>
}

/** What the evaluation of a rule on series remembers. */
export interface StoredEvaluation {
  /** Of the definition that it is about, ms. */
  definedMs: number
  /** Since when each series has been in the answer, ms. */
  since: Record<string, number>
}

interface ChannelTable extends DeletedColumns {
  organization: number
  id: string
  name: string
  type: ChannelType
  enabled: boolean
  /** The part that is not secret. */
  config: Json<ChannelConfig>
  /** The secret part, encrypted. */
  secrets_encrypted: Buffer
  created_at: Instant
  /** Error of the last delivery; null when it succeeded. */
  last_error: ColumnType<ChannelFault | null, string | null | undefined, string | null>
  last_test: ColumnType<ChannelLastTest | null, string | null | undefined, string | null>
  /** Whose contact method it is; null: a channel of the organization. */
  user_id: ColumnType<string | null, string | null | undefined, never>
  /** Of type email: the address, in lower case, whose owner has confirmed it. The channel may send to another one by now. */
  confirmed_to: ColumnType<string | null, never, string>
  managed: ManagedColumn
}

interface IncidentTable {
  organization: number
  id: string
  /** When it opened. */
  at: Instant
  rule_id: string
  /** Of a sender's alert: what it is known to be about. */
  target_type: TargetType | 'slo' | 'series' | 'external'
  target_id: string
  /** Which of the series of its rule, or which alert of its sender; null for a rule on something else. */
  series: ColumnType<string | null, string | null | undefined, never>
  /** Null unless a sender has reported it. */
  external: ColumnType<ExternalAlert | null, string | null | undefined, string>
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
  notified_channel_ids: Generated<string[]>
  /** Whom the policy has notified. */
  notified_user_ids: Generated<string[]>
  escalation_policy_id: ColumnType<string | null, string | null | undefined, string | null>
  /** The incident of what the target depends on, while which it opened. */
  parent_id: ColumnType<string | null, string | null | undefined, string | null>
  /** The status of the target alternates. */
  flapping: Generated<boolean>
  /** The first of the incidents with the same cause; null: it is alone. */
  story_id: ColumnType<string | null, string | null | undefined, string | null>
  cause: ColumnType<IncidentCause | null, string | null | undefined, string | null>
}

/** What a sender says of an alert. */
export interface ExternalAlert {
  name: string
  url: string | null
  labels: Record<string, string>
  /** For policies and searches. */
  tags: string[]
  /** Alerts of one sender with the same text are one story. */
  group: string | null
  /** The policy that a route of the sender named when it opened. */
  policy?: string
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
  /** As of the incident, in the key; zeros without one. */
  series: Generated<string>
  incident_id: string
  /** When it opened, which names its partition. */
  incident_at: Instant
  /** Time of the last notification. */
  notified_at: Instant | null
  /** Ended by hand while its condition holds: nothing opens before that is over. */
  is_muted: ColumnType<boolean, boolean | undefined, boolean>
  /** No notification was sent yet. */
  is_suppressed: ColumnType<boolean, boolean | undefined, boolean>
  /** Something it depends on is down. */
  has_down_parent: Generated<boolean>
  /** Since when nothing it depends on is down any more; null where nothing was. */
  parents_up_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  escalation_policy_id: ColumnType<string | null, string | null | undefined, string | null>
  /** Number of the next step over all repeats. */
  escalation_step: Generated<number>
  /** When that is due; of an acknowledged incident, when it opens again. */
  escalation_due_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  story_id: ColumnType<string | null, string | null | undefined, string | null>
  /** What the silent servers of its story share. */
  story_tag: ColumnType<string | null, string | null | undefined, string | null>
  /** When a sender's alert is over unless it is sent again; null: when its end is sent. */
  ends_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

interface SloTable extends DeletedColumns {
  organization: number
  id: string
  name: string
  /** A monitor; null with a tag. */
  target_id: string | null
  target_tag: string | null
  kind: SloKind
  threshold_ms: number | null
  /** Percent. */
  objective: number
  period: SloWindow
  time_zone: string
  created_at: Instant
  updated_at: Instant
  managed: ManagedColumn
}

interface AnnotationTable {
  organization: number
  id: string
  /** When it happened. */
  at: Instant
  text: string
  tags: string[]
  /** These may be deleted. */
  server_id: string | null
  monitor_id: string | null
  url: string | null
  created_at: Instant
}

interface ChatAccountTable {
  organization: number
  service: ChatService
  /** SHA-256 of what the chat signs with. */
  credential: Buffer
  /** As the service names the person. */
  chat_user: string
  id: string
  name: string
  /** Null until the code is entered. */
  user_id: string | null
  /** SHA-256. */
  code_hash: Buffer | null
  code_expires_at: Instant | null
  created_at: Instant
}

interface NotifiedCertificateTable {
  organization: number
  monitor: number
  /** ms. */
  expires_at: number
}

/** Of a window of a source: which of its alerts. Matchers are those of Alertmanager. */
export interface StoredSilence {
  matchers: { name: string; value: string; is_regex: boolean }[]
  created_by: string
  comment: string
}

interface MaintenanceWindowTable extends DeletedColumns {
  organization: number
  id: string
  name: string
  target_type: TargetType | 'source'
  target_id: string | null
  target_tag: string | null
  starts_at: Instant
  ends_at: Instant
  /** An RRULE of RFC 5545. */
  repeat: string | null
  time_zone: string
  silence: ColumnType<StoredSilence | null, string | null | undefined, string | null>
  created_at: Instant
  updated_at: Instant
  managed: ManagedColumn
  /** Since when it covers what it covers; null: since it was created. */
  covers_since: Instant | null
}

/** What a window covered in [covers_since, covers_until). */
interface MaintenanceWindowPastTable {
  organization: number
  window_id: string
  target_type: TargetType | 'source'
  target_id: string | null
  target_tag: string | null
  starts_at: Instant
  ends_at: Instant
  repeat: string | null
  time_zone: string
  covers_since: Instant
  covers_until: Instant
}

/** Layers and overrides of a schedule; times are ms since the epoch, users are stored ids. */
export interface StoredRota {
  layers: {
    /** Turns: a person, or several who are on duty together. */
    user_ids: (string | string[])[]
    starts_at: number
    /** Absent: it does not end. */
    ends_at?: number
    repeat: string | null
    restrictions: LayerRestriction[]
  }[]
  overrides: StoredOverride[]
  /** By the calendar that the schedule follows; absent: by none. */
  calendar?: StoredOverride[]
}

export interface StoredOverride {
  user_id: string
  starts_at: number
  ends_at: number
}

/** What is known of a calendar that a schedule follows; times are ms since the epoch. */
export interface StoredIcal {
  /** Of the last response that was read as a whole, and when that was. */
  etag: string | null
  full_at: number | null
  read_at: number | null
  /** Of the last attempt; null: it worked. */
  error: string | null
  failing_since: number | null
  faults: string[]
}

interface ScheduleTable extends DeletedColumns {
  organization: number
  id: string
  name: string
  time_zone: string
  rota: StoredRota
  calendar_hash: Buffer | null
  ical_url: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>
  ical_state: ColumnType<StoredIcal | null, string | null | undefined, string | null>
  ical_due_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  handover_mail: Generated<boolean>
  on_duty: Generated<string[]>
  handover_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  created_at: Instant
  updated_at: Instant
  managed: ManagedColumn
}

/** Stored ids. */
export interface StoredStep {
  channel_ids: string[]
  schedule_ids: string[]
  user_ids: string[]
  wait_seconds: number
  restrictions: LayerRestriction[]
}

interface EscalationPolicyTable extends DeletedColumns {
  organization: number
  id: string
  name: string
  time_zone: string
  steps: Json<StoredStep[]>
  repeats: number
  reopen_seconds: number | null
  tags: string[]
  created_at: Instant
  updated_at: Instant
  managed: ManagedColumn
}

/** An action of a link that was taken. */
interface UsedActionLinkTable {
  organization: number
  /** SHA-256 of the token. */
  token_hash: Buffer
  action: string
  expires_at: Instant
}

type DeliveryTable = QueueTable<{
  event_id: string
  event_at: string
  incident_id: string | null
  incident_at: string | null
  group_type?: string | null
  group_id?: string | null
}>

interface NotificationGroupTable {
  organization: number
  channel_id: string
  type: string
  until: Instant
}

export interface AlertTables {
  alert_rule: AlertRuleTable
  channel: ChannelTable
  incident: IncidentTable
  incident_event: IncidentEventTable
  open_incident: OpenIncidentTable
  alert_signal: QueueTable<{ to_status: MonitorStatus | null; reason: string }>
  notified_certificate: NotifiedCertificateTable
  notification_delivery: DeliveryTable
  push_delivery: DeliveryTable
  notification_group: NotificationGroupTable
  maintenance_window: MaintenanceWindowTable
  maintenance_window_past: MaintenanceWindowPastTable
  slo: SloTable
  annotation: AnnotationTable
  schedule: ScheduleTable
  escalation_policy: EscalationPolicyTable
  used_action_link: UsedActionLinkTable
  chat_account: ChatAccountTable
}
