import type { States } from '@vedette/shared'
import { shownStatus, type State } from './states.ts'

const SEVERITY: readonly string[] = ['offline', 'down', 'critical', 'degraded', 'warning', 'pending', 'paused', 'online', 'up']

/** The states that share a tag. */
export interface TagGroup {
  /** Undefined: those without a tag. */
  tag: string | undefined
  total: number
  /** How many there are of each status, the worst first. */
  counts: readonly (readonly [status: string, count: number])[]
}

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
 * What has several is in several.
 */
export function groupStates(states: readonly State[], key: string | undefined): StateGroup[] {
  const prefix = key === undefined ? '' : `${key}:`
  const groups = new Map<string | undefined, State[]>()
  for (const state of states) {
    const labels = state.tags.filter((tag) => tag.startsWith(prefix)).map((tag) => tag.slice(prefix.length))
    for (const label of labels.length === 0 ? [undefined] : labels) {
      const group = groups.get(label)
      if (group) group.push(state)
      else groups.set(label, [state])
    }
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

/** The groups by tag with how many there are of each status. */
export const groupByTag = (states: readonly State[]): TagGroup[] =>
  groupStates(states, undefined).map(({ label, states: of }) => {
    const statuses = of.map(shownStatus)
    const found = SEVERITY.filter((status) => statuses.includes(status))
    const counts = found.map((status) => [status, statuses.filter((each) => each === status).length] as const)
    return { tag: label, total: of.length, counts }
  })

/** All tags in use, by name. */
export const tagsOf = ({ monitors, servers }: States): string[] =>
  [...new Set([...monitors, ...servers].flatMap(({ tags }) => tags))].toSorted((one, other) => one.localeCompare(other))
