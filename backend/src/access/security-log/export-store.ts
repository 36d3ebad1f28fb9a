import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { SecurityEventRow } from './store.ts'

/** An event with the organization that it belongs to. */
export type ExportedRow = SecurityEventRow & { organization_id: string | null }

export interface ExportFilter {
  from?: Date | undefined
  to?: Date | undefined
  type?: string | undefined
}

const NOWHERE = '00000000-0000-0000-0000-000000000000'

const everything = (db: Db) =>
  db
    .selectFrom('security_event as entry')
    .leftJoin('organization', 'organization.number', 'entry.organization')
    .leftJoin('app_user as person', (on) => on.onRef('person.id', '=', 'entry.actor_id').on('entry.actor_kind', '=', 'user'))
    .leftJoin('api_key as key', (on) =>
      on
        .onRef('key.organization', '=', 'entry.organization')
        .onRef('key.id', '=', 'entry.actor_id')
        .on('entry.actor_kind', '=', 'api_key'),
    )
    .selectAll('entry')
    .select((eb) => [
      'organization.id as organization_id',
      'person.email as actor_email',
      eb.fn.coalesce('key.name', 'person.name').as('actor_name'),
    ])
    .orderBy('entry.at')
    .orderBy('entry.id')

/** Events of the whole installation behind `last`, oldest first. */
export function readSecurityEventsAfter(
  db: Db,
  { from, to, type }: ExportFilter,
  last: { at: Date; id: string } | undefined,
  limit: number,
): Promise<ExportedRow[]> {
  return everything(db)
    .$if(from !== undefined, (query) => query.where('entry.at', '>=', from as Date))
    .$if(to !== undefined, (query) => query.where('entry.at', '<', to as Date))
    .$if(type !== undefined, (query) => query.where('entry.type', '=', type as string))
    .$if(last !== undefined, (query) =>
      query.where(sql<SqlBool>`(entry.at, entry.id) > (${last?.at}::timestamptz, ${last?.id ?? NOWHERE}::uuid)`),
    )
    .limit(limit)
    .execute()
}

/**
 * Events that the sink has not received, oldest first. Each has its own mark: a transaction that commits late is not passed over.
 * Refusals are left out while their hour may go on.
 */
export function readUnexported(db: Db, hourStart: Date, limit: number): Promise<ExportedRow[]> {
  return everything(db)
    .where('entry.exported_at', 'is', null)
    .where((is) => is.or([is('entry.type', '<>', 'request.refused'), is('entry.at', '<', hourStart)]))
    .limit(limit)
    .execute()
}

export async function markExported(db: Db, ids: readonly string[], at: Date): Promise<void> {
  await db.updateTable('security_event').set({ exported_at: at }).where(sql<SqlBool>`id = any(${ids}::uuid[])`).execute()
}
