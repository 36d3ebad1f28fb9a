import { HOUR_MS, METRIC_PERIODS } from '@vedette/shared/tables'
import type { Client } from '@vedette/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from '../../lib/api.ts'
import { type ListSearch, WORST_FIRST } from '../../lib/list-search.ts'
import { type Range, rangeKey, rangeQuery, refreshMs } from '../../lib/range.ts'

/** The maximum of the API; rows out of view are not drawn. */
export const PAGE_LIMIT = 100
const LIST_MS = 15_000
/** While no server has a sample: somebody waits for the first. */
const IMPATIENT_MS = 4_000
/** Enough for a chart of 700 pixels. */
const POINTS = 240
/** Filesystems and interfaces come once per push, about every minute. */
const DIMENSIONS_MS = 60_000
const DETAILS_MS = 15_000

type Query = NonNullable<Parameters<Client['servers']['list']>[0]>

export const serverListQuery = (
  { organizationId, client }: Api,
  { page = 1, group: _group, open: _open, ...search }: ListSearch,
) =>
  queryOptions({
    queryKey: [organizationId, 'servers', 'list', search, page],
    queryFn: ({ signal }) =>
      client.servers.list(
        { sort: WORST_FIRST, ...(search as Query), page, limit: PAGE_LIMIT, include: 'metrics,sparkline,counts' },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: (query) =>
      pollEvery(query.state.data?.servers.some(({ metrics }) => metrics) ? LIST_MS : IMPATIENT_MS)(query),
  })

export const serverQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'servers', id],
    queryFn: ({ signal }) => client.servers.read(id, { signal }),
    refetchInterval: pollEvery(DETAILS_MS),
  })

export const metricsQuery = ({ organizationId, client }: Api, id: string, range: Range) =>
  queryOptions({
    queryKey: [organizationId, 'servers', id, 'metrics', rangeKey(range)],
    queryFn: ({ signal }) =>
      client.servers.metrics(id, { ...rangeQuery(range, METRIC_PERIODS, Date.now()), points: POINTS }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery(refreshMs(range, POINTS)),
  })

export const dimensionQuery = ({ organizationId, client }: Api, id: string, range: Range, by: 'mount' | 'interface') =>
  queryOptions({
    queryKey: [organizationId, 'servers', id, by, rangeKey(range)],
    queryFn: ({ signal }) =>
      client.servers.metrics(
        id,
        { ...rangeQuery(range, METRIC_PERIODS, Date.now()), by, metrics: by === 'mount' ? 'disk' : 'network', points: POINTS },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery('period' in range ? Math.max(DIMENSIONS_MS, refreshMs(range, POINTS) || 0) : false),
  })

/** It changes once a day. */
export const forecastQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'servers', id, 'forecast'],
    queryFn: ({ signal }) => client.servers.forecast(id, { signal }),
    staleTime: HOUR_MS,
  })

/** The processes at an earlier time; those of the latest push come with the server. */
export const processesQuery = ({ organizationId, client }: Api, id: string, at: number) =>
  queryOptions({
    queryKey: [organizationId, 'servers', id, 'processes', at],
    queryFn: ({ signal }) => client.servers.processes(id, { at: new Date(at).toISOString() }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Certificates of a server that its page shows. */
const CERTIFICATE_LIMIT = 50

/** What the files of a server have, the soonest end first. */
export const serverCertificatesQuery = ({ organizationId, client }: Api, serverId: string) =>
  queryOptions({
    queryKey: [organizationId, 'certificates', 'list', 'server', serverId],
    queryFn: ({ signal }) => client.certificates.list({ limit: CERTIFICATE_LIMIT, server_id: serverId }, { signal }),
    refetchInterval: pollEvery(60_000),
  })
