import { queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from '../../lib/api.ts'

const REFRESH_MS = 30_000
/** While the event stream reports problems, and only counts change in between. */
const LIVE_MS = 60_000
/** While nothing is monitored: somebody waits for the first server. */
const EMPTY_MS = 4_000

export const overviewQuery = ({ organizationId, client }: Api) =>
  queryOptions({
    queryKey: [organizationId, 'overview'],
    queryFn: ({ signal }) => client.overview.read({ signal }),
    refetchInterval: (query) => {
      const { data } = query.state
      const isEmpty = data !== undefined && data.monitors.total + data.servers.total === 0
      return isEmpty ? pollEvery(EMPTY_MS)(query) : pollEvery(REFRESH_MS, LIVE_MS)(query)
    },
  })
