import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from '../../lib/api.ts'
import { nextChangeMs } from './schedule-text.ts'

export const PAGE_LIMIT = 100

/** Read again when the next window of the page starts or ends. */
export const windowsQuery = ({ organizationId, client }: Api, page: number) =>
  queryOptions({
    queryKey: [organizationId, 'maintenance-windows', 'list', page],
    queryFn: ({ signal }) => client.maintenanceWindows.list({ page, limit: PAGE_LIMIT }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => pollEvery(nextChangeMs(query.state.data?.maintenance_windows ?? [], Date.now()))(query),
  })
