import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from '../../lib/api.ts'

export const PAGE_LIMIT = 50
const REFRESH_MS = 60_000

export const certificatesQuery = ({ organizationId, client }: Api, page: number, q: string | undefined) =>
  queryOptions({
    queryKey: [organizationId, 'certificates', 'list', page, q],
    queryFn: ({ signal }) => client.certificates.list({ page, limit: PAGE_LIMIT, ...(q !== undefined && { q }) }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery(REFRESH_MS),
  })

export const certificateQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'certificates', id],
    queryFn: ({ signal }) => client.certificates.read(id, { signal }),
    refetchInterval: pollEvery(REFRESH_MS),
  })
