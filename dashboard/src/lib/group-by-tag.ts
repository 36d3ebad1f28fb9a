import { groupStates, SEVERITY } from './state-groups.ts'
import { shownStatus, type State } from './states.ts'

/** The states that share a tag. */
export interface TagGroup {
  /** Undefined: those without a tag. */
  tag: string | undefined
  total: number
  /** How many there are of each status, the worst first. */
  counts: readonly (readonly [status: string, count: number])[]
}

const byEachTag = (state: State): State[] =>
  state.tags.length < 2 ? [state] : state.tags.map((tag) => ({ ...state, tags: [tag] }))

/** The groups by tag with how many there are of each status: what has several tags is in several, as the lists that they open. */
export const groupByTag = (states: readonly State[]): TagGroup[] =>
  groupStates(states.flatMap(byEachTag), undefined).map(({ label, states: of }) => {
    const statuses = of.map(shownStatus)
    const found = SEVERITY.filter((status) => statuses.includes(status))
    const counts = found.map((status) => [status, statuses.filter((each) => each === status).length] as const)
    return { tag: label, total: of.length, counts }
  })
