import type { Client } from '@vedette/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { every } from '../../lib/api.ts'
import type { ListSearch } from '../../lib/list-search.ts'

export const PAGE_LIMIT = 50
export const STATUSES = ['open', 'acknowledged', 'resolved'] as const
const LIST_MS = 30_000
/** Events tell of each step; this is for a stream that ends and does not come back. */
const LIVE_MS = 300_000

type Query = NonNullable<Parameters<Client['incidents']['list']>[0]>
type Status = (typeof STATUSES)[number]

export const incidentListQuery = (scope: string, client: Client, { page = 1, status }: ListSearch) =>
  queryOptions({
    queryKey: [scope, 'incidents', 'list', status ?? '', page],
    queryFn: ({ signal }) => {
      const query: Query = { page, limit: PAGE_LIMIT, ...(status === undefined ? {} : { status: status as Status }) }
      return client.incidents.list(query, { signal })
    },
    placeholderData: keepPreviousData,
    refetchInterval: every(LIST_MS, LIVE_MS),
  })

export const incidentQuery = (scope: string, client: Client, id: string) =>
  queryOptions({
    queryKey: [scope, 'incidents', id],
    queryFn: ({ signal }) => client.incidents.read(id, { signal }),
    refetchInterval: every(LIST_MS, LIVE_MS),
  })
