import type { Assertion, ContainerFacts, IdKind, MonitorStatus, Plan, RegionState, Role, Scope } from '@vedette/shared'
import type { ColumnType, Generated } from 'kysely'

type Instant = ColumnType<Date, Date, Date>
type Json<T> = ColumnType<T, string, string>

interface SettingTable {
  name: string
  value: Json<unknown>
  updated_at: Instant
}

interface OrganizationTable {
  /** Compact surrogate: the tenant column of every tenant table. */
  number: Generated<number>
  id: string
  name: string
  plan: Plan
  created_at: Instant
}

interface UserTable {
  id: string
  /** Lower case. */
  email: string
  password_hash: string
  password_changed_at: Instant
  created_at: Instant
}

interface SessionTable {
  id: string
  user_id: string
  created_at: Instant
  expires_at: Instant
  ended_at: Instant | null
  ip: string
  user_agent: ColumnType<string, string | undefined, string>
  /** At most a minute old; null before the second request. */
  last_used_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

interface UserTotpTable {
  user_id: string
  secret: Buffer
  created_at: Instant
  /** Null while the set-up is not confirmed. */
  enabled_at: ColumnType<Date | null, Date | null, Date | null>
  /** The newest time step whose code was accepted. */
  last_step: number
}

interface RecoveryCodeTable {
  user_id: string
  hash: Buffer
}

interface PasswordResetTable {
  user_id: string
  hash: Buffer
  created_at: Instant
  expires_at: Instant
}

interface PasswordResetRequestTable {
  email: string
  requested_at: Instant
  next_try_at: Instant
}

interface MembershipTable {
  organization: number
  user_id: string
  role: Role
  joined_at: Instant
}

interface InvitationTable {
  organization: number
  id: string
  /** Lower case. */
  email: string
  role: Role
  /** SHA-256 of the token in the link. */
  token_hash: Buffer
  /** Null when an API key invited. */
  invited_by: string | null
  invited_at: Instant
  expires_at: Instant
}

interface InvitationTokenTable {
  hash: Buffer
  organization: number
  invitation_id: string
}

interface MailOutboxTable {
  id: string
  organization: number
  /** What the mail tells of; with it the mail goes. */
  about_kind: IdKind
  about_id: string
  /** The mail, sealed. */
  letter: Buffer
  created_at: Instant
  /** In the future while somebody sends it. */
  next_try_at: Instant
  /** Tries that failed. */
  tries: number
}

interface CredentialTable {
  /** SHA-256 of the whole secret. */
  hash: Buffer
  kind: 'api_key' | 'server_token'
  organization: number
  subject_id: string
}

interface ApiKeyTable {
  organization: number
  id: string
  hash: Buffer
  name: string
  prefix: string
  scopes: Scope[]
  created_by: string | null
  created_at: Instant
  last_used_at: Instant | null
  expires_at: Instant | null
  revoked_at: Instant | null
}

interface ServerTable {
  organization: number
  id: string
  /** Compact surrogate in the sample tables. */
  number: Generated<number>
  machine_id: string
  token_hash: Buffer
  token_created_at: Instant
  boot_id: string | null
  /** Boot ids that another took the place of, newest first, bounded. */
  former_boot_ids: string[]
  hostname: string
  display_name: string | null
  os: string
  kernel: string
  arch: string
  agent_version: string
  tags: string[]
  /** `cpu_model`, `cpu_cores`, `memory_bytes`, `boot_time`, `ip_addresses`, `container`, `dropped_samples`, `damaged_records`: what is known of them. */
  facts: Json<ServerFacts>
  registered_at: Instant
}

export interface ServerFacts {
  cpu_model?: string
  cpu_cores?: number
  memory_bytes?: number
  boot_time?: string
  ip_addresses?: string[]
  container?: ContainerFacts
  dropped_samples?: number
  damaged_records?: number
}

interface ServerStateTable {
  organization: number
  server_id: string
  /** When the last accepted push came, ms; at most a minute old: the newest push in `metric_push` may be newer. */
  last_push_ms: number
  /** Instant of the sample that the rest belongs to, ms; 0 when none came. */
  state_at_ms: number
  filesystems: Json<unknown>
  interfaces: Json<unknown>
  processes: Json<unknown>
  host: Json<unknown>
}

interface ProcessListTable {
  organization: number
  server: number
  /** The newest sample of the batch that brought the list, ms. */
  at_ms: number
  day: string
  /** `[[pid, name, cpu_percent, memory_bytes], …]` */
  processes: string
}

interface DeletedMachineTable {
  organization: number
  machine_id: string
  deleted_at: Instant
}

interface EventTable {
  organization: number
  id: string
  at: Instant
  type: string
  subject_id: string | null
  details: Json<unknown>
}

interface AuditEventTable {
  organization: number
  at: Instant
  id: string
  actor_kind: 'user' | 'api_key' | 'server' | 'system'
  actor_id: string | null
  action: string
  target_type: string | null
  target_id: string | null
  /** Null for what was done on the installation itself. */
  ip: string | null
  details: Json<unknown>
}

interface MetricPushTable {
  organization: number
  server: number
  t0: number
  digest: string
  t_last: number
  received_at: number
  received_day: string
  samples: number
  data: Buffer
}

interface MetricHourTable {
  organization: number
  server: number
  /** Hours since the epoch. */
  hour: number
  day: string
  samples: number
  header: Buffer
  data: Buffer
}

interface MetricDayTable {
  organization: number
  server: number
  day: string
  /** Place of the group in `METRIC_GROUPS`; filesystems and interfaces have 100 and 101. */
  metric_group: number
  header: Buffer
  data: Buffer
}

interface MetricDimensionTable {
  organization: number
  server: number
  kind: 'mount' | 'interface'
  slot: number
  name: string
}

interface MetricLateTable {
  /** When the first late sample came, ms. */
  marked_at: number
  hour: number
  organization: number
  server: number
}

interface MetricProgressTable {
  name: 'hour' | 'day'
  /** The last hour or day since the epoch that is put together. */
  done: number
}

interface InstanceTable {
  id: string
  started_at: Instant
  alive_at: Instant
}

interface RateLimitTable {
  /** Digest of group and credential. */
  subject: string
  /** Minutes since the epoch by the database's clock. */
  minute: number
  /** Counted in this minute; may pass the limit, what was asked beyond it was refused. */
  used: number
  /** Of it, what instances have leased beyond what was asked of them: not all of it may be spent. */
  held: number
  given: Generated<number>
}

interface RateLimitInstanceTable {
  id: string
  seen_at_ms: number
}

interface IdempotencyKeyTable {
  credential: string
  key: string
  /** SHA-256 of organization, method, path and body. */
  request: Buffer
  status: number
  /** What was made, as clients know it. */
  made_id: string
  location: string | null
  /** The answer as it was sent, sealed; null where it held a secret. */
  body: string | null
  created_at: Instant
}

interface RegionTable {
  /** Compact surrogate in the tables of checks. */
  number: Generated<number>
  id: string
  name: string
  /** SHA-256 of the probe's token; null for a backend's own region. */
  token_hash: Buffer | null
  created_at: Instant
}

interface CheckWorkerTable {
  region: number
  id: string
  /** When it was last heard of, ms. */
  alive_at: number
}

interface MonitorTable {
  organization: number
  id: string
  /** Compact surrogate in the tables of checks. */
  number: Generated<number>
  name: string
  type: string
  url: string
  method: string
  interval_seconds: number
  timeout_seconds: number
  regions: string[]
  /** Headers and body as JSON, sealed: they may hold secrets. Null when there are none. */
  request_sealed: Buffer | null
  assertions: Json<Assertion[]>
  follow_redirects: boolean
  verify_tls: boolean
  confirmations: number
  tags: string[]
  server_id: string | null
  created_at: Instant
  updated_at: Instant
}

interface MonitorStatusTable {
  organization: number
  monitor: number
  status: MonitorStatus
  since: Instant
  /** What resume goes back to; null while not paused. */
  before_pause: RegionState | null
}

interface CheckScheduleTable {
  organization: number
  monitor: number
  region: number
  /** Milliseconds, like all times here; null while paused. */
  due_at: number | null
  /** Checks are due at `anchor` + n intervals. */
  anchor: number
  interval_seconds: number
  lease_until: number
  fence: number
  last_checked_at: number | null
  last_conclusive_at: number | null
  certificate_expires_at: number | null
  /** In a row, at the end of what was seen. */
  failures: number
  successes: number
  /** Confirmed; null before the first conclusive check. */
  state: RegionState | null
}

interface MonitorTransitionTable {
  organization: number
  monitor: number
  at: Instant
  id: string
  from_status: MonitorStatus
  to_status: MonitorStatus
  reason: string
}

interface CheckResultTable {
  organization: number
  monitor: number
  region: number
  at: number
  day: string
  outcome: number
  status_code: number | null
  response_us: number | null
  dns_us: number | null
  connect_us: number | null
  tls_us: number | null
  first_byte_us: number | null
  transfer_us: number | null
  error_code: string | null
  error_message: string | null
  address: string | null
  /** Some of the times may be the checker's own delay. */
  delayed: Generated<boolean>
}

interface CheckHourTable {
  organization: number
  monitor: number
  region: number
  /** Hours since the epoch. */
  hour: number
  day: string
  checks: number
  failed: number
  answered: number
  response_sum_us: number
  /** Every conclusive check of the hour: see `checks/stats/block.ts`. */
  data: Buffer
}

interface JobLeaseTable {
  name: string
  /** A process; new at each start. */
  holder: string
  until: Instant
}

interface RetiredTokenTable {
  hash: Buffer
  organization: number
  server_id: string
  /** When it was last told that somebody still sends it. */
  told_at: Instant | null
}

interface OfflineServerTable {
  organization: number
  server_id: string
}

interface CheckAnswerTable {
  organization: number
  monitor: number
  region: number
  /** Of the check, ms. */
  at: number
  status_line: string
  /** The beginning of it, without secrets; null where none arrived. */
  body: string | null
}

interface CheckHourStaleTable {
  organization: number
  monitor: number
  hour: number
}

interface CheckDayTable {
  organization: number
  monitor: number
  region: number
  day: string
  checks: number
  failed: number
  answered: number
  response_sum_us: number
  sketch: Buffer
}

interface CheckProgressTable {
  name: 'hour' | 'day'
  /** The last hour or day since the epoch that is put together. */
  done: number
}

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

interface LiveEventTable {
  organization: number
  at: Instant
  id: string
  /** Of the transaction that stored it; as text. */
  transaction_id: string
  /** Every transaction before this one was over when it was stored; as text. */
  settled_before: string
  type: string
  data: Json<object>
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

export interface Database {
  setting: SettingTable
  organization: OrganizationTable
  app_user: UserTable
  session: SessionTable
  user_totp: UserTotpTable
  recovery_code: RecoveryCodeTable
  password_reset: PasswordResetTable
  password_reset_request: PasswordResetRequestTable
  membership: MembershipTable
  invitation: InvitationTable
  invitation_token: InvitationTokenTable
  mail_outbox: MailOutboxTable
  credential: CredentialTable
  api_key: ApiKeyTable
  server: ServerTable
  server_state: ServerStateTable
  process_list: ProcessListTable
  deleted_machine: DeletedMachineTable
  event: EventTable
  audit_event: AuditEventTable
  metric_push: MetricPushTable
  metric_hour: MetricHourTable
  metric_day: MetricDayTable
  metric_late: MetricLateTable
  metric_dimension: MetricDimensionTable
  metric_progress: MetricProgressTable
  instance: InstanceTable
  rate_limit: RateLimitTable
  rate_limit_instance: RateLimitInstanceTable
  idempotency_key: IdempotencyKeyTable
  region: RegionTable
  check_worker: CheckWorkerTable
  monitor: MonitorTable
  monitor_status: MonitorStatusTable
  check_schedule: CheckScheduleTable
  monitor_transition: MonitorTransitionTable
  check_result: CheckResultTable
  check_hour: CheckHourTable
  check_answer: CheckAnswerTable
  check_hour_stale: CheckHourStaleTable
  check_day: CheckDayTable
  check_progress: CheckProgressTable
  alert_rule: AlertRuleTable
  channel: ChannelTable
  incident: IncidentTable
  incident_event: IncidentEventTable
  open_incident: OpenIncidentTable
  alert_signal: AlertSignalTable
  live_event: LiveEventTable
  certificate_told: CertificateToldTable
  telling: TellingTable
  job_lease: JobLeaseTable
  retired_token: RetiredTokenTable
  offline_server: OfflineServerTable
  maintenance_window: MaintenanceWindowTable
}
