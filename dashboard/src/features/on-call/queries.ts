import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from '../../lib/api.ts'
import { membersQuery } from '../../lib/member-queries.ts'
import { personText } from '../../lib/person.ts'

/** Each row reads who is on duty by itself: a page is small. */
export const SCHEDULE_PAGE_LIMIT = 20
const ON_DUTY_MS = 60_000

export const schedulesQuery = ({ organizationId, client }: Api, page: number, limit = SCHEDULE_PAGE_LIMIT) =>
  queryOptions({
    queryKey: [organizationId, 'schedules', 'list', page, limit],
    queryFn: ({ signal }) => client.schedules.list({ page, limit }, { signal }),
    placeholderData: keepPreviousData,
  })

export const scheduleQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'schedules', id],
    queryFn: ({ signal }) => client.schedules.read(id, { signal }),
  })

/** Who is on duty now, and who next. */
export const onDutyQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'schedules', id, 'on-call'],
    queryFn: ({ signal }) => client.schedules.onCall(id, {}, { signal }),
    refetchInterval: pollEvery(ON_DUTY_MS),
  })

export const shiftsQuery = ({ organizationId, client }: Api, id: string, range: { from: string; to: string }) =>
  queryOptions({
    queryKey: [organizationId, 'schedules', id, 'shifts', range.from],
    queryFn: ({ signal }) => client.schedules.shifts(id, range, { signal }),
    placeholderData: keepPreviousData,
  })

/** Those who can be chosen, by their names. */
export const peopleQuery = (api: Api) =>
  queryOptions({
    ...membersQuery(api),
    select: ({ members }) => members.toSorted((one, other) => personText(one).localeCompare(personText(other))),
  })

/** Undefined for who is no member any more. */
export function personOf(members: readonly (Parameters<typeof personText>[0] & { id: string })[], userId: string) {
  const member = members.find(({ id }) => id === userId)
  return member && personText(member)
}

/** `at`: an instant, ISO 8601; undefined: now. */
export const recipientsQuery = ({ organizationId, client }: Api, id: string, at: string | undefined) =>
  queryOptions({
    queryKey: [organizationId, 'escalation-policies', id, 'recipients', at ?? 'now'],
    queryFn: ({ signal }) => client.escalationPolicies.recipients(id, at === undefined ? {} : { at }, { signal }),
    placeholderData: keepPreviousData,
  })
