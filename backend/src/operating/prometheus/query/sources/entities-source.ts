import type { EntityKindName } from '@vedette/shared'
import { type EntityHistory, listSeen, readHistories, type SeenEntity } from '../../../../hosts/entities/index.ts'
import { offlineAfterMs } from '../../../../hosts/servers/index.ts'
import { matches } from '../../../../querying/promql/index.ts'
import { ENTITY_FIGURES, type EntityFigure, isOfSensor, seriesOfEntity } from '../../export/entity-figures.ts'
import { labelsOf } from '../../export/hosts.ts'
import { type HostRow, listHosts } from '../../export/store.ts'
import { requireWithinBounds } from './bounds.ts'
import { isNamed, mayBeOwn, mayMatch } from './names.ts'
import type { Labels, Scope, SeriesSource, Wanted } from './source.ts'

interface EntitySeries {
  labels: Labels
  entity: SeenEntity
  field: string
  factor: number
}

/** What is read of containers, disks, sensors and the like, and the hosts' own metrics. */
export function entitiesSource({ pushIntervalSeconds }: { pushIntervalSeconds: number }): SeriesSource {
  // They are read once a push.
  const lookbackMs = offlineAfterMs(pushIntervalSeconds)

  async function find({ from, organization }: Scope, { matchers, fromMs }: Wanted): Promise<EntitySeries[]> {
    const isWanted = isNamed(matchers)
    const figures = ENTITY_FIGURES.filter(({ published }) => isWanted(published.family.name))
    const kinds = [
      ...new Set<EntityKindName>([...figures.map(({ kind }) => kind), ...(mayBeOwn(matchers) ? ['metric' as const] : [])]),
    ]
    const hosts = (await listHosts(from.db, organization, [], fromMs)).filter((host) => mayMatch(matchers, labelsOf(host)))
    const byNumber = new Map(hosts.map((host) => [host.number, host]))
    const entities = await listSeen(from.db, organization, [...byNumber.keys()], kinds, fromMs)
    return entities
      .flatMap((entity) => seriesOf(entity, labelsOf(byNumber.get(entity.server) as HostRow), figures))
      .filter(({ labels }) => matches(matchers, labels))
  }

  return {
    families: [...new Map(ENTITY_FIGURES.map(({ published: { family } }) => [family.name, family])).values()],
    mayHave: (matchers) => ENTITY_FIGURES.some(({ published }) => isNamed(matchers)(published.family.name)) || mayBeOwn(matchers),
    list: async (scope, wanted) => {
      // Their hosts are listed by what else these have.
      if (wanted.matchers.length === 0 && (wanted.label === 'instance' || wanted.label === 'server_id')) return []
      return withoutRepeats(await find(scope, wanted)).map(({ labels }) => labels)
    },
    read: async (scope, wanted) => {
      const { from, organization } = scope
      const window = { fromMs: wanted.fromMs + 1, toMs: wanted.toMs + 1 }
      const found = withoutRepeats(await find(scope, wanted))
      const series = []
      let samples = 0
      for (const [server, own] of Map.groupBy(found, ({ entity }) => entity.server)) {
        // All of a host is read at once.
        requireWithinBounds({ samples: samples + mostSamples(own, wanted, pushIntervalSeconds) })
        const entities = [...new Set(own.map(({ entity }) => entity))]
        const histories = await readHistories(from.db, { organization, server, entities }, window)
        for (const one of own) {
          const columns = valuesOf(one, histories.get(one.entity.number))
          if (!columns || columns.atMs.length === 0) continue
          samples += columns.atMs.length
          series.push({ labels: one.labels, ...columns, lookbackMs })
        }
      }
      return { series }
    },
  }
}

/** A reading with each push since an entity was first seen. Pure. */
export const mostSamples = (
  series: readonly { entity: Pick<SeenEntity, 'first_seen'> }[],
  { fromMs, toMs }: Pick<Wanted, 'fromMs' | 'toMs'>,
  pushIntervalSeconds: number,
): number =>
  series.reduce(
    (sum, { entity }) =>
      sum + Math.max(0, Math.ceil((toMs - Math.max(fromMs, entity.first_seen)) / (1_000 * pushIntervalSeconds))),
    0,
  )

const seriesOf = (entity: SeenEntity, host: Labels, figures: readonly EntityFigure[]): EntitySeries[] =>
  seriesOfEntity(entity, host, figures).map(({ name, labels, field, factor }) => ({
    labels: { __name__: name, ...labels },
    entity,
    field,
    factor,
  }))

/** Two metrics of a host that are written in different ways may be one series: the first stands, as for scrapers. */
function withoutRepeats(found: readonly EntitySeries[]): EntitySeries[] {
  const keyOf = (labels: Labels) => JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return [...new Map(found.toReversed().map((one) => [keyOf(one.labels), one])).values()].toReversed()
}

function valuesOf({ entity: { kind }, field, factor }: EntitySeries, history: EntityHistory | undefined) {
  if (!isOfSensor(kind, field, history?.valuesOf('temperature_celsius') !== undefined)) return undefined
  const values = history?.valuesOf(field)
  if (!history || !values) return undefined
  const taken = [...values.keys()].filter((index) => !Number.isNaN(values[index]))
  return {
    atMs: Float64Array.from(taken, (index) => history.atMs[index] as number),
    values: Float64Array.from(taken, (index) => (values[index] as number) * factor),
  }
}
