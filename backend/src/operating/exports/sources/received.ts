import { UNSENT_KEPT_MS } from '../../../hosts/metrics/index.ts'
import {
  countSeriesSamples,
  findFamilies,
  findLabels,
  readReceivedSeries,
  type Samples,
  type SeriesFamily,
} from '../../../hosts/series/index.ts'
import type { ExportedSeries, Resource } from '../series/exported-series.ts'
import { lazily } from './lazily.ts'
import type { ExportSource } from './source.ts'

/** A request may have 10,000 samples. */
const PUSHES_AT_ONCE = 20

/** What came by remote write and OTLP, as it came. */
export const receivedSource: ExportSource = {
  read: async (db, { organization, kind }, after, untilMs) => {
    const found = await readReceivedSeries(db, organization, after, untilMs, PUSHES_AT_ONCE)
    const labels = await findLabels(db, organization, [...new Set(found.flatMap(({ samples }) => [...samples.keys()]))])
    const names = new Set([...labels.values()].flatMap(({ __name__: name = '' }) => familyNamesOf(name)))
    const families = new Map((await findFamilies(db, organization, [...names])).map((one) => [one.name, one]))
    const naming = kind === 'otlp' ? seriesAsOtlp : seriesAsPrometheus
    const named = new Map([...labels].map(([number, own]) => [number, naming(own, families)]))
    return {
      isAll: found.length < PUSHES_AT_ONCE,
      pushes: found.map(({ place, exportPath, samples }) => ({
        place,
        path: exportPath,
        series: lazily(() => seriesOf(samples, named)),
      })),
    }
  },
  keptMs: UNSENT_KEPT_MS,
  estimate: countSeriesSamples,
}

type NamedSeries = Omit<ExportedSeries, 'atMs' | 'values'>

function* seriesOf(samples: ReadonlyMap<number, Samples>, named: ReadonlyMap<number, NamedSeries>): Generator<ExportedSeries> {
  for (const [number, own] of samples) {
    const series = named.get(number)
    if (series) yield { ...series, ...own }
  }
}

type Labels = Readonly<Record<string, string>>
type Families = ReadonlyMap<string, SeriesFamily>

/** What ends the names of the series of a family that has several, or of a counter. */
const PARTS = /_(?:total|bucket|count|sum)$/

/** The names of families that a series may be of: its own one first. */
const familyNamesOf = (name: string): string[] => (PARTS.test(name) ? [name, name.replace(PARTS, '')] : [name])

function familyOf(name: string, families: Families): SeriesFamily | undefined {
  for (const one of familyNamesOf(name)) {
    const found = families.get(one)
    if (found) return found
  }
  return undefined
}

/** Remote write has no resources. */
const NO_RESOURCE: Resource = { id: '', attributes: {}, scope: '' }

/** With its own name and labels. Pure. */
export function seriesAsPrometheus({ __name__: name = '', ...labels }: Labels, families: Families): NamedSeries {
  const family = familyOf(name, families)
  return { resource: NO_RESOURCE, name, unit: '', labels, isCounter: false, ...(family && { family }) }
}

/**
 * With its own name, `job` and `instance` as those of the resource, and all other labels as attributes. Without a unit, which
 * receivers would add to the name. Parts of histograms and summaries are gauges: alone they are no metric of OTLP. Pure.
 */
export function seriesAsOtlp(
  { __name__: name = '', job = '', instance = '', ...labels }: Labels,
  families: Families,
): NamedSeries {
  const attributes = {
    ...(job !== '' && { 'service.name': job }),
    ...(instance !== '' && { 'service.instance.id': instance }),
  }
  const isCounter = familyOf(name, families)?.type === 'counter' && !/_(?:bucket|count|sum)$/.test(name)
  return { resource: { id: JSON.stringify(attributes), attributes, scope: '' }, name, unit: '', labels, isCounter }
}
