import { sql } from 'kysely'
import type { Finding, HealthMemory } from './health-wire.ts'
import type { Filesystem, HostState } from '@vedette/shared'
import { ALL_SLICES, type Db, type ServerFacts, SLICES, type Slices } from '../../platform/db/index.ts'

/** What the evaluation of alert rules reads of a server. */
export interface ServerPresence {
  organization: number
  number: number
  id: string
  name: string
  tags: string[]
  registered_at: Date
  /** When the last accepted push came, ms; null before the first. */
  last_push_ms: number | null
  /** Whether the server is reported as offline. */
  is_reported_offline: boolean
}

/** The same with what is stored of the server, but for its samples and entities. */
export interface MeasuredServer extends ServerPresence {
  /** Instant of its newest sample, ms; 0 before the first. */
  sampled_at_ms: number
  state_at_ms: number | null
  filesystems: Filesystem[] | null
  host: HostState | null
  lost: Pick<ServerFacts, 'dropped_samples' | 'damaged_records'>
  /** Its health as it was derived last; null: never. */
  findings: Finding[] | null
  memory: HealthMemory | null
}

export interface ServerIdentity {
  organization: number
  number: number
  id: string
}

/** Up to `limit` servers of these slices after `last`; from the first one when `last` is undefined. */
export async function listServersAfter(
  db: Db,
  last: ServerIdentity | undefined,
  limit: number,
  { ids }: Slices = ALL_SLICES,
): Promise<ServerIdentity[]> {
  const { rows } = await sql<ServerIdentity>`
    select organization, number, id from server
    where (organization, id) > (${last?.organization ?? 0}, ${last?.id ?? '00000000-0000-0000-0000-000000000000'}::uuid)
      and number % ${SLICES}::int = any(${ids}::int[])
    order by organization, id limit ${limit}`.execute(db)
  return rows
}

/** How many servers of these slices there are, and the sum of their numbers: a list that has the same has them all. */
export async function sumServers(db: Db, { ids }: Slices): Promise<{ count: number; sum: number }> {
  const { rows } = await sql<{ count: number; sum: number }>`
    select count(*) as count, coalesce(sum(number), 0) as sum from server where number % ${SLICES}::int = any(${ids}::int[])`.execute(
    db,
  )
  return rows[0] ?? { count: 0, sum: 0 }
}

/** Servers with a higher number: those registered later, except for overlapping transactions. */
export async function listServersRegisteredAfter(db: Db, number: number): Promise<ServerIdentity[]> {
  const { rows } = await sql<ServerIdentity>`select organization, number, id from server where number > ${number}`.execute(db)
  return rows
}

/** Servers with an accepted push after this instant, ms. */
export async function listPushedSince(db: Db, sinceMs: number): Promise<{ id: string; last_push_ms: number }[]> {
  const { rows } = await sql<{ id: string; last_push_ms: number }>`
    select id, last_push_ms from server_newest where last_push_ms > ${sinceMs}`.execute(db)
  return rows
}

/** The presence of these servers and their state, without deleted ones: what is evaluated of them comes in one statement. */
export async function readPresence(db: Db, servers: readonly { organization: number; id: string }[]): Promise<MeasuredServer[]> {
  const { rows } = await sql<MeasuredServer>`
    select s.organization, s.number, s.id, coalesce(s.display_name, s.hostname) as name, s.tags, s.registered_at, newest.last_push_ms,
      o.server_id is not null as is_reported_offline, newest.sampled_at_ms, state.state_at_ms, state.filesystems, state.host,
      jsonb_strip_nulls(jsonb_build_object('dropped_samples', s.facts -> 'dropped_samples',
        'damaged_records', s.facts -> 'damaged_records')) as lost,
      health.findings, health.memory
    from unnest(${servers.map(({ organization }) => organization)}::int[], ${servers.map(({ id }) => id)}::uuid[]) as q (organization, id)
    join server as s on s.organization = q.organization and s.id = q.id
    join server_newest as newest on newest.organization = s.organization and newest.id = s.id
    left join offline_server as o on o.organization = s.organization and o.server_id = s.id
    left join server_state as state on state.organization = s.organization and state.server_id = s.id
    left join server_health as health on health.organization = s.organization and health.server_id = s.id`.execute(db)
  return rows
}

/** Locks the server against deletion until the transaction ends; undefined for a deleted server. */
export async function lockPresence(db: Db, organization: number, id: string): Promise<ServerPresence | undefined> {
  const { rows } = await sql<ServerPresence>`
    select s.organization, s.number, s.id, coalesce(s.display_name, s.hostname) as name, s.tags, s.registered_at,
      null::bigint as last_push_ms, false as is_reported_offline
    from server as s where s.organization = ${organization} and s.id = ${id} for key share`.execute(db)
  return rows[0]
}

/** Records whether the server is reported as offline; false where it is already recorded. */
export async function recordOffline(db: Db, organization: number, id: string, isOffline: boolean): Promise<boolean> {
  const { rows } = isOffline
    ? await sql`insert into offline_server values (${organization}, ${id}) on conflict do nothing returning server_id`.execute(db)
    : await sql`delete from offline_server where organization = ${organization} and server_id = ${id} returning server_id`.execute(
        db,
      )
  return rows.length > 0
}

/** Notes a push that stored nothing, because each of its samples was refused. */
export async function noteEmptyPush(db: Db, organization: number, id: string, atMs: number): Promise<void> {
  await sql`
    update server_newest set last_push_ms = greatest(last_push_ms, ${atMs}::bigint)
    where organization = ${organization} and id = ${id}`.execute(db)
}
