import {
  countSeries,
  findLabels,
  findSeries,
  findSeriesNumbers,
  type FoundSeries,
  pageSeries,
  readSeries,
} from '../../../../hosts/series/index.ts'
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
      const { from, organization } = scope
      // Of many that come and go few have samples in the window: the labels of these alone are read where no matcher needs others.
      const labelled = isExact(wanted.matchers) ? undefined : await find(scope, wanted)
      const found = labelled ?? (await findNumbers(scope, wanted))
      if (found.length === 0) return { series: [] }
      const window = { fromMs: wanted.fromMs + 1, toMs: wanted.toMs + 1 }
      const samples = await readSeries(from.db, organization, found, window, (samples) =>
        requireWithinBounds({ samples, bytes: SAMPLE_BYTES * samples }),
      )
      const labelsOf = labelled
        ? new Map(labelled.map(({ number, labels }) => [number, labels]))
        : await findLabels(from.db, organization, [...samples.keys()])
      return {
        series: found.flatMap(({ number }) => {
          const [own, labels] = [samples.get(number), labelsOf.get(number)]
          return own && labels ? [{ labels, ...own }] : []
        }),
      }
    },
  }
}

async function find({ from, organization }: Scope, wanted: Wanted): Promise<FoundSeries[]> {
  const filter = filterOf(wanted)
  if (filter.name !== undefined) {
    const found = await findSeries(from.db, organization, filter)
    requireWithinBounds({ series: found.length })
    return found.filter(({ labels }) => matches(wanted.matchers, labels))
  }
  // Of any name: refused before their labels are read, and no labels are kept that do not match.
  requireWithinBounds({ series: await countSeries(from.db, organization, filter) })
  const kept: FoundSeries[] = []
  let bytes = 0
  for await (const page of pageSeries(from.db, organization, filter)) {
    for (const one of page) {
      if (!matches(wanted.matchers, one.labels)) continue
      kept.push(one)
      for (const name in one.labels) bytes += LABEL_BYTES + name.length + (one.labels[name] as string).length
    }
    requireWithinBounds({ bytes })
  }
  return kept
}

/** Of a label in memory, in addition to its characters. */
const LABEL_BYTES = 32

async function findNumbers({ from, organization }: Scope, wanted: Wanted) {
  const found = await findSeriesNumbers(from.db, organization, filterOf(wanted))
  requireWithinBounds({ series: found.length })
  return found
}

/** The instants of a window are (fromMs, toMs]. */
const filterOf = ({ matchers, fromMs, toMs }: Wanted) => ({
  ...equalOf(matchers),
  fromMs,
  toMs: toMs + 1,
  limit: MAX_SERIES + 1,
})

/** What the database finds by itself. */
const isExact = (matchers: readonly Matcher[]): boolean =>
  matchers.every(({ op, value }) => op === '=' && value !== '') &&
  new Set(matchers.map(({ label }) => label)).size === matchers.length

/** The values that labels must have, the name apart. An empty one is an absent label. */
function equalOf(matchers: readonly Matcher[]): { name: string | undefined; equal: Record<string, string> } {
  const given = matchers.filter(({ op, value }) => op === '=' && value !== '')
  const { __name__: name, ...equal } = Object.fromEntries(given.map(({ label, value }) => [label, value]))
  return { name, equal }
}
