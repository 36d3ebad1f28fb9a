import { HEALTH_STATUSES } from '@vedette/shared'
import { sql } from 'kysely'
import { IS_REFUSED } from '../../access/auth/index.ts'
import type { Finding } from '../../hosts/servers/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Language } from '../../platform/language/index.ts'

/** Turns the summary of a membership on; one that is on keeps its next mail. */
export async function turnOn(db: Db, organization: number, userId: string, nextAt: Date): Promise<void> {
  // Locked, so that the membership does not end before the row refers to it.
  await sql`
    insert into weekly_summary (organization, user_id, next_at)
    select organization, user_id, ${nextAt}::timestamptz from membership
    where organization = ${organization} and user_id = ${userId} for key share
    on conflict do nothing`.execute(db)
}

/** False where it was off. */
export async function turnOff(db: Db, organization: number, userId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('weekly_summary')
    .where('organization', '=', organization)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export interface DueOrganization {
  number: number
  name: string
  language: Language
}

/** Organizations with summaries that are due, in the order of their numbers, after `after`. */
export function listDue(db: Db, at: Date, after: number, limit: number): Promise<DueOrganization[]> {
  return db
    .selectFrom('organization')
    .select(['number', 'name', 'language'])
    .where('number', '>', after)
    .where('number', 'in', (eb) => eb.selectFrom('weekly_summary').select('organization').where('next_at', '<=', at))
    .orderBy('number')
    .limit(limit)
    .execute()
}

/**
 * Takes what is due in an organization and returns who gets a mail: members with a verified e-mail whom the organization does not
 * refuse. A second transaction that takes the same waits for the first and gets nothing.
 */
export async function takeDue(
  db: Db,
  organization: number,
  at: Date,
  nextAt: Date,
): Promise<{ userId: string; email: string }[]> {
  const { rows } = await sql<{ userId: string; email: string }>`
    with taken as (
      update weekly_summary set next_at = ${nextAt} where organization = ${organization} and next_at <= ${at} returning user_id
    )
    select app_user.id as "userId", app_user.email from taken
    join app_user on app_user.id = taken.user_id
    join membership on membership.organization = ${organization} and membership.user_id = taken.user_id
    join organization on organization.number = membership.organization
    where app_user.email_verified_at is not null and not ${sql.raw(IS_REFUSED)}
    order by app_user.id`.execute(db)
  return rows
}

export interface NamedRow {
  id: string
  number: number
  name: string
}

export function listMonitors(db: Db, organization: number): Promise<NamedRow[]> {
  return db
    .selectFrom('monitor')
    .select(['id', 'number', 'name'])
    .where('organization', '=', organization)
    .where('deleted_at', 'is', null)
    .execute()
}

export function listServers(db: Db, organization: number): Promise<NamedRow[]> {
  return db
    .selectFrom('server')
    .select((eb) => ['id', 'number', eb.fn.coalesce('display_name', 'hostname').as('name')])
    .where('organization', '=', organization)
    .execute()
}

export interface IncidentRow {
  id: string
  summary: string
  isOpen: boolean
  lastedMs: number
}

export interface WeekIncidents {
  total: number
  lastedMs: number
  longest: IncidentRow[]
}

/** The incidents that opened in a week: how many, how long they lasted until now in sum, and the longest. */
export async function readIncidents(
  db: Db,
  organization: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  now: Date,
  limit: number,
): Promise<WeekIncidents> {
  const { rows } = await sql<IncidentRow & { total: number; sumMs: number }>`
    select id, summary, "isOpen", lasted::float8 as "lastedMs", count(*) over ()::int as total, sum(lasted) over ()::float8 as "sumMs"
    from (
      select id, summary, resolved_at is null as "isOpen",
        extract(epoch from greatest(coalesce(resolved_at, ${now}::timestamptz) - at, interval '0')) * 1000 as lasted
      from incident
      where organization = ${organization} and at >= ${new Date(fromMs)} and at < ${new Date(toMs)}
    ) as opened
    order by lasted desc, id limit ${limit}`.execute(db)
  return {
    total: rows[0]?.total ?? 0,
    lastedMs: rows[0]?.sumMs ?? 0,
    longest: rows.map(({ id, summary, isOpen, lastedMs }) => ({ id, summary, isOpen, lastedMs })),
  }
}

export interface WeekFindings {
  /** Servers of which something is found. */
  total: number
  servers: { id: string; name: string; findings: number; worst: Finding }[]
}

/** Servers of which something critical or a warning is found now, worst first, then the longest so. */
export async function readFindings(db: Db, organization: number, limit: number): Promise<WeekFindings> {
  const { rows } = await sql<WeekFindings['servers'][number] & { total: number }>`
    select server.id, coalesce(display_name, hostname) as name, findings -> 0 as worst, count(*) over ()::int as total,
      (select count(*)::int from jsonb_array_elements(findings) as finding where finding ->> 'severity' <> 'info') as findings
    from server_health join server on server.organization = server_health.organization and server.id = server_health.server_id
    where server_health.organization = ${organization} and level >= ${HEALTH_STATUSES.indexOf('warning')}::int2
    order by level desc, (findings -> 0 ->> 'sinceMs')::float8, server.id limit ${limit}`.execute(db)
  const servers = rows.map(({ id, name, findings, worst }) => ({ id, name, findings, worst }))
  return { total: rows[0]?.total ?? 0, servers }
}
