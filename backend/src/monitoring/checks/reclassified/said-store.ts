import { MAX_LISTED_RECLASSIFICATIONS } from '@vedette/shared'
import { sql } from 'kysely'
import { type Db, type PageRequest, readPage, type TableRow } from '../../../platform/db/index.ts'

/** A reclassification with its monitor and with who made it. */
export type SaidRow = Omit<TableRow<'reclassification'>, 'organization' | 'monitor'> & {
  monitor_id: string
  monitor_name: string
  person: { name: string | null; email: string | null } | null
}

/** The names are those of now. */
const saidOf = (db: Db, organization: number) =>
  db
    .selectFrom('reclassification as r')
    .innerJoin('monitor as m', (on) => on.onRef('m.organization', '=', 'r.organization').onRef('m.number', '=', 'r.monitor'))
    .select(['r.id', 'r.from_at', 'r.to_at', 'r.counts_as', 'r.comment', 'r.actor_kind', 'r.actor_id', 'r.created_at'])
    .select(['m.id as monitor_id', 'm.name as monitor_name'])
    .select(
      sql<SaidRow['person']>`case r.actor_kind
        when 'user' then (select json_build_object('name', name, 'email', email) from app_user where app_user.id = r.actor_id)
        when 'api_key' then (select json_build_object('name', name, 'email', null) from api_key
          where api_key.organization = r.organization and api_key.id = r.actor_id) end`.as('person'),
    )
    .where('r.organization', '=', organization)

/** Those with these ids, the last in time first; at most as many as an answer lists. */
export const listSaid = (db: Db, organization: number, ids: readonly string[]): Promise<SaidRow[]> =>
  saidOf(db, organization)
    .where('r.id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('r.from_at', 'desc')
    .orderBy('r.id', 'desc')
    .limit(MAX_LISTED_RECLASSIFICATIONS)
    .execute()

/** One page of those of a monitor, the last in time first, and the total. */
export const listSaidOf = (
  db: Db,
  organization: number,
  monitor: number,
  page: PageRequest,
): Promise<{ total: number; rows: SaidRow[] }> =>
  readPage(db, saidOf(db, organization).where('r.monitor', '=', monitor), sql`from_at desc, id desc`, page)

/** Undefined across organizations, and of another monitor. */
export const findSaid = (db: Db, organization: number, monitor: number, id: string): Promise<SaidRow | undefined> =>
  saidOf(db, organization).where('r.monitor', '=', monitor).where('r.id', '=', id).executeTakeFirst()
