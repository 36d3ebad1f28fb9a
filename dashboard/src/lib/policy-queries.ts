import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from './api.ts'

export const POLICY_PAGE_LIMIT = 100

export const policiesQuery = ({ organizationId, client }: Api, page: number) =>
  queryOptions({
    queryKey: [organizationId, 'escalation-policies', 'list', page],
    queryFn: ({ signal }) => client.escalationPolicies.list({ page, limit: POLICY_PAGE_LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  })
