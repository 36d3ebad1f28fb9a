import type { States } from '@vedette/shared'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, pollEvery } from './api.ts'
import { isUnwell } from './server-status.ts'

/** The status of everything that is watched. */
export const statesQuery = ({ organizationId, client }: Api) =>
  queryOptions({
    queryKey: [organizationId, 'overview', 'states'],
    queryFn: ({ signal }) => client.overview.states({ signal }),
    placeholderData: keepPreviousData,
    refetchInterval: pollEvery(30_000, 60_000),
  })

export type State = States['monitors'][number] | States['servers'][number]

/** The status that the page shows. */
export function shownStatus(state: Pick<State, 'status' | 'waiting'> & { health?: string }): string {
  const { status, waiting, health = 'ok' } = state
  if (waiting) return 'pending'
  return status === 'online' && isUnwell(health) ? health : status
}
