import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from './api.ts'

/** Each row reads who is on duty by itself: a page is small. */
export const SCHEDULE_PAGE_LIMIT = 20
const ON_DUTY_MS = 60_000

export const schedulesQuery = ({ organizationId, client }: Api, page: number, limit = SCHEDULE_PAGE_LIMIT) =>
  queryOptions({
    queryKey: [organizationId, 'schedules', 'list', page, limit],
    queryFn: ({ signal }) => client.schedules.list({ page, limit }, { signal }),
    placeholderData: keepPreviousData,
  })

/** Who is on duty now, and who next. */
export const onDutyQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'schedules', id, 'on-call'],
    queryFn: ({ signal }) => client.schedules.onCall(id, {}, { signal }),
    refetchInterval: pollEvery(ON_DUTY_MS),
  })
