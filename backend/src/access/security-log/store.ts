import { type SqlBool, sql } from 'kysely'
import type { LogFilter } from '../audit/index.ts'
import { type Db, type PageRequest, readPage, type TableRow } from '../../platform/db/index.ts'

type EventRow = TableRow<'security_event'>

export type NewEventRow = Omit<EventRow, 'details' | 'exported_at'> & { details: string }

export async function insertSecurityEvents(db: Db, rows: readonly NewEventRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('security_event').values(rows).execute()
}

export interface RefusalRow {
  /** Of a caller, a status and an hour. */
  id: string
  /** The first of them. */
  at: Date
  organization: number | null
  actorKind: EventRow['actor_kind']
  actorId: string | null
  /** Of the last of them. */
  ip: string | null
  status: number
  count: number
  /** The last of them. */
  operation: string
}

/** Adds to the counts, which other instances add to as well. */
export async function addRefusals(db: Db, rows: readonly RefusalRow[]): Promise<void> {
  await db
    .insertInto('security_event')
    .values(
      rows.map(({ id, at, organization, actorKind, actorId, ip, status, count, operation }) => ({
        id,
        at,
        type: 'request.refused',
        user_id: null,
        organization,
        actor_kind: actorKind,
        actor_id: actorId,
        ip,
        user_agent: null,
        details: JSON.stringify({ status, count, last: operation }),
      })),
    )
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        // A count that grows late is exported once more.
        exported_at: null,
        ip: sql`excluded.ip`,
        details: sql`excluded.details || jsonb_build_object('count',
          (security_event.details->>'count')::int + (excluded.details->>'count')::int)`,
      }),
    )
    .execute()
}

export interface SecurityFilter extends LogFilter {
  type: string | undefined
}

export type SecurityEventRow = EventRow & { actor_name: string | null; actor_email: string | null }

/** What concerns the organization, and the accounts of its present members since they joined it. */
const seenBy = (db: Db, organization: number) =>
  db
    .selectFrom('security_event')
    .selectAll('security_event')
    .where('security_event.organization', '=', organization)
    .unionAll(
      db
        .selectFrom('membership')
        .innerJoin('security_event', (on) =>
          on.onRef('security_event.user_id', '=', 'membership.user_id').onRef('security_event.at', '>=', 'membership.joined_at'),
        )
        .selectAll('security_event')
        .where('membership.organization', '=', organization)
        .where('security_event.organization', 'is', null),
    )

/** One page, newest first, and the total: of an organization, or without one of the installation. */
export function listSecurityEvents(
  db: Db,
  organization: number | undefined,
  { from, to, actor, type }: SecurityFilter,
  page: PageRequest,
): Promise<{ total: number; rows: SecurityEventRow[] }> {
  const events = organization === undefined ? db.selectFrom('security_event').selectAll() : seenBy(db, organization)
  const conditions = [
    from && sql<SqlBool>`entry.at >= ${from}`,
    to && sql<SqlBool>`entry.at < ${to}`,
    actor && sql<SqlBool>`entry.actor_kind = ${actor.kind} and entry.actor_id is not distinct from ${actor.id}::uuid`,
    type === undefined ? undefined : sql<SqlBool>`entry.type = ${type}`,
  ].filter((condition) => condition !== undefined)
  const query = db
    .selectFrom(events.as('entry'))
    .leftJoin('app_user as person', (on) => on.onRef('person.id', '=', 'entry.actor_id').on('entry.actor_kind', '=', 'user'))
    .leftJoin('api_key as key', (on) =>
      on
        .onRef('key.organization', '=', 'entry.organization')
        .onRef('key.id', '=', 'entry.actor_id')
        .on('entry.actor_kind', '=', 'api_key'),
    )
    .selectAll('entry')
    .select((eb) => ['person.email as actor_email', eb.fn.coalesce('key.name', 'person.name').as('actor_name')])
    .where((is) => is.and(conditions))
  return readPage(db, query, sql`at desc, id desc`, page)
}

export async function deleteSecurityEventsBefore(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('security_event').where('at', '<', before).execute()
}
