import type { ActorType, IdKind } from '@vedette/shared'
import type { Db, TableRow } from '../platform/db/index.ts'

export interface NewAuditEvent {
  id: string
  actorKind: ActorType
  actorId: string | null
  action: string
  targetKind: IdKind | null
  targetId: string | null
  ip: string | null
  details: object
}

export async function insertAuditEvents(db: Db, organization: number, events: readonly NewAuditEvent[], at: Date): Promise<void> {
  const rows = events.map((event) => ({
    organization,
    at,
    id: event.id,
    actor_kind: event.actorKind,
    actor_id: event.actorId,
    action: event.action,
    target_type: event.targetKind,
    target_id: event.targetId,
    ip: event.ip,
    details: JSON.stringify(event.details),
  }))
  await db.insertInto('audit_event').values(rows).execute()
}

/** How many of these actions were recorded after `since`, by this actor or by all, and the time of the oldest. */
export async function countActions(
  db: Db,
  organization: number,
  { actions, actorId, since }: { actions: readonly string[]; actorId?: string; since: Date },
): Promise<{ count: number; oldest: Date | null }> {
  const row = await db
    .selectFrom('audit_event')
    .select((eb) => [eb.fn.countAll<string>().as('count'), eb.fn.min('at').as('oldest')])
    .where('organization', '=', organization)
    .where('at', '>', since)
    .where('action', 'in', actions)
    .$if(actorId !== undefined, (query) => query.where('actor_id', '=', actorId as string))
    .executeTakeFirstOrThrow()
  return { count: Number(row.count), oldest: row.oldest }
}

export interface LogFilter {
  /** Instants [from, to). */
  from: Date | undefined
  to: Date | undefined
  actor: { kind: ActorType; id: string | null } | undefined
}

export interface AuditFilter extends LogFilter {
  action: string | undefined
}

export type AuditRow = Omit<TableRow<'audit_event'>, 'organization'> & { actor_name: string | null; actor_email: string | null }

function filtered(db: Db, organization: number, { from, to, actor, action }: AuditFilter) {
  return db
    .selectFrom('audit_event')
    .where('audit_event.organization', '=', organization)
    .$if(from !== undefined, (query) => query.where('audit_event.at', '>=', from as Date))
    .$if(to !== undefined, (query) => query.where('audit_event.at', '<', to as Date))
    .$if(actor !== undefined, (query) =>
      query
        .where('audit_event.actor_kind', '=', actor?.kind as ActorType)
        .where('audit_event.actor_id', 'is not distinct from', actor?.id as string | null),
    )
    .$if(action !== undefined, (query) => query.where('audit_event.action', '=', action as string))
}

/** One page, newest first, and the total of one instant. */
export async function listAuditEvents(
  db: Db,
  organization: number,
  filter: AuditFilter,
  page: { limit: number; offset: number },
): Promise<{ total: number; rows: AuditRow[] }> {
  const matching = filtered(db, organization, filter)
  const rows = await db
    .selectFrom(matching.select((eb) => eb.fn.countAll<string>().as('total')).as('counted'))
    .leftJoinLateral(
      matching
        .selectAll('audit_event')
        .orderBy('audit_event.at', 'desc')
        .orderBy('audit_event.id', 'desc')
        .limit(page.limit)
        .offset(page.offset)
        .as('item'),
      (on) => on.onTrue(),
    )
    .leftJoin('app_user as person', (on) => on.onRef('person.id', '=', 'item.actor_id').on('item.actor_kind', '=', 'user'))
    .leftJoin('api_key as key', (on) =>
      on.on('key.organization', '=', organization).onRef('key.id', '=', 'item.actor_id').on('item.actor_kind', '=', 'api_key'),
    )
    .select(['counted.total', 'person.email as actor_email', 'key.name as actor_name'])
    .select(['item.id', 'item.at', 'item.actor_kind', 'item.actor_id', 'item.action'])
    .select(['item.target_type', 'item.target_id', 'item.ip', 'item.details'])
    .orderBy('item.at', 'desc')
    .orderBy('item.id', 'desc')
    .execute()
  return { total: Number(rows[0]?.total ?? 0), rows: rows.filter((row) => row.id !== null) as unknown as AuditRow[] }
}

/** Removes the log of an organization that is deleted. */
export async function deleteAuditEvents(db: Db, organization: number): Promise<void> {
  await db.deleteFrom('audit_event').where('organization', '=', organization).execute()
}
