import type { EntityKindName } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { idOfKind, kindOfId } from '../storage/fields.ts'

export interface SeenEntity {
  server: number
  number: number
  kind: EntityKindName
  name: string
  attributes: Record<string, string>
  /** ms. */
  first_seen: number
}

/** When an entity was last seen is written once its hour is compacted: a backlog of a day is waited for. */
const NOTED_WITHIN_MS = 86_400_000

/** The entities of these kinds on these servers that may have readings since an instant, by server and name. */
export async function listSeen(
  db: Db,
  organization: number,
  servers: readonly number[],
  kinds: readonly EntityKindName[],
  sinceMs: number,
): Promise<SeenEntity[]> {
  if (servers.length === 0 || kinds.length === 0) return []
  const { rows } = await sql<Omit<SeenEntity, 'kind'> & { kind: number }>`
    select server, number, kind, name, attributes, first_seen from entity
    where organization = ${organization} and server = any(${servers}::int4[]) and kind = any(${kinds.map(idOfKind)}::int2[])
      and last_seen >= ${sinceMs - NOTED_WITHIN_MS}::int8
    order by server, kind, name`.execute(db)
  return rows.flatMap(({ kind, ...row }) => {
    const known = kindOfId(kind)
    return known ? [{ ...row, kind: known }] : []
  })
}
