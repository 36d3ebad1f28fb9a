import type { Client } from '@vedette/client'
import type { IncidentStatus } from '@vedette/shared/tables'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from '../../lib/api.ts'
import type { ListSearch } from '../../lib/list-search.ts'

export const PAGE_LIMIT = 50
const LIST_MS = 30_000
/** While the event stream reports each change; a fallback for a stream that breaks. */
const LIVE_MS = 300_000

type Query = NonNullable<Parameters<Client['incidents']['list']>[0]>

export const incidentListQuery = ({ organizationId, client }: Api, { page = 1, status }: ListSearch) =>
  queryOptions({
    queryKey: [organizationId, 'incidents', 'list', status ?? '', page],
    queryFn: ({ signal }) => {
      const query: Query = { page, limit: PAGE_LIMIT, ...(status === undefined ? {} : { status: status as IncidentStatus }) }
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
