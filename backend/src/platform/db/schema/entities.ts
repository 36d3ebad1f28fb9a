import type { EntityEvent } from '@vedette/shared'
import type { Generated } from 'kysely'
import type { Json } from './columns.ts'

interface EntityTable {
  organization: number
  server: number
  /** On its server, from 1. */
  number: number
  id: string
  /** Number of the kind. */
  kind: number
  name: string
  attributes: Json<Record<string, string>>
  /** Instant of the attributes, ms. */
  attributes_at: number
  first_seen: number
  last_seen: number
}

interface EntityPushTable {
  at: number
  received_at: number
  organization: number
  server: number
  data: Buffer
  /** Stored as chunks: an export has not sent it yet. */
  is_compacted: Generated<boolean>
}

interface EntityChunkTable {
  t_first: number
  t_last: number
  stored_at: number
  organization: number
  server: number
  entity: number
  day: string
  is_merged: boolean
  data: Buffer
}

interface EntityEventTable {
  organization: number
  server: number
  entity: number
  at: number
  type: string
  details: Json<Pick<EntityEvent, 'exit_code' | 'oom' | 'lines'>>
}

export interface EntityTables {
  entity: EntityTable
  entity_push: EntityPushTable
  entity_chunk: EntityChunkTable
  entity_event: EntityEventTable
}
