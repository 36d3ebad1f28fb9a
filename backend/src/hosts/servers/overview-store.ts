import { HEALTH_STATUSES } from '@vedette/shared'
import { sql } from 'kysely'
import type { Finding } from './health-wire.ts'
import { type Db, foldCase } from '../../platform/db/index.ts'

export interface NamedRow {
  id: string
  hostname: string
  display_name: string | null
  agent_version: string
  /** The last push, or the registration before the first one, ms. */
  last_seen_ms: number
  /** When the token was replaced, if no push came since, ms. */
  token_replaced_ms: number | null
  /** Of an unhealthy server. */
  findings: Finding[] | null
}

export interface ServerCounts {
  total: number
  online: number
  unhealthy: number
  outdated: number
  /** The most recently seen first. */
  offlineServers: NamedRow[]
  /** Those with a finding that is critical or a warning, the worst first, then by name. */
  unhealthyServers: NamedRow[]
  /** By name. */
  outdatedServers: NamedRow[]
}

interface CountQuery {
  /** Servers whose last push is later are online, ms. */
  onlineAfterMs: number
  /** Servers that registered later and never pushed are waited for, ms. */
  registeredBeforeMs: number
  /** Agents with a lower version are outdated. An agent whose version cannot be parsed is not. */
  version: readonly number[]
  limit: number
}

/** The part of a version that is compared. */
const VERSION = '^[0-9]{1,6}[.][0-9]{1,6}[.][0-9]{1,6}'

/**
 * The number of servers and the first offline, unhealthy and outdated ones, in one snapshot. Counts and the last pushes come from the narrow
 * table, versions from each different one: only the servers that are shown are read.
 */
export async function countServers(db: Db, organization: number, query: CountQuery): Promise<ServerCounts> {
  const { onlineAfterMs, registeredBeforeMs, version, limit } = query
  const { rows } = await sql<NamedRow & { kind: string; total: number; online: number; outdated: number; unhealthy: number }>`
    with versions as materialized (
      select agent_version, count(*) as servers from server where organization = ${organization} group by agent_version
    ), outdated as materialized (
      select agent_version, servers from versions
      where case when agent_version ~ ${VERSION}
        then string_to_array(substring(agent_version from ${VERSION}), '.')::int[] < ${version}::int[] else false end
    ), unhealthy as materialized (
      select server_id as id, level, findings from server_health where organization = ${organization} and level >= ${WARNING}::int2
    ), offline as (
      (select id, last_push_ms from server_newest
        where organization = ${organization} and last_push_ms <= ${onlineAfterMs}::bigint
        order by last_push_ms desc, id desc limit ${limit})
      union all
      (select id, last_push_ms from server_newest
        where organization = ${organization} and last_push_ms is null
          and created_at <= ${new Date(registeredBeforeMs)}::timestamptz
        order by created_at desc, id desc limit ${limit})
    )
    select 'counts' as kind, null::uuid as id, null as hostname, null as display_name, null as agent_version,
      null::bigint as last_seen_ms, null::bigint as token_replaced_ms, count(*)::int as total,
      count(*) filter (where last_push_ms > ${onlineAfterMs}::bigint)::int as online,
      coalesce((select sum(servers) from outdated), 0)::int as outdated, (select count(*) from unhealthy)::int as unhealthy,
      null::jsonb as findings
    from server_newest where organization = ${organization}
    union all
    (select 'offline', id, hostname, display_name, agent_version, coalesce(last_push_ms, ${REGISTERED_MS}) as last_seen_ms,
        case when token_created_at > registered_at and ${TOKEN_CREATED_MS} > coalesce(last_push_ms, 0) then ${TOKEN_CREATED_MS} end,
        0, 0, 0, 0, null
      from offline join server using (id) where organization = ${organization}
      order by last_seen_ms desc, id desc limit ${limit})
    union all
    (select 'unhealthy', id, hostname, display_name, agent_version, 0, null, 0, 0, 0, 0, findings
      from unhealthy join server using (id) where organization = ${organization}
      order by level desc, ${NAME}, id limit ${limit})
    union all
    (select 'outdated', id, hostname, display_name, agent_version, coalesce(last_push_ms, ${REGISTERED_MS}), null, 0, 0, 0, 0, null
      from outdated join server using (agent_version) join server_newest using (organization, id)
      where organization = ${organization}
      order by ${NAME}, id limit ${limit})`.execute(db)
  const of = (kind: string) => rows.filter((row) => row.kind === kind)
  const { total = 0, online = 0, outdated = 0, unhealthy = 0 } = of('counts')[0] ?? {}
  return {
    total,
    online,
    unhealthy,
    outdated,
    offlineServers: of('offline'),
    unhealthyServers: of('unhealthy'),
    outdatedServers: of('outdated'),
  }
}

const NAME = foldCase(sql`coalesce(display_name, hostname)`)
const WARNING = HEALTH_STATUSES.indexOf('warning')
const REGISTERED_MS = sql`(date_part('epoch', registered_at) * 1000)::bigint`
const TOKEN_CREATED_MS = sql`(date_part('epoch', token_created_at) * 1000)::bigint`
