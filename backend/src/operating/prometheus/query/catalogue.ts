import { type Matcher, planQuery, PromqlError, type Selection, type SeriesData } from '../../../querying/promql/index.ts'
import { HOUR_MS, oldestReadableMs } from '@vedette/shared'
import { requireWithinBounds } from './sources/bounds.ts'
import type { Family } from '../export/format.ts'
import type { Labels, Scope, SeriesSource, Wanted } from './sources/source.ts'

export interface Listing {
  /** None: all series. */
  selectors: readonly (readonly Matcher[])[]
  fromMs: number
  toMs: number
  /** The label whose values alone are wanted. */
  label?: string
}

/** All sources as one. */
export interface Catalogue {
  read(scope: Scope, selection: Selection): Promise<{ series: SeriesData[]; hasMeans: boolean }>
  /** The labels of series that match one of the selectors, each once. */
  list(scope: Scope, listing: Listing): Promise<Labels[]>
  families: readonly Family[]
}

export function createCatalogue(sources: readonly SeriesSource[], retentionMs: number): Catalogue {
  const of = (matchers: readonly Matcher[]) => sources.filter((source) => source.mayHave(matchers))

  async function listOne(scope: Scope, matchers: readonly Matcher[], { fromMs, toMs, label }: Listing): Promise<Labels[]> {
    const wanted: Wanted = { matchers, fromMs, toMs, stepMs: 0, rangeMs: undefined, ...(label !== undefined && { label }) }
    const found = await Promise.all(of(matchers).map((source) => source.list(scope, wanted)))
    const all = found.flat()
    requireWithinBounds({ series: all.length })
    return all
  }

  return {
    families: sources.flatMap(({ families }) => families),
    read: async (scope, selection) => {
      const wanted = withinReach(scope, selection, retentionMs)
      if (wanted.fromMs >= wanted.toMs) return { series: [], hasMeans: false }
      const found = await Promise.all(of(wanted.matchers).map((source) => source.read(scope, wanted)))
      const all = found.flatMap(({ series }) => series)
      requireWithinBounds({ series: all.length })
      return { series: all, hasMeans: found.some(({ hasMeans }) => hasMeans === true) }
    },
    list: async (scope, listing) => {
      const [only = [], ...others] = listing.selectors
      if (others.length === 0) return listOne(scope, only, listing)
      const all = await Promise.all(listing.selectors.map((matchers) => listOne(scope, matchers, listing)))
      return [...new Map(all.flat().map((labels) => [JSON.stringify(Object.entries(labels).toSorted(byName)), labels])).values()]
    },
  }
}

/** Nothing is there before or after, however long a range is: no source makes room for it. */
const withinReach = ({ plan, nowMs }: Scope, selection: Selection, retentionMs: number): Selection => ({
  ...selection,
  fromMs: Math.max(selection.fromMs, oldestReadableMs(plan, nowMs), nowMs - retentionMs),
  toMs: Math.min(selection.toMs, nowMs + HOUR_MS),
})

const byName = ([one]: [string, string], [other]: [string, string]): number => (one < other ? -1 : one > other ? 1 : 0)

/** The matchers of a `match[]`. Throws PromqlError. */
export function matchersOf(selector: string): readonly Matcher[] {
  const { type, selections } = planQuery(selector, { startMs: 0, endMs: 0, stepMs: 0, lookbackMs: 1 })
  const [only, ...others] = selections
  if (type !== 'vector' || !only || others.length > 0 || only.func !== undefined)
    throw new PromqlError('bad_data', `invalid parameter "match[]": ${JSON.stringify(selector)} is no selector of series`)
  return only.matchers
}
