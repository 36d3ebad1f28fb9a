import type { Client } from '@vedette/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { every } from '../../lib/api.ts'
import { turnPace } from './windows/words.ts'

/**
 * What people define changes when somebody changes it: it is asked for anew when the page is looked at, and never polled, but for
 * windows, when one of them begins or ends.
 */
export const LIMIT = 100

export const rulesQuery = (scope: string, client: Client, page: number) =>
  queryOptions({
    queryKey: [scope, 'alert-rules', 'list', page],
    queryFn: ({ signal }) => client.alertRules.list({ page, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  })

export const ruleQuery = (scope: string, client: Client, id: string) =>
  queryOptions({
    queryKey: [scope, 'alert-rules', id],
    queryFn: ({ signal }) => client.alertRules.read(id, { signal }),
  })

export const channelsQuery = (scope: string, client: Client, page: number) =>
  queryOptions({
    queryKey: [scope, 'channels', 'list', page],
    queryFn: ({ signal }) => client.channels.list({ page, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
  })

export const channelQuery = (scope: string, client: Client, id: string) =>
  queryOptions({
    queryKey: [scope, 'channels', id],
    queryFn: ({ signal }) => client.channels.read(id, { signal }),
  })

export const windowsQuery = (scope: string, client: Client, page: number) =>
  queryOptions({
    queryKey: [scope, 'maintenance-windows', 'list', page],
    queryFn: ({ signal }) => client.maintenanceWindows.list({ page, limit: LIMIT }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => every(turnPace(query.state.data?.maintenance_windows ?? [], Date.now()))(query),
  })

export const windowQuery = (scope: string, client: Client, id: string) =>
  queryOptions({
    queryKey: [scope, 'maintenance-windows', id],
    queryFn: ({ signal }) => client.maintenanceWindows.read(id, { signal }),
  })
