import type { Instant, Json } from './columns.ts'

interface PingTokenTable {
  /** SHA-256 of the token. */
  hash: Buffer
  organization: number
  /** Null: the ping key of the organization. */
  monitor: number | null
}

interface PingKeyTable {
  organization: number
  /** The key, which its owners may see again. */
  encrypted: Buffer
  created_at: Instant
}

/** A run of a job that has not ended. */
export interface StartedRun {
  rid: string | null
  atMs: number
}

interface HeartbeatTable {
  organization: number
  monitor: number
  /** Null while the monitor is deleted. */
  slug: string | null
  token_hash: Buffer
  /** When the monitor is looked at if no ping comes, ms; null while nothing is awaited. */
  deadline_at: number | null
  /** End of the grace of the next ping, ms; null before the first ping, and where the calendar has ended. */
  expected_by: number | null
  last_ping_at: number | null
  last_start_at: number | null
  last_start_rid: string | null
  /** The oldest first. */
  starts: Json<StartedRun[]>
}

interface PingTable {
  organization: number
  monitor: number
  /** Receipt, ms. */
  at: number
  id: string
  day: string
  /** 0 success, 1 fail, 2 start, 3 log. */
  kind: number
  exit_code: number | null
  rid: string | null
  /** From the start of the run to this ping. */
  duration_ms: number | null
  method: string
  address: string
  user_agent: string | null
  /** A bounded beginning without secrets; null for none. */
  body: string | null
}

export interface HeartbeatTables {
  ping_token: PingTokenTable
  ping_key: PingKeyTable
  heartbeat: HeartbeatTable
  ping: PingTable
}
