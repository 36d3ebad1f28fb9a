import type { Client } from '@vedette/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from '../../lib/api.ts'
import { PERIOD_MS } from '../../lib/range.ts'
import type { IncidentSearch } from './search.ts'

export const PAGE_LIMIT = 50
const LIST_MS = 30_000
/** While the event stream reports each change; a fallback for a stream that breaks. */
const LIVE_MS = 300_000

type Query = NonNullable<Parameters<Client['incidents']['list']>[0]>

/** Incidents that are not resolved with the most severe first, or resolved ones with the newest first. */
export const incidentListQuery = (
  { organizationId, client }: Api,
  { page = 1, status, severity, target, range, q, tag }: IncidentSearch,
) =>
  queryOptions({
    queryKey: [organizationId, 'incidents', 'list', { status, severity, target, range, q, tag }, page],
    queryFn: ({ signal }) => {
      const query: Query = {
        page,
        limit: PAGE_LIMIT,
        include: 'counts',
        group: 'story',
        status: status === 'resolved' ? 'resolved' : ['open', 'acknowledged'],
        sort: status === 'resolved' ? '-opened_at' : 'severity',
        ...(severity === undefined ? {} : { severity }),
        ...(target === undefined ? {} : { target }),
        ...(q === undefined ? {} : { q }),
        ...(tag === undefined ? {} : { tag }),
        ...(range === undefined ? {} : { from: new Date(Date.now() - PERIOD_MS[range]).toISOString() }),
      }
      return client.incidents.list(query, { signal })
    },
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery(LIST_MS, LIVE_MS),
  })

export const incidentQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'incidents', id],
    queryFn: ({ signal }) => client.incidents.read(id, { signal }),
    refetchInterval: pollEvery(LIST_MS, LIVE_MS),
  })

/** The incidents of a story, the oldest first. */
export const storyQuery = ({ organizationId, client }: Api, story: string) =>
  queryOptions({
    queryKey: [organizationId, 'incidents', 'story', story],
    queryFn: ({ signal }) => client.incidents.list({ story, sort: 'opened_at', limit: PAGE_LIMIT }, { signal }),
    refetchInterval: pollEvery(LIST_MS, LIVE_MS),
  })

/** All incidents with the cause of one, on one line of time. */
export const timelineQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'incidents', 'story', 'timeline', id],
    queryFn: ({ signal }) => client.incidents.story(id, {}, { signal }),
    refetchInterval: pollEvery(LIST_MS, LIVE_MS),
  })

/** The check of an incident whose response is wanted. */
export interface FailedCheck {
  monitorId: string
  region: string
  /** ISO 8601. */
  checkedAt: string
}

/** What was kept of the response to a check, on request; null where nothing is kept, or no longer. */
export const keptResponseQuery = ({ organizationId, client }: Api, { monitorId, region, checkedAt }: FailedCheck) =>
  queryOptions({
    queryKey: [organizationId, 'incidents', 'response', monitorId, region, checkedAt],
    queryFn: async ({ signal }): Promise<string | null> => {
      // The end of the range is exclusive.
      const to = new Date(Date.parse(checkedAt) + 1).toISOString()
      const query = { region, from: checkedAt, to, include: 'response', limit: 1 } as const
      return (await client.checks.list(monitorId, query, { signal })).checks[0]?.response ?? null
    },
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
