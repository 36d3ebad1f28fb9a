import type { States } from '@vedette/shared'
import { shownStatus, type State } from './states.ts'

/** The worst first. */
export const SEVERITY: readonly string[] = [
  'offline',
  'down',
  'critical',
  'degraded',
  'warning',
  'pending',
  'idle',
  'paused',
  'online',
  'up',
]

/** States that share a tag, or the value of a tag such as `site:berlin`. */
export interface StateGroup {
  /** Undefined: those without one. */
  label: string | undefined
  /** The worst first, as they came. */
  states: readonly State[]
}

/** The names before the colon of tags such as `site:berlin`, which have more than one value, by name. */
export function tagKeysOf(states: readonly State[]): string[] {
  const values = new Map<string, Set<string>>()
  for (const tag of new Set(states.flatMap(({ tags }) => tags))) {
    const [key = '', ...rest] = tag.split(':')
    if (key !== '' && rest.length > 0) values.set(key, (values.get(key) ?? new Set()).add(rest.join(':')))
  }
  return [...values]
    .filter(([, found]) => found.size > 1)
    .map(([key]) => key)
    .toSorted((one, other) => one.localeCompare(other))
}

/**
 * The groups by tag, or by the value of the tags with this key: that with the worst status first, then by name; the rest last.
 * What has several tags is shown once, by the first of them.
 */
export function groupStates(states: readonly State[], key: string | undefined): StateGroup[] {
  const prefix = key === undefined ? '' : `${key}:`
  const groups = new Map<string | undefined, State[]>()
  for (const state of states) {
    const label = state.tags.find((tag) => tag.startsWith(prefix))?.slice(prefix.length)
    const group = groups.get(label)
    if (group) group.push(state)
    else groups.set(label, [state])
  }
  return [...groups]
    .map(([label, of]) => ({ label, states: of, rank: Math.min(...of.map(rankOf)) }))
    .toSorted((one, other) => {
      if (one.label === undefined || other.label === undefined)
        return Number(one.label === undefined) - Number(other.label === undefined)
      return one.rank - other.rank || one.label.localeCompare(other.label)
    })
}

const rankOf = (state: State): number => SEVERITY.indexOf(shownStatus(state))

/** All tags in use, by name. */
export const tagsOf = ({ monitors, servers }: States): string[] =>
  [...new Set([...monitors, ...servers].flatMap(({ tags }) => tags))].toSorted((one, other) => one.localeCompare(other))
