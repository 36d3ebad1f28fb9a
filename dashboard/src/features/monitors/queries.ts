import { DAY_MS, STATS_PERIODS } from '@vedette/shared/tables'
import type { Client } from '@vedette/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from '../../lib/api.ts'
import { type ListSearch, WORST_FIRST } from '../../lib/list-search.ts'
import { isWaiting } from '../../lib/monitor-status.ts'
import { boundsOf, type Range, rangeKey, rangeQuery, refreshMs } from '../../lib/range.ts'

export const PAGE_LIMIT = 100
const LIST_MS = 15_000
const DETAILS_MS = 15_000
/** While the event stream reports changes of status: only the statistics change in between. */
const LIVE_LIST_MS = 60_000
const LIVE_DETAILS_MS = 30_000
/** While a new monitor waits for its first check. */
const IMPATIENT_MS = 4_000
const POINTS = 200
export const UPTIME_DAYS = 90

type Query = NonNullable<Parameters<Client['monitors']['list']>[0]>

export const monitorListQuery = (
  { organizationId, client }: Api,
  { page = 1, group: _group, open: _open, ...search }: ListSearch,
) =>
  queryOptions({
    queryKey: [organizationId, 'monitors', 'list', search, page],
    queryFn: ({ signal }) =>
      client.monitors.list(
        { sort: WORST_FIRST, ...(search as Query), page, limit: PAGE_LIMIT, include: 'sparkline,uptime,facts,counts' },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: (query) =>
      query.state.data?.monitors.some(isWaiting) ? pollEvery(IMPATIENT_MS)(query) : pollEvery(LIST_MS, LIVE_LIST_MS)(query),
  })

export const monitorQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'monitors', id],
    queryFn: ({ signal }) => client.monitors.read(id, { signal }),
    refetchInterval: (query) =>
      query.state.data && isWaiting(query.state.data)
        ? pollEvery(IMPATIENT_MS)(query)
        : pollEvery(DETAILS_MS, LIVE_DETAILS_MS)(query),
  })

export const statsQuery = ({ organizationId, client }: Api, id: string, range: Range, region?: string, withPhases = true) =>
  queryOptions({
    queryKey: [organizationId, 'monitors', id, 'stats', rangeKey(range), region ?? '', withPhases],
    queryFn: ({ signal }) =>
      client.monitors.stats(
        id,
        {
          ...rangeQuery(range, STATS_PERIODS, Date.now()),
          points: POINTS,
          ...(withPhases ? { include: 'phases' as const } : {}),
          ...(region === undefined ? {} : { region }),
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery(refreshMs(range, POINTS)),
  })

/** All of a monitor: it may have no more. */
export const reclassificationsQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'monitors', id, 'reclassifications'],
    queryFn: ({ signal }) => client.reclassifications.list(id, { limit: PAGE_LIMIT }, { signal }),
  })

/** Whole days in UTC including today, since statistics are stored by them. */
export const uptimeQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'monitors', id, 'uptime'],
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
    refetchInterval: pollEvery(10 * 60_000),
  })

export const transitionsQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'monitors', id, 'transitions'],
    queryFn: ({ signal }) => client.transitions.list(id, { limit: 20 }, { signal }),
    refetchInterval: pollEvery(60_000, 300_000),
  })

export const pingsQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'monitors', id, 'pings'],
    queryFn: ({ signal }) => client.pings.list(id, { limit: 20 }, { signal }),
    refetchInterval: pollEvery(DETAILS_MS),
  })

/** The newest checks, read again with each newer one. */
export const checksQuery = (
  { organizationId, client }: Api,
  { id, last_checked_at }: { id: string; last_checked_at: string | null },
) =>
  queryOptions({
    queryKey: [organizationId, 'monitors', id, 'checks', last_checked_at],
    queryFn: ({ signal }) => client.checks.list(id, { limit: PAGE_LIMIT }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })

type LastChecked = { id: string; last_checked_at: string | null }

/** The failed checks since an instant, at most a page; read again with each newer check. */
export const downChecksQuery = ({ organizationId, client }: Api, { id, last_checked_at }: LastChecked, fromMs: number) =>
  queryOptions({
    queryKey: [organizationId, 'monitors', id, 'downs', fromMs, last_checked_at],
    queryFn: ({ signal }) =>
      client.checks.list(id, { status: 'down', from: new Date(fromMs).toISOString(), limit: PAGE_LIMIT }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })

export const pingTransitionsQuery = ({ organizationId, client }: Api, { id, last_checked_at }: LastChecked, fromMs: number) =>
  queryOptions({
    queryKey: [organizationId, 'monitors', id, 'transitions', fromMs, last_checked_at],
    queryFn: ({ signal }) => client.transitions.list(id, { from: new Date(fromMs).toISOString(), limit: PAGE_LIMIT }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The newest changes of status in a range. */
export const rangeTransitionsQuery = ({ organizationId, client }: Api, id: string, range: Range) =>
  queryOptions({
    queryKey: [organizationId, 'monitors', id, 'transitions', rangeKey(range)],
    queryFn: async ({ signal }) => {
      const { from, to } = boundsOf(range, Date.now())
      const times = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
      return (await client.transitions.list(id, { ...times, limit: PAGE_LIMIT }, { signal })).transitions
    },
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery('period' in range ? 60_000 : false, 300_000),
  })

export const regionsQuery = ({ organizationId, client }: Api) =>
  queryOptions({
    queryKey: [organizationId, 'regions'],
    queryFn: ({ signal }) => client.regions.read({ signal }),
    staleTime: 5 * 60_000,
  })
