import type { ActorType, IdKind, Plan, QuietTime, Role, Scope, SavedView } from '@vedette/shared'
import type { ColumnType, Generated } from 'kysely'
import type { Instant, Json } from './columns.ts'

interface OrganizationTable {
  /** Compact surrogate: the tenant column of every tenant table. */
  number: Generated<number>
  id: string
  name: string
  plan: Plan
  require_second_factor: Generated<boolean>
  api_key_max_days: number | null
  language: Generated<'en' | 'de'>
  created_at: Instant
}

interface MembershipTable {
  organization: number
  user_id: string
  role: Role
  joined_at: Instant
  saved_views: ColumnType<SavedView[], string | undefined, string>
  quiet_time: ColumnType<QuietTime | null, string | undefined, string | null>
}

/** A row for each membership that has it turned on. */
interface WeeklySummaryTable {
  organization: number
  user_id: string
  /** When the next mail is due. */
  next_at: Instant
}

interface InvitationTable {
  organization: number
  id: string
  /** Lower case. */
  email: string
  role: Role
  /** SHA-256 of the token in the link. */
  token_hash: Buffer
  /** Whether only the mail contains the link: who has it owns the e-mail. */
  mailed: boolean
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

interface CredentialTable {
  /** SHA-256 of the whole secret. */
  hash: Buffer
  kind: 'api_key' | 'server_token' | 'enrollment_token'
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
  /** Empty: from anywhere. */
  allowed_cidrs: Generated<string[]>
  ends_with_creator: Generated<boolean>
  created_by: string | null
  created_at: Instant
  last_used_at: Instant | null
  expires_at: Instant | null
  revoked_at: Instant | null
  /** How many days before its end the last mail was. */
  reminded_days: Generated<number | null>
  job_kind: Generated<'node' | null>
  dedup_label: Generated<string | null>
  drop_labels: Generated<string[]>
  /** The value of `dedup_label` whose series count, and when it came last, ms. */
  leading_replica: Generated<string | null>
  leader_seen_at: Generated<number | null>
}

interface EnrollmentTokenTable {
  organization: number
  id: string
  prefix: string
  uses: number
  uses_left: number
  tags: string[]
  created_by: string | null
  created_at: Instant
  expires_at: Instant
  revoked_at: Instant | null
}

interface RetiredTokenTable {
  hash: Buffer
  organization: number
  server_id: string
  /** When its use was last reported. */
  notified_at: Instant | null
}

interface AuditDayTable {
  organization: number
  /** UTC. */
  day: string
  action: string
  events: number
}

interface AuditEventTable {
  organization: number
  at: Instant
  id: string
  actor_kind: ActorType
  actor_id: string | null
  action: string
  target_type: IdKind | null
  target_id: string | null
  /** Null for what was done on the installation itself. */
  ip: string | null
  details: Json<unknown>
}

interface SecurityEventTable {
  id: string
  at: Instant
  type: string
  /** Whose account it concerns. */
  user_id: string | null
  /** Null for what concerns an account or the installation. */
  organization: number | null
  /** Null for a caller who proved nothing. */
  actor_kind: ActorType | null
  actor_id: string | null
  ip: string | null
  user_agent: string | null
  details: Json<unknown>
  exported_at: ColumnType<Date | null, Date | null | undefined, Date | null>
}

interface KnownOriginTable {
  /** A user or an API key. */
  subject_id: string
  kind: 'network' | 'user_agent'
  value: string
  first_used_at: Instant
}

interface EventTable {
  organization: number
  id: string
  at: Instant
  type: string
  subject_id: string | null
  details: Json<unknown>
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

export interface OrganizationTables {
  organization: OrganizationTable
  membership: MembershipTable
  weekly_summary: WeeklySummaryTable
  invitation: InvitationTable
  invitation_token: InvitationTokenTable
  credential: CredentialTable
  api_key: ApiKeyTable
  enrollment_token: EnrollmentTokenTable
  retired_token: RetiredTokenTable
  audit_event: AuditEventTable
  audit_day: AuditDayTable
  security_event: SecurityEventTable
  known_origin: KnownOriginTable
  event: EventTable
  live_event: LiveEventTable
}
