import { matches, type SeriesData } from '../../../../querying/promql/index.ts'
import type { Family } from '../../export/format.ts'
import { MAX_SERIES, requireWithinBounds } from './bounds.ts'
import { type IncidentSpan, listIncidentSpans } from './incidents-store.ts'
import { isNamed } from './names.ts'
import type { Labels, Scope, SeriesSource, Wanted } from './source.ts'
import { type Step, stepSamples, stepSeries } from './steps.ts'

const OPEN: Family = {
  name: 'vedette_incident_open',
  type: 'gauge',
  help: 'Incidents of a rule that are not resolved, from the first of the time on.',
}

/** How many incidents are open. */
export function incidentsSource(): SeriesSource {
  return {
    families: [OPEN],
    mayHave: (matchers) => isNamed(matchers)(OPEN.name),
    list: async (scope, wanted) => (await read(scope, wanted)).map(({ labels }) => ({ ...labels })),
    read: async (scope, wanted) => ({ series: await read(scope, wanted) }),
  }
}

async function read(scope: Scope, wanted: Wanted): Promise<SeriesData[]> {
  const { from, organization } = scope
  const window = { from: new Date(wanted.fromMs), to: new Date(wanted.toMs) }
  const spans = await listIncidentSpans(from.db, organization, window, MAX_SERIES + 1)
  const groups = [...Map.groupBy(spans, ({ rule, severity }) => JSON.stringify([rule, severity])).values()]
  requireWithinBounds({ series: spans.length, samples: 2 * spans.length + groups.length * stepSamples(wanted) })
  return groups.flatMap((own) => {
    const labels = labelsOf(own[0] as IncidentSpan)
    const series = matches(wanted.matchers, labels) ? stepSeries(labels, openSteps(own), wanted, scope) : undefined
    return series ? [series] : []
  })
}

/** Without a rule where it is removed: an empty label is none. */
const labelsOf = ({ rule, severity }: IncidentSpan): Labels => ({ __name__: OPEN.name, ...(rule !== null && { rule }), severity })

/** How many are open from the first opening on, at each change. Pure. */
export function openSteps(spans: readonly Pick<IncidentSpan, 'openedAtMs' | 'resolvedAtMs'>[]): Step[] {
  const changes = spans.flatMap(({ openedAtMs, resolvedAtMs }) => [
    { atMs: openedAtMs, by: 1 },
    ...(resolvedAtMs === null ? [] : [{ atMs: resolvedAtMs, by: -1 }]),
  ])
  let open = 0
  const byInstant = new Map<number, number>()
  for (const { atMs, by } of changes.toSorted((one, other) => one.atMs - other.atMs)) byInstant.set(atMs, (open += by))
  return [...byInstant].map(([atMs, value]) => ({ atMs, value }))
}
