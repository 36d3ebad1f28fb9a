import { NEW_SERVER_MS, type Overview, type States, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../platform/ids.ts'
import type { ServerDeps } from './deps.ts'
import { toServerHealth } from './health-wire.ts'
import { listPage } from './list-store.ts'
import { countServers, type NamedRow } from './overview-store.ts'
import { onlineAfter } from './presence.ts'

export type ServerOverviewDeps = Pick<ServerDeps, 'db' | 'pool' | 'clock' | 'uptime' | 'pushIntervalSeconds'>

/** The server counts of an organization, its first offline and unhealthy servers and its outdated agents. */
export async function readServerOverview(
  { db, clock, uptime, pushIntervalSeconds }: ServerOverviewDeps,
  organization: number,
  version: string,
  limit: number,
): Promise<Pick<Overview, 'servers' | 'offline_servers' | 'unhealthy_servers' | 'outdated_agents'>> {
  const now = clock.now()
  const { total, online, unhealthy, outdated, offlineServers, unhealthyServers, outdatedServers } = await countServers(
    db,
    organization,
    {
      onlineAfterMs: onlineAfter(now, uptime, pushIntervalSeconds),
      registeredBeforeMs: now - NEW_SERVER_MS,
      version: numbersOf(version),
      limit,
    },
  )
  return {
    servers: { total, online, offline: total - online },
    offline_servers: offlineServers.map((row) => ({ ...toNamed(row), reason: reasonOf(row) })),
    unhealthy_servers: {
      total: unhealthy,
      servers: unhealthyServers.map(({ id, hostname, display_name, findings }) => ({
        id: encodeId('server', id),
        hostname,
        display_name,
        health: toServerHealth(findings ?? [], true),
      })),
    },
    outdated_agents: { total: outdated, agent_version: version, servers: outdatedServers.map(toNamed) },
  }
}

/** The status of the servers of an organization, offline first. */
export async function readServerStates(
  { pool, clock, uptime, pushIntervalSeconds }: ServerOverviewDeps,
  organization: number,
  limit: number,
): Promise<Pick<States, 'servers' | 'servers_total'>> {
  const now = clock.now()
  const onlineAfterMs = onlineAfter(now, uptime, pushIntervalSeconds)
  const every = { status: undefined, text: undefined, tags: [], isUntagged: false, onlineAfterMs }
  const worstFirst = { by: 'status', descending: false } as const
  const { total, rows } = await listPage(pool, organization, every, worstFirst, { limit, offset: 0 })
  return {
    servers_total: total,
    servers: rows.map(({ id, display_name, hostname, tags, registered_at, last_push_ms, findings }) => {
      const isOnline = last_push_ms !== null && last_push_ms > onlineAfterMs
      const sinceMs = isOnline ? findings?.[0]?.sinceMs : (last_push_ms ?? registered_at.getTime())
      return {
        id: encodeId('server', id),
        name: display_name ?? hostname,
        status: isOnline ? 'online' : 'offline',
        health: findings?.[0]?.severity ?? 'ok',
        since: sinceMs === undefined ? null : toTimestamp(sinceMs),
        waiting: last_push_ms === null && now - registered_at.getTime() < NEW_SERVER_MS,
        tags,
      }
    }),
  }
}

/** `1.2.3` of `1.2.3-rc.1`: a pre-release counts as its release. */
const numbersOf = (version: string): number[] => (/^\d+\.\d+\.\d+/.exec(version)?.[0] ?? '0.0.0').split('.').map(Number)

/** Why a server is offline, if the backend can know. */
function reasonOf({ token_replaced_ms: atMs }: NamedRow): string | null {
  if (atMs === null) return null
  return `its token was replaced at ${toTimestamp(atMs)}, and no push came with the new one: run "vedette-agent token set" on the host, or register it again`
}

const toNamed = ({ id, hostname, display_name, agent_version, last_seen_ms }: NamedRow) => ({
  id: encodeId('server', id),
  hostname,
  display_name,
  agent_version,
  last_seen_at: toTimestamp(last_seen_ms),
})
