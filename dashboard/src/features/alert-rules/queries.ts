import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from '../../lib/api.ts'

export const PAGE_LIMIT = 100

// Definitions change when somebody edits them: they are read when a page opens, and not polled.

export const rulesQuery = ({ organizationId, client }: Api, page: number) =>
  queryOptions({
    queryKey: [organizationId, 'alert-rules', 'list', page],
    queryFn: ({ signal }) => client.alertRules.list({ page, limit: PAGE_LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  })
