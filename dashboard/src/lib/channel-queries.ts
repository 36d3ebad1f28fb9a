import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from './api.ts'

export const CHANNEL_PAGE_LIMIT = 100

export const channelsQuery = ({ organizationId, client }: Api, page: number) =>
  queryOptions({
    queryKey: [organizationId, 'channels', 'list', page],
    queryFn: ({ signal }) => client.channels.list({ page, limit: CHANNEL_PAGE_LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  })
