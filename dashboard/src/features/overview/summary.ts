import type { Client } from '@vedette/client'
import { queryOptions } from '@tanstack/react-query'
import { every } from '../../lib/api.ts'

const REFRESH_MS = 30_000
/** While events tell of what is wrong: counts alone. */
const LIVE_MS = 60_000
/** While nothing is there, somebody waits for the first host. */
const IMPATIENT_MS = 4_000

/** What is wrong now and what changed, in one request. */
export const summaryQuery = (scope: string, client: Client) =>
  queryOptions({
    queryKey: [scope, 'summary'],
    queryFn: ({ signal }) => client.overview.read({ signal }),
    refetchInterval: (query) => {
      const { data } = query.state
      const isEmpty = data !== undefined && data.monitors.total + data.servers.total === 0
      return isEmpty ? every(IMPATIENT_MS)(query) : every(REFRESH_MS, LIVE_MS)(query)
    },
  })
