import { queryOptions } from '@tanstack/react-query'
import type { Api } from './api.ts'

/** All members, the newest first. */
export const membersQuery = ({ organizationId, client }: Api) =>
  queryOptions({
    queryKey: [organizationId, 'members'],
    queryFn: ({ signal }) => client.members.list(organizationId, {}, { signal }),
  })
