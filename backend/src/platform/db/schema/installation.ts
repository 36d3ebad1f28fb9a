import type { IdKind } from '@vedette/shared'
import type { ColumnType, Generated } from 'kysely'
import type { QueueTable } from './queue.ts'
import type { Instant, Json } from './columns.ts'

interface SettingTable {
  name: string
  value: Json<unknown>
  updated_at: Instant
}

interface InstanceTable {
  id: string
  started_at: Instant
  alive_at: Instant
  /** Null while it runs, and where it ended without a word. */
  stopped_at: ColumnType<Date | null, Date | null, Date | null>
  /** Null: it started before that was stored. */
  version: ColumnType<string | null, string | undefined, string>
}

interface JobLeaseTable {
  name: string
  /** A process; new at each start. */
  holder: string
  until: Instant
}

interface WorkShareTable {
  name: string
  /** A process; new at each start. */
  holder: string
  until: Instant
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
  /** The answer as it was sent, encrypted; null where it held a secret. */
  body: string | null
  created_at: Instant
}

interface UnconfirmedMailTable {
  id: string
  organization: number
  address_hash: Buffer
  sent_at: Instant
}

export interface InstallationTables {
  setting: SettingTable
  instance: InstanceTable
  job_lease: JobLeaseTable
  work_share: WorkShareTable
  rate_limit: RateLimitTable
  rate_limit_instance: RateLimitInstanceTable
  idempotency_key: IdempotencyKeyTable
  unconfirmed_mail: UnconfirmedMailTable
  /** `letter` is encrypted, in base64. */
  mail_outbox: QueueTable<{ about_kind: IdKind; letter: string }>
}
