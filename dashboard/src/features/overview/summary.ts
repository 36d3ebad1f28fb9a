import type { Client } from '@vedette/client'
import { queryOptions } from '@tanstack/react-query'
import { every } from '../../lib/api.ts'

/** Six small requests: at this pace two tabs stay far below the limit of reads. */
const REFRESH_MS = 30_000
/** While events tell of what is wrong: counts and disks. */
const LIVE_MS = 60_000
/** While nothing is there, somebody waits for the first host. */
const IMPATIENT_MS = 4_000
const SHOWN = 10

export type Summary = Awaited<ReturnType<typeof readSummary>>

/** Counts by state, and the first of what is not well. */
async function readSummary(client: Client, organizationId: string, signal: AbortSignal) {
  const options = { signal }
  const [organization, down, degraded, paused, offline, full] = await Promise.all([
    client.organizations.read(organizationId, options),
    client.monitors.list({ status: 'down', limit: SHOWN }, options),
    client.monitors.list({ status: 'degraded', limit: SHOWN }, options),
    client.monitors.list({ status: 'paused', limit: 1 }, options),
    client.servers.list({ status: 'offline', limit: SHOWN, sort: 'last_seen_at' }, options),
    client.servers.list({ status: 'online', limit: SHOWN, sort: '-disk', include: 'metrics' }, options),
  ])
  const { monitor_count, server_count } = organization
  return {
    monitors: {
      total: monitor_count,
      down,
      degraded,
      paused: paused.total,
      up: Math.max(0, monitor_count - down.total - degraded.total - paused.total),
    },
    servers: { total: server_count, offline, online: full.total, full: full.servers },
  }
}

export const summaryQuery = (scope: string, client: Client, organizationId: string) =>
  queryOptions({
    queryKey: [scope, 'summary'],
    queryFn: ({ signal }) => readSummary(client, organizationId, signal),
    refetchInterval: (query) => {
      const { data } = query.state
      const isEmpty = data !== undefined && data.monitors.total + data.servers.total === 0
      return isEmpty ? every(IMPATIENT_MS)(query) : every(REFRESH_MS, LIVE_MS)(query)
    },
  })
