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

const SEVERITY: readonly string[] = ['offline', 'down', 'critical', 'degraded', 'warning', 'pending', 'paused', 'online', 'up']

/** The states that share a tag. */
export interface TagGroup {
  /** Undefined: those without a tag. */
  tag: string | undefined
  total: number
  /** How many there are of each status, the worst first. */
  counts: readonly (readonly [status: string, count: number])[]
}

/** The groups by tag, that with the worst status first, then by name; those without a tag last. What has several tags is in several. */
export function groupByTag(states: readonly State[]): TagGroup[] {
  const groups = new Map<string | undefined, Map<string, number>>()
  for (const state of states) {
    const status = shownStatus(state)
    for (const tag of state.tags.length === 0 ? [undefined] : state.tags) {
      const counts = groups.get(tag) ?? new Map<string, number>()
      groups.set(tag, counts.set(status, (counts.get(status) ?? 0) + 1))
    }
  }
  const rank = ({ counts: [first] }: TagGroup): number => (first ? SEVERITY.indexOf(first[0]) : SEVERITY.length)
  return [...groups]
    .map(
      ([tag, counts]): TagGroup => ({
        tag,
        total: [...counts.values()].reduce((sum, count) => sum + count, 0),
        counts: [...counts].toSorted(([one], [other]) => SEVERITY.indexOf(one) - SEVERITY.indexOf(other)),
      }),
    )
    .toSorted((one, other) => {
      if (one.tag === undefined || other.tag === undefined) return Number(one.tag === undefined) - Number(other.tag === undefined)
      return rank(one) - rank(other) || one.tag.localeCompare(other.tag)
    })
}

/** All tags in use, by name. */
export const tagsOf = ({ monitors, servers }: States): string[] =>
  [...new Set([...monitors, ...servers].flatMap(({ tags }) => tags))].toSorted((one, other) => one.localeCompare(other))
