import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from './api.ts'

/** Each row reads its budget by itself: a page is small. */
export const PAGE_LIMIT = 20
/** In lists, where each row is a request. */
export const ROW_MS = 300_000
/** The backend evaluates burn rates every 30 seconds. */
const STATUS_MS = 60_000

export const slosQuery = ({ organizationId, client }: Api, page: number) =>
  queryOptions({
    queryKey: [organizationId, 'slos', 'list', page],
    queryFn: ({ signal }) => client.slos.list({ page, limit: PAGE_LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  })

/** With its error budget. `everyMs`: how often it is read again. */
export const sloQuery = ({ organizationId, client }: Api, id: string, everyMs = STATUS_MS) =>
  queryOptions({
    queryKey: [organizationId, 'slos', id],
    queryFn: ({ signal }) => client.slos.read(id, { signal }),
    staleTime: STATUS_MS / 2,
    refetchInterval: pollEvery(everyMs),
  })
