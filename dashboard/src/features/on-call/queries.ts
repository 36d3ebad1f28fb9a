import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from '../../lib/api.ts'
import { membersQuery } from '../../lib/member-queries.ts'
import { personText } from '../../lib/person.ts'

export const scheduleQuery = ({ organizationId, client }: Api, id: string) =>
  queryOptions({
    queryKey: [organizationId, 'schedules', id],
    queryFn: ({ signal }) => client.schedules.read(id, { signal }),
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

/** `at`: an instant, ISO 8601; undefined: now. */
export const recipientsQuery = ({ organizationId, client }: Api, id: string, at: string | undefined) =>
  queryOptions({
    queryKey: [organizationId, 'escalation-policies', id, 'recipients', at ?? 'now'],
    queryFn: ({ signal }) => client.escalationPolicies.recipients(id, at === undefined ? {} : { at }, { signal }),
    placeholderData: keepPreviousData,
  })
