import { findSeries, readSeries } from '../../../../hosts/series/index.ts'
import { matches, type Matcher } from '../../../../querying/promql/index.ts'
import { MAX_SERIES, requireWithinBounds } from './bounds.ts'
import type { Scope, SeriesSource, Wanted } from './source.ts'

/** An instant and a value. */
const SAMPLE_BYTES = 16

/** What other programs send: by any names. */
export function seriesSource(): SeriesSource {
  return {
    families: [],
    mayHave: () => true,
    list: async (scope, wanted) => (await find(scope, wanted)).map(({ labels }) => labels),
    read: async (scope, wanted) => {
      const found = await find(scope, wanted)
      if (found.length === 0) return { series: [] }
      const window = { fromMs: wanted.fromMs + 1, toMs: wanted.toMs + 1 }
      const samples = await readSeries(scope.from.db, scope.organization, found, window, (samples) =>
        requireWithinBounds({ samples, bytes: SAMPLE_BYTES * samples }),
      )
      return {
        series: found.flatMap(({ number, labels }) => {
          const own = samples.get(number)
          return own ? [{ labels, ...own }] : []
        }),
      }
    },
  }
}

async function find({ from, organization }: Scope, { matchers, fromMs, toMs }: Wanted) {
  const { name, equal } = equalOf(matchers)
  const found = await findSeries(from.db, organization, { name, equal, fromMs, toMs, limit: MAX_SERIES + 1 })
  requireWithinBounds({ series: found.length })
  return found.filter(({ labels }) => matches(matchers, labels))
}

/** The values that labels must have, the name apart. An empty one is an absent label. */
function equalOf(matchers: readonly Matcher[]): { name: string | undefined; equal: Record<string, string> } {
  const given = matchers.filter(({ op, value }) => op === '=' && value !== '')
  const { __name__: name, ...equal } = Object.fromEntries(given.map(({ label, value }) => [label, value]))
  return { name, equal }
}
