import type { Client } from '@vedette/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { every } from '../../lib/api.ts'
import type { ListSearch } from '../../lib/list-search.ts'
import { type Range, rangeKey, rangeQuery, refreshMs, SERVER_PERIODS } from '../../lib/range.ts'

/** A page of the list: rows out of sight are not drawn, so that it may be what one request gives at most. */
export const PAGE_LIMIT = 100
const LIST_MS = 15_000
/** While no host has told anything, somebody waits for the first. */
const IMPATIENT_MS = 4_000
/** Enough for a chart of 700 pixels; each field is told twice, as mean and maximum. */
const POINTS = 240
/** Filesystems and interfaces come with pushes, a minute apart. */
const DIMENSIONS_MS = 60_000
const DETAILS_MS = 15_000

type Query = NonNullable<Parameters<Client['servers']['list']>[0]>

export const serverListQuery = (scope: string, client: Client, { page = 1, ...search }: ListSearch) =>
  queryOptions({
    queryKey: [scope, 'servers', 'list', search, page],
    queryFn: ({ signal }) =>
      client.servers.list({ ...(search as Query), page, limit: PAGE_LIMIT, include: 'metrics,sparkline' }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => every(query.state.data?.servers.some(({ metrics }) => metrics) ? LIST_MS : IMPATIENT_MS)(query),
  })

export const serverQuery = (scope: string, client: Client, id: string) =>
  queryOptions({
    queryKey: [scope, 'servers', id],
    queryFn: ({ signal }) => client.servers.read(id, { signal }),
    refetchInterval: every(DETAILS_MS),
  })

export const metricsQuery = (scope: string, client: Client, id: string, range: Range) =>
  queryOptions({
    queryKey: [scope, 'servers', id, 'metrics', rangeKey(range)],
    queryFn: ({ signal }) => client.servers.metrics(id, { ...rangeQuery(range, SERVER_PERIODS), points: POINTS }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: every(refreshMs(range, POINTS)),
  })

export const dimensionQuery = (scope: string, client: Client, id: string, range: Range, by: 'mount' | 'interface') =>
  queryOptions({
    queryKey: [scope, 'servers', id, by, rangeKey(range)],
    queryFn: ({ signal }) =>
      client.servers.metrics(
        id,
        { ...rangeQuery(range, SERVER_PERIODS), by, metrics: by === 'mount' ? 'disk' : 'network', points: POINTS },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: every('period' in range ? Math.max(DIMENSIONS_MS, refreshMs(range, POINTS) || 0) : false),
  })

/** Of an instant that is pinned; without one those of the newest push come with the server itself. */
export const processesQuery = (scope: string, client: Client, id: string, at: number) =>
  queryOptions({
    queryKey: [scope, 'servers', id, 'processes', at],
    queryFn: ({ signal }) => client.servers.processes(id, { at: new Date(at).toISOString() }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
