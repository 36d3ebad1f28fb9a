import { type ActorType, DAY_MS, type IdKind } from '@vedette/shared'
import { type RawBuilder, sql } from 'kysely'
import type { Db, TableRow } from '../../platform/db/index.ts'

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
  /** A text, and the stored id where it is an id. */
  search?: { text: string; id: string | null } | undefined
}

export type AuditRow = Omit<TableRow<'audit_event'>, 'organization'> & { actor_name: string | null; actor_email: string | null }

/** Whether an event has the text: in what it says, or in the name of who did it. */
function hasText(organization: number, { text, id }: NonNullable<AuditFilter['search']>) {
  const has = (value: RawBuilder<unknown>) => sql`strpos(lower(${value}), lower(${text}::text)) > 0`
  return sql<boolean>`(${has(sql`audit_event.action`)}
    or audit_event.target_id = ${id}::uuid or audit_event.actor_id = ${id}::uuid
    or exists (select from jsonb_path_query(audit_event.details::jsonb, 'strict $.**') as part
      where jsonb_typeof(part) = 'string' and ${has(sql`part #>> '{}'`)})
    or (audit_event.actor_kind = 'user' and exists (select from app_user as person
      where person.id = audit_event.actor_id and (${has(sql`person.email`)} or ${has(sql`person.name`)})))
    or (audit_event.actor_kind = 'api_key' and exists (select from api_key as key
      where key.organization = ${organization} and key.id = audit_event.actor_id and ${has(sql`key.name`)})))`
}

function filtered(db: Db, organization: number, { from, to, actor, action, search }: AuditFilter) {
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
    .$if(search !== undefined, (query) => query.where(hasText(organization, search as NonNullable<AuditFilter['search']>)))
}

/** The total of a filter without an actor, as a statement: whole days that are counted come from `audit_day`. */
function countByDays(organization: number, { from, to, action }: AuditFilter) {
  const isAction = action === undefined ? sql`true` : sql`action = ${action}`
  const start = (day: RawBuilder<unknown>) => sql`(${day})::timestamp at time zone 'UTC'`
  const day = (at: Date, round: (days: number) => number) => new Date(round(at.getTime() / DAY_MS) * DAY_MS)
  // The days before the oldest event were dropped with their partition.
  const oldest = start(sql`(select min(at) from audit_event where organization = ${organization}) at time zone 'UTC'`)
  const first = sql`greatest(date_trunc('day', ${oldest}, 'UTC'), ${from ? day(from, Math.ceil) : '-infinity'}::timestamptz)`
  const last = sql`least(coalesce(${start(sql`(select max(day) from audit_day) + 1`)}, '-infinity'),
    ${to ? day(to, Math.floor) : 'infinity'}::timestamptz)`
  const count = sql`select count(*) from audit_event where organization = ${organization} and ${isAction}`
  return sql<number>`(
    with days as materialized (select ${first} as first, ${last} as last),
    span as materialized (
      select case when first < last then first else ${from ?? '-infinity'}::timestamptz end as first,
        case when first < last then last else ${from ?? '-infinity'}::timestamptz end as last from days
    )
    select (${count} and at >= ${from ?? '-infinity'}::timestamptz and at < (select first from span))
      + (${count} and at >= (select last from span) and at < ${to ?? 'infinity'}::timestamptz)
      + coalesce((
        select sum(events)::bigint from audit_day where organization = ${organization} and ${isAction}
          and day >= (select (first at time zone 'UTC')::date from span) and day < (select (last at time zone 'UTC')::date from span)
      ), 0)
  )`
}

/** Counts the events of the days that ended before this instant, unless they are counted. Several instances may run it at once. */
export async function countDays(db: Db, before: Date): Promise<void> {
  const end = before.toISOString().slice(0, 10)
  const last = await sql<{ day: string | null }>`select max(day)::text as day from audit_day`.execute(db)
  const day = last.rows[0]?.day ?? '-infinity'
  if (Date.parse(day) + DAY_MS >= Date.parse(end)) return
  await sql`
    insert into audit_day (organization, day, action, events)
    select organization, (at at time zone 'UTC')::date, action, count(*) from audit_event
    where at >= (${day}::date + 1)::timestamp at time zone 'UTC' and at < ${end}::timestamp at time zone 'UTC'
    group by 1, 2, 3
    on conflict do nothing`.execute(db)
}

/** Deletes the counts of days whose events were dropped. */
export async function deleteOldDays(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('audit_day').where('day', '<', before.toISOString().slice(0, 10)).execute()
}

/** One page, newest first, and the total of one instant. */
export async function listAuditEvents(
  db: Db,
  organization: number,
  filter: AuditFilter,
  page: { limit: number; offset: number },
): Promise<{ total: number; rows: AuditRow[] }> {
  const matching = filtered(db, organization, filter)
  const isOfDays = filter.actor === undefined && filter.search === undefined
  const total = isOfDays ? countByDays(organization, filter) : sql`(${matching.select((eb) => eb.fn.countAll().as('total'))})`
  const rows = await db
    .selectFrom(sql<{ total: number }>`(select ${total} as total)`.as('counted'))
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
    .select(['counted.total', 'person.email as actor_email'])
    .select((eb) => eb.fn.coalesce('key.name', 'person.name').as('actor_name'))
    .select(['item.id', 'item.at', 'item.actor_kind', 'item.actor_id', 'item.action'])
    .select(['item.target_type', 'item.target_id', 'item.ip', 'item.details'])
    .orderBy('item.at', 'desc')
    .orderBy('item.id', 'desc')
    .execute()
  return { total: rows[0]?.total ?? 0, rows: rows.filter((row) => row.id !== null) as unknown as AuditRow[] }
}

/** Removes the log of an organization that is deleted. */
export async function deleteAuditEvents(db: Db, organization: number): Promise<void> {
  for (const table of ['audit_event', 'audit_day'] as const)
    await db.deleteFrom(table).where('organization', '=', organization).execute()
}

/** Where the names of targets are; those of a user only while they are a member. */
const NAMES: Partial<Record<IdKind, RawBuilder<unknown>>> = {
  monitor: sql`select id, name from monitor where deleted_at is null`,
  server: sql`select id, coalesce(display_name, hostname) as name from server where true`,
  alertRule: sql`select id, name from alert_rule where deleted_at is null`,
  alertSource: sql`select id, name from alert_source where deleted_at is null`,
  certificate: sql`select id, name from certificate where true`,
  channel: sql`select id, name from channel where user_id is null and deleted_at is null`,
  incident: sql`select id, summary as name from incident where true`,
  maintenanceWindow: sql`select id, name from maintenance_window where deleted_at is null`,
  slo: sql`select id, name from slo where deleted_at is null`,
  schedule: sql`select id, name from schedule where deleted_at is null`,
  escalationPolicy: sql`select id, name from escalation_policy where deleted_at is null`,
  statusPage: sql`select id, name from status_page where deleted_at is null`,
  post: sql`select id, title as name from status_post where exists (
    select from status_page as page
    where page.organization = status_post.organization and page.id = status_post.page_id and page.deleted_at is null)`,
  apiKey: sql`select id, name from api_key where true`,
  user: sql`select app_user.id, coalesce(app_user.name, app_user.email) as name from app_user
    join membership on membership.user_id = app_user.id where true`,
}

/** The present names of targets by their stored ids, with one statement; those that no longer exist are absent. */
export async function findTargetNames(
  db: Db,
  organization: number,
  rows: readonly Pick<AuditRow, 'target_type' | 'target_id'>[],
): Promise<Map<string, string>> {
  const ids = Map.groupBy(
    rows.filter(({ target_id: id }) => id !== null),
    ({ target_type: kind }) => kind,
  )
  const parts = [...ids].flatMap(([kind, own]) => {
    const select = kind === null ? undefined : NAMES[kind]
    const column = kind === 'user' ? sql`app_user.id` : sql`id`
    const wanted = [...new Set(own.map(({ target_id: id }) => id))]
    return select ? [sql`(${select} and organization = ${organization} and ${column} = any(${wanted}::uuid[]))`] : []
  })
  if (parts.length === 0) return new Map()
  const { rows: named } = await sql<{ id: string; name: string }>`${sql.join(parts, sql` union all `)}`.execute(db)
  return new Map(named.map(({ id, name }) => [id, name]))
}
