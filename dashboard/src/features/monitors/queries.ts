import type { Client } from '@vedette/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { every } from '../../lib/api.ts'
import type { ListSearch } from '../../lib/list-search.ts'
import { MONITOR_PERIODS, type Range, rangeKey, rangeQuery, refreshMs } from '../../lib/range.ts'

export const PAGE_LIMIT = 100
const LIST_MS = 15_000
const DETAILS_MS = 15_000
/** While events tell of each change of status: the figures beside it move with each check, mostly a minute apart. */
const LIVE_LIST_MS = 60_000
const LIVE_DETAILS_MS = 30_000
/** While somebody waits for the first check of what they just made. */
const IMPATIENT_MS = 4_000
const POINTS = 200
const DAY_MS = 86_400_000
export const UPTIME_DAYS = 90

type Query = NonNullable<Parameters<Client['monitors']['list']>[0]>

const isWaiting = ({ status, last_checked_at }: { status: string; last_checked_at: string | null }): boolean =>
  last_checked_at === null && status !== 'paused'

export const monitorListQuery = (scope: string, client: Client, { page = 1, ...search }: ListSearch) =>
  queryOptions({
    queryKey: [scope, 'monitors', 'list', search, page],
    queryFn: ({ signal }) =>
      client.monitors.list({ ...(search as Query), page, limit: PAGE_LIMIT, include: 'sparkline,uptime' }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: (query) =>
      query.state.data?.monitors.some(isWaiting) ? every(IMPATIENT_MS)(query) : every(LIST_MS, LIVE_LIST_MS)(query),
  })

export const monitorQuery = (scope: string, client: Client, id: string) =>
  queryOptions({
    queryKey: [scope, 'monitors', id],
    queryFn: ({ signal }) => client.monitors.read(id, { signal }),
    refetchInterval: (query) =>
      query.state.data && isWaiting(query.state.data) ? every(IMPATIENT_MS)(query) : every(DETAILS_MS, LIVE_DETAILS_MS)(query),
  })

export const statsQuery = (scope: string, client: Client, id: string, range: Range, region?: string) =>
  queryOptions({
    queryKey: [scope, 'monitors', id, 'stats', rangeKey(range), region ?? ''],
    queryFn: ({ signal }) =>
      client.monitors.stats(
        id,
        { ...rangeQuery(range, MONITOR_PERIODS), points: POINTS, ...(region === undefined ? {} : { region }) },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: every(refreshMs(range, POINTS)),
  })

/** Days of UTC, as the sketches are kept; today is one of them. */
export const uptimeQuery = (scope: string, client: Client, id: string) =>
  queryOptions({
    queryKey: [scope, 'monitors', id, 'uptime'],
    queryFn: ({ signal }) => {
      const to = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS
      const from = to - UPTIME_DAYS * DAY_MS
      return client.monitors.stats(
        id,
        { from: new Date(from).toISOString(), to: new Date(to).toISOString(), points: UPTIME_DAYS },
        { signal },
      )
    },
    staleTime: 5 * 60_000,
    refetchInterval: every(10 * 60_000),
  })

export const transitionsQuery = (scope: string, client: Client, id: string) =>
  queryOptions({
    queryKey: [scope, 'monitors', id, 'transitions'],
    queryFn: ({ signal }) => client.transitions.list(id, { limit: 20 }, { signal }),
    refetchInterval: every(60_000, 300_000),
  })

export const regionsQuery = (scope: string, client: Client) =>
  queryOptions({
    queryKey: [scope, 'regions'],
    queryFn: ({ signal }) => client.regions.read({ signal }),
    staleTime: 5 * 60_000,
  })
