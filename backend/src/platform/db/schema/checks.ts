import type {
  ActiveHours,
  ActorType,
  Assertion,
  CheckFacts,
  CheckMethod,
  ControlTarget,
  Dependency,
  MonitorStatus,
  ReclassifiedAs,
  RegionState,
} from '@vedette/shared'
import type { ColumnType, Generated } from 'kysely'
import type { Instant, Json, ManagedColumn, TargetDescriptionColumns } from './columns.ts'

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
  control_targets: Generated<ControlTarget[]>
}

interface MonitorTable extends TargetDescriptionColumns {
  organization: number
  id: string
  /** Compact surrogate in the tables of checks. */
  number: Generated<number>
  name: string
  type: string
  url: string
  /** Of checks over HTTP, as `follow_redirects` and `verify_tls`; null for other types. */
  method: CheckMethod | null
  interval_seconds: number
  timeout_seconds: number
  regions: string[]
  /** Headers, body and credentials as JSON, encrypted: they may hold secrets. Null when there are none. */
  request_encrypted: Buffer | null
  options: Json<Record<string, unknown>>
  assertions: Json<Assertion[]>
  follow_redirects: boolean | null
  verify_tls: boolean | null
  confirmations: number
  tags: string[]
  server_id: string | null
  /** With stored ids; also of deleted monitors and servers. */
  depends_on: ColumnType<Dependency[], string | undefined, string>
  created_at: Instant
  updated_at: Instant
  /** Of a monitor that can be restored: it has neither schedule nor status. Null otherwise. */
  deleted_at: Instant | null
  /** Rules and windows that were deleted with it; null otherwise. */
  deleted_alerts: Json<unknown> | null
  managed: ManagedColumn
  /** When it is monitored; empty: always. */
  active_hours: ColumnType<ActiveHours[], string | undefined, string>
  /** When its hours begin or end next; null: it is always active. */
  hours_change_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

interface MonitorStatusTable {
  organization: number
  monitor: number
  status: MonitorStatus
  since: Instant
  /** The status to resume to; null while not paused. */
  before_pause: RegionState | null
  /** Since when it alternates; null while it does not. */
  flapping_since: ColumnType<Date | null, Date | null | undefined, Date | null>
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
  /** What the type of check reports in addition to its times; null for none. */
  facts: Json<CheckFacts> | null
  /** Some of the times may be the checker's own delay. */
  delayed: Generated<boolean>
}

/** What more of a response is kept than its excerpt. */
interface CheckResponseTable {
  organization: number
  monitor: number
  region: number
  /** Of the check, ms. */
  at: number
  body_encrypted: Buffer
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

interface CheckHourTable {
  organization: number
  monitor: number
  region: number
  /** Hours since the epoch. */
  hour: number
  day: string
  checks: number
  failed: number
  degraded: Generated<number>
  answered: number
  response_sum_us: number
  /** Every conclusive check of the hour: see `checks/stats/block.ts`. */
  data: Buffer
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
  degraded: Generated<number>
  answered: number
  response_sum_us: number
  /** Not among `checks`. */
  inconclusive: Generated<number>
  /** Of `checks` and `failed`, those in maintenance. */
  maintenance_checks: Generated<number>
  maintenance_failed: Generated<number>
  sketch: Buffer
}

interface CheckWeekTable {
  organization: number
  monitor: number
  /** Of the monitor, for ties. */
  id: string
  /** Hours since the epoch; 0 until the sums are counted. */
  from_hour: Generated<number>
  checks: Generated<number>
  failed: Generated<number>
  answered: Generated<number>
  response_sum_us: Generated<number>
  /** Of the hours `from_hour` and `from_hour` + 1. */
  first_checks: Generated<number>
  first_failed: Generated<number>
  first_answered: Generated<number>
  first_response_sum_us: Generated<number>
}

interface CheckProgressTable {
  name: 'hour' | 'day'
  /** The last compacted hour or day, counted from the epoch. */
  done: number
}

/** An interval of a monitor whose checks count differently. */
interface ReclassificationTable {
  organization: number
  id: string
  monitor: number
  from_at: Instant
  to_at: Instant
  counts_as: ReclassifiedAs
  comment: string
  actor_kind: ActorType
  actor_id: string | null
  created_at: Instant
}

/** Its conclusive checks of a UTC day that is compacted. */
interface ReclassifiedDayTable {
  organization: number
  reclassification: string
  day: string
  region: number
  checks: number
  failed: number
  degraded: number
  maintenance_checks: number
  maintenance_failed: number
}

export interface CheckTables {
  reclassification: ReclassificationTable
  reclassified_day: ReclassifiedDayTable
  region: RegionTable
  check_worker: CheckWorkerTable
  monitor: MonitorTable
  monitor_status: MonitorStatusTable
  check_schedule: CheckScheduleTable
  monitor_transition: MonitorTransitionTable
  check_result: CheckResultTable
  check_answer: CheckAnswerTable
  check_response: CheckResponseTable
  check_hour: CheckHourTable
  check_hour_stale: CheckHourStaleTable
  check_day: CheckDayTable
  check_week: CheckWeekTable
  check_progress: CheckProgressTable
}
