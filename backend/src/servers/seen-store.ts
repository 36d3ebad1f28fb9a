import { sql } from 'kysely'
import type { Db } from '../platform/db/index.ts'

/** A server as whoever judges it needs it. */
export interface SeenServer {
  organization: number
  number: number
  id: string
  name: string
  tags: string[]
  registered_at: Date
  /** The last push as it was kept; the newest pushes may tell of a later one. Null before the first. */
  last_push_ms: number | null
  /** Whether was told that it is offline. */
  is_told_offline: boolean
}

export interface MeasuredServer {
  organization: number
  number: number
  id: string
}

/** The servers of the installation in portions: so many at most that come after one, undefined for the first. */
export async function listMeasuredAfter(db: Db, last: MeasuredServer | undefined, limit: number): Promise<MeasuredServer[]> {
  const { rows } = await sql<MeasuredServer>`
    select organization, number, id from server
    where (organization, id) > (${last?.organization ?? 0}, ${last?.id ?? '00000000-0000-0000-0000-000000000000'}::uuid)
    order by organization, id limit ${limit}`.execute(db)
  return rows
}

/** Servers whose number is higher, which are those that were registered after the one that has it, but for transactions that overlap. */
export async function listMeasuredSince(db: Db, number: number): Promise<MeasuredServer[]> {
  const { rows } = await sql<MeasuredServer>`select organization, number, id from server where number > ${number}`.execute(db)
  return rows
}

/** What is known of these servers; those that are gone are left out. */
export async function readSeen(db: Db, servers: readonly { organization: number; id: string }[]): Promise<SeenServer[]> {
  const { rows } = await sql<SeenServer>`
    select s.organization, s.number, s.id, coalesce(s.display_name, s.hostname) as name, s.tags, s.registered_at, state.last_push_ms,
      o.server_id is not null as is_told_offline
    from unnest(${servers.map(({ organization }) => organization)}::int[], ${servers.map(({ id }) => id)}::uuid[]) as q (organization, id)
    join server as s on s.organization = q.organization and s.id = q.id
    left join server_state as state on state.organization = s.organization and state.server_id = s.id
    left join offline_server as o on o.organization = s.organization and o.server_id = s.id`.execute(db)
  return rows
}

/** The server, which is not deleted before the transaction ends; undefined once it is. */
export async function holdSeen(db: Db, organization: number, id: string): Promise<SeenServer | undefined> {
  const { rows } = await sql<SeenServer>`
    select s.organization, s.number, s.id, coalesce(s.display_name, s.hostname) as name, s.tags, s.registered_at,
      null::bigint as last_push_ms, false as is_told_offline
    from server as s where s.organization = ${organization} and s.id = ${id} for key share`.execute(db)
  return rows[0]
}

/** Notes that it is told of a server that it is offline, or is no more; false where that was told already. */
export async function noteOffline(db: Db, organization: number, id: string, isOffline: boolean): Promise<boolean> {
  const { rows } = isOffline
    ? await sql`insert into offline_server values (${organization}, ${id}) on conflict do nothing returning server_id`.execute(db)
    : await sql`delete from offline_server where organization = ${organization} and server_id = ${id} returning server_id`.execute(
        db,
      )
  return rows.length > 0
}
