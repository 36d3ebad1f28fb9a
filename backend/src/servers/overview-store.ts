import { sql } from 'kysely'
import { type Db, foldCase, isDistributed } from '../platform/db/index.ts'
import { type LastPushes, mayBeUnstored, NEWEST_PUSHES, readLastPushes, receivedSince } from './last-push-store.ts'

export interface NamedRow {
  id: string
  hostname: string
  display_name: string | null
  agent_version: string
  /** The last push, or the registration before the first one, ms. */
  last_seen_ms: number
  /** When the token was replaced, if no push came since, ms. */
  token_replaced_ms: number | null
}

export interface ServerCounts {
  total: number
  online: number
  outdated: number
  /** The most recently seen first. */
  offlineServers: NamedRow[]
  /** By name. */
  outdatedServers: NamedRow[]
}

interface CountQuery {
  /** Servers whose last push is later are online, ms. */
  onlineAfterMs: number
  /** Servers that registered later and never pushed are waited for, ms. */
  registeredBeforeMs: number
  /** First receipt day to search for the newest pushes. */
  sinceDay: string
  /** Agents with a lower version are outdated. An agent whose version cannot be parsed is not. */
  version: readonly number[]
  limit: number
}

/** The part of a version that is compared. */
const VERSION = '^[0-9]{1,6}[.][0-9]{1,6}[.][0-9]{1,6}'

/**
 * The number of servers and the first offline and outdated ones, in one snapshot. Reads the newest pushes only for servers that are
 * not online by their stored last push, which may be minutes old.
 */
export async function countServers(db: Db, organization: number, query: CountQuery): Promise<ServerCounts> {
  const { onlineAfterMs, registeredBeforeMs, version, limit } = query
  const newest = await newestOf(db, organization, query)
  const { rows } = await sql<NamedRow & { kind: string; total: number; online: number; outdated: number }>`
    with versions as materialized (
      select agent_version, case when agent_version ~ ${VERSION}
        then string_to_array(substring(agent_version from ${VERSION}), '.')::int[] < ${version}::int[] else false end as is_outdated
      from server where organization = ${organization} group by agent_version
    ), seen as materialized (
      select server.id, hostname, display_name, agent_version, pushed.at > ${onlineAfterMs}::bigint as is_online,
        pushed.at is null and registered_at > ${new Date(registeredBeforeMs)}::timestamptz as is_waiting,
        coalesce(pushed.at, (date_part('epoch', registered_at) * 1000)::bigint) as last_seen_ms,
        case when token_created_at > registered_at and (date_part('epoch', token_created_at) * 1000)::bigint > coalesce(pushed.at, 0)
          then (date_part('epoch', token_created_at) * 1000)::bigint end as token_replaced_ms,
        versions.is_outdated
      from server
      join versions using (agent_version)
      left join server_state as state on state.organization = server.organization and state.server_id = server.id
      ${newest}
      where server.organization = ${organization}
    )
    select 'counts' as kind, null::uuid as id, null as hostname, null as display_name, null as agent_version,
      null::bigint as last_seen_ms, null::bigint as token_replaced_ms, count(*)::int as total, count(*) filter (where is_online)::int as online,
      count(*) filter (where is_outdated)::int as outdated
    from seen
    union all
    (select 'offline', id, hostname, display_name, agent_version, last_seen_ms, token_replaced_ms, 0, 0, 0 from seen
      where is_online is not true and not is_waiting order by last_seen_ms desc, id desc limit ${limit})
    union all
    (select 'outdated', id, hostname, display_name, agent_version, last_seen_ms, null, 0, 0, 0 from seen
      where is_outdated order by ${foldCase(sql`coalesce(display_name, hostname)`)}, id limit ${limit})`.execute(db)
  const of = (kind: string) => rows.filter((row) => row.kind === kind)
  const { total = 0, online = 0, outdated = 0 } = of('counts')[0] ?? {}
  return { total, online, outdated, offlineServers: of('offline'), outdatedServers: of('outdated') }
}

/**
 * Joins the time of the last push of each server, null where there is none. Without the offset the planner would put the subquery
 * wherever the time is named, and run it four times.
 */
async function newestOf(db: Db, organization: number, query: CountQuery) {
  if (!(await isDistributed(db))) return joinNewestPushes(organization, query)
  const numbers = sql<{ number: number }>`
    select server.number from server
    left join server_state as state on state.organization = server.organization and state.server_id = server.id
    where server.organization = ${organization} and coalesce(state.last_push_ms, 0) <= ${query.onlineAfterMs}::bigint`
  return joinReadPushes(await readLastPushes(db, organization, numbers, query.sinceDay))
}

const joinNewestPushes = (organization: number, { onlineAfterMs, sinceDay }: CountQuery) => sql`
      cross join lateral (
        select greatest(state.last_push_ms, (
          select max(received_at) from (
            select received_at from metric_push
            where organization = ${organization} and server = server.number and ${receivedSince(sinceDay)}
              and coalesce(state.last_push_ms, 0) <= ${onlineAfterMs}::bigint
              and ${mayBeUnstored(onlineAfterMs)}
            order by t0 desc limit ${sql.lit(NEWEST_PUSHES)}
          ) as newest
        )) as at offset 0
      ) as pushed`

const joinReadPushes = ({ servers, receivedAtMs }: LastPushes) => sql`
      left join unnest(${servers}::int4[], ${receivedAtMs}::int8[]) as known (number, received_at) on known.number = server.number
      cross join lateral (select greatest(state.last_push_ms, known.received_at) as at) as pushed`
