import type { IdKind } from '@vedette/shared'
import type { Generated } from 'kysely'
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
}

interface JobLeaseTable {
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
  /** The answer as it was sent, sealed; null where it held a secret. */
  body: string | null
  created_at: Instant
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

export interface InstallationTables {
  setting: SettingTable
  instance: InstanceTable
  job_lease: JobLeaseTable
  rate_limit: RateLimitTable
  rate_limit_instance: RateLimitInstanceTable
  idempotency_key: IdempotencyKeyTable
  mail_outbox: MailOutboxTable
}
