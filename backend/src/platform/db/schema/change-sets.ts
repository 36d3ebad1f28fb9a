import type { ActorType, ChangeSummary } from '@vedette/shared'
import type { ColumnType } from 'kysely'
import type { Instant, Json } from './columns.ts'

interface ChangeSetTable {
  organization: number
  id: string
  /** Null: made by hand. */
  owner: string | null
  /** Digest of the configuration from which it starts; null: made by hand. */
  base: string | null
  created_at: Instant
  actor_kind: ActorType
  actor_id: string | null
  /** Of a proposal; null once it is applied. */
  expires_at: Instant | null
  applied_at: Instant | null
  applied_actor_kind: ActorType | null
  applied_actor_id: string | null
  /** The change set that it took back. */
  undoes: string | null
  /** The one that took it back. */
  undone_by: ColumnType<string | null, never, string | null>
  summary: Json<ChangeSummary>
  /** The first steps in words, as a viewer may read them. */
  says: string[]
  /** Stored ids of what it changes. */
  resources: string[]
  /** Before and after of each step, compressed and encrypted: they hold secrets. */
  content_encrypted: Buffer
}

export interface ChangeSetTables {
  change_set: ChangeSetTable
}
