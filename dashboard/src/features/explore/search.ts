import { type RangeSearch, rangeSearch } from '../../lib/range.ts'

/** The query stands in the address, which a server reads as a whole: 16 kB. */
export const MOST_CHARACTERS = 4_000

export interface ExploreSearch extends RangeSearch {
  query?: string
  /** A label, or the sign of the value; with a minus before it descending. */
  sort?: string
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value : undefined)

export function exploreSearch(search: Record<string, unknown>): ExploreSearch {
  const [query, sort] = [textOf(search['query']), textOf(search['sort'])]
  return { ...rangeSearch(search), ...(query !== undefined && { query }), ...(sort !== undefined && { sort }) }
}

/** The editor of rules with a query as its condition. */
export function ruleLink(expression: string) {
  const search = { metric: 'promql', expression }
  return { to: '/alerts/rules/add', search } as const
}
