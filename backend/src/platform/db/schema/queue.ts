import type { ColumnType, Generated } from 'kysely'
import type { Instant } from './columns.ts'

/** A queue, see `platform/queue`. */
export interface QueueTable<Payload extends object> {
  id: string
  organization: number
  lane: string | null
  key: string | null
  payload: ColumnType<Payload, string, never>
  /** The order of insertion. */
  position: Generated<string>
  created_at: Instant
  /** In the future while a process has leased the job. */
  next_attempt_at: Instant
  /** Attempts that failed. */
  attempts: number
}
