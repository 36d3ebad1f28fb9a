import { sql } from 'kysely'
import type { Db, Progress } from '../../platform/db/index.ts'
import { HOUR_MS } from '../../hosts/metrics/index.ts'
import type { TableHead } from './format.ts'

export async function hasOrganization(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('organization').select('number').where('id', '=', id).executeTakeFirst()) !== undefined
}

export async function hasAnyOrganization(db: Db): Promise<boolean> {
  return (await db.selectFrom('organization').select('number').limit(1).executeTakeFirst()) !== undefined
}

/** Which of these users exist here, and which addresses belong to another account. */
export async function findPeople(
  db: Db,
  people: readonly { id: string; email: string }[],
): Promise<{ existing: string[]; conflicts: string[] }> {
  const { rows } = await sql<{ id: string; email: string; isSame: boolean }>`
    select given.id, given.email, app_user.id = given.id as "isSame"
    from unnest(${people.map(({ id }) => id)}::uuid[], ${people.map(({ email }) => email)}::text[]) as given (id, email)
    join app_user on app_user.id = given.id or app_user.email = lower(given.email)`.execute(db)
  return {
    existing: [...new Set(rows.filter(({ isSame }) => isSame).map(({ id }) => id))],
    conflicts: rows.filter(({ isSame }) => !isSame).map(({ email }) => email),
  }
}

/** Reserves numbers for the rows of the file and returns the offset to add to them. */
export async function reserveNumbers(db: Db, { name, identity }: TableHead): Promise<number> {
  if (!identity) return 0
  const sequence = sql`pg_get_serial_sequence(${name}, ${identity.column})::regclass`
  const { rows } = await sql<{ last: number }>`select coalesce(pg_sequence_last_value(${sequence}), 0) as last`.execute(db)
  const base = rows[0]?.last ?? 0
  if (identity.last !== null) await sql`select setval(${sequence}, ${base + identity.last}::bigint)`.execute(db)
  return base
}

/** The number of the region with this id; creates a missing region. */
export async function findOrCreateRegion(db: Db, region: { id: string; name: string }, at: Date): Promise<number> {
  const existing = await db.selectFrom('region').select('number').where('id', '=', region.id).executeTakeFirst()
  if (existing) return existing.number
  const row = { ...region, token_hash: null, created_at: at }
  return (await db.insertInto('region').values(row).returning('number').executeTakeFirstOrThrow()).number
}

const dateOf = (day: number) => sql`(date '1970-01-01' + ${day}::int)`

/**
 * Marks hours that are compacted here and were not at the export: hours that only pushes contain, and one hour of each day without
 * daily means.
 */
export async function markOpenSamples(
  db: Db,
  organization: number,
  there: Progress,
  here: Progress,
  nowMs: number,
): Promise<void> {
  await sql`
    insert into metric_late (marked_at, hour, organization, server)
    select min(received_at), (t0 / ${sql.lit(HOUR_MS)})::int, organization, server from metric_push
    where organization = ${organization} and t0 / ${sql.lit(HOUR_MS)} > ${there.hour} and t0 / ${sql.lit(HOUR_MS)} <= ${here.hour}
    group by 2, 3, 4
    on conflict (hour, organization, server) do update set marked_at = least(metric_late.marked_at, excluded.marked_at)`.execute(
    db,
  )
  await sql`
    insert into metric_late (marked_at, hour, organization, server)
    select distinct on (server, day) ${nowMs}::bigint, hour, organization, server from metric_hour
    where organization = ${organization} and day > ${dateOf(there.day)} and hour <= ${here.hour}
    on conflict do nothing`.execute(db)
}

/** As `markOpenSamples`, for checks. */
export async function markOpenChecks(db: Db, organization: number, there: Progress, here: Progress): Promise<void> {
  await sql`
    insert into check_hour_stale (hour, organization, monitor)
    select distinct (at / ${sql.lit(HOUR_MS)})::int, organization, monitor from check_result
    where organization = ${organization} and at / ${sql.lit(HOUR_MS)} > ${there.hour} and at / ${sql.lit(HOUR_MS)} <= ${here.hour}
    on conflict do nothing`.execute(db)
  await sql`
    insert into check_hour_stale (hour, organization, monitor)
    select distinct on (monitor, day) hour, organization, monitor from check_hour
    where organization = ${organization} and day > ${dateOf(there.day)} and hour <= ${here.hour}
    on conflict do nothing`.execute(db)
}

/** Removes users with all that is theirs, unless they are members of an organization. */
export async function deletePeople(db: Db, ids: readonly string[]): Promise<void> {
  await sql`delete from app_user where id = any(${ids}::uuid[]) and not exists (select from membership where user_id = app_user.id)`.execute(
    db,
  )
}

/** Removes all rows of an organization. */
export async function deleteOrganization(db: Db, organization: number, tables: readonly TableHead[]): Promise<void> {
  for (const { name, columns } of tables.toReversed()) {
    if (columns.includes('organization'))
      await sql`delete from ${sql.table(name)} where organization = ${organization}`.execute(db)
  }
  await db.deleteFrom('organization').where('number', '=', organization).execute()
}
