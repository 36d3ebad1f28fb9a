import type { PastEntityEvent } from '@vedette/shared'
import { sql } from 'kysely'
import { binaryArray, type Db, type TableRow } from '../../../platform/db/index.ts'

export interface EventRow {
  entity: number
  at: number
  type: PastEntityEvent['type']
  details: TableRow<'entity_event'>['details']
}

/** Stores them, each once. */
export async function insertEvents(
  db: Db,
  { organization, server }: { organization: number; server: number },
  events: readonly EventRow[],
): Promise<void> {
  if (events.length === 0) return
  await sql`
    insert into entity_event (organization, server, entity, at, type, details)
    select ${organization}::int4, ${server}::int4, entity, at, type, details::jsonb from unnest(
      ${binaryArray.int4(events.map(({ entity }) => entity))}::int4[], ${binaryArray.int8(events.map(({ at }) => at))}::int8[],
      ${events.map(({ type }) => type)}::text[], ${events.map(({ details }) => JSON.stringify(details))}::text[]
    ) as given (entity, at, type, details)
    on conflict do nothing`.execute(db)
}

/** The newest of these entities of a server. */
export function readEvents(
  db: Db,
  { organization, server, entities }: { organization: number; server: number; entities: readonly number[] },
  limit: number,
): Promise<EventRow[]> {
  return db
    .selectFrom('entity_event')
    .select(['entity', 'at', 'type', 'details'])
    .where('organization', '=', organization)
    .where('server', '=', server)
    .where('entity', 'in', [...entities])
    .orderBy('at', 'desc')
    .limit(limit)
    .$narrowType<{ type: PastEntityEvent['type'] }>()
    .execute()
}
