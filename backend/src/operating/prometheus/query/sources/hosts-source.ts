import { type FieldSamples, readSlotsOfServers, type SlotRow } from '../../../../hosts/metrics/index.ts'
import { offlineAfterMs } from '../../../../hosts/servers/index.ts'
import { matches } from '../../../../querying/promql/index.ts'
import { HOST_FAMILIES } from '../../export/families.ts'
import type { Family } from '../../export/format.ts'
import { type Figure, figuresOfFamilies, type FiguresOf, OF_SAMPLES, OF_SLOTS, same } from '../../export/host-figures.ts'
import { labelsOf } from '../../export/hosts.ts'
import { type HostRow, listHosts } from '../../export/store.ts'
import { createFieldReader, type FieldDeps } from './host-fields.ts'
import { isNamed, mayMatch } from './names.ts'
import type { Labels, Scope, SeriesSource, Wanted } from './source.ts'

/** Behind a name: the maxima, where means of five minutes answer. */
export const MAXIMA = ':max'

interface HostSeries {
  labels: Labels
  server: number
  figure: Figure
  isMaximum: boolean
}

const FAMILIES: readonly Family[] = [
  ...new Map(
    [
      HOST_FAMILIES.info,
      HOST_FAMILIES.bootTime,
      ...OF_SAMPLES.map(({ family }) => family),
      ...OF_SLOTS.map(({ published }) => published.family),
    ].map((family) => [family.name, family]),
  ).values(),
]

const NAMES = FAMILIES.map(({ name }) => name)

export type HostSourceDeps = FieldDeps & { pushIntervalSeconds: number }

/** What samples of hosts say, with their filesystems and interfaces. */
export function hostsSource(deps: HostSourceDeps): SeriesSource {
  const readFields = createFieldReader(deps)
  const presenceMs = offlineAfterMs(deps.pushIntervalSeconds)

  async function findHosts({ from, organization }: Scope, { matchers, fromMs }: Wanted): Promise<HostRow[]> {
    const hosts = await listHosts(from.db, organization, [], fromMs)
    // To write the id of a host costs more than all else of it.
    if (!matchers.some(({ label }) => label === 'instance' || label === 'server_id')) return hosts
    return hosts.filter((host) => mayMatch(matchers, labelsOf(host)))
  }

  async function find(scope: Scope, wanted: Wanted): Promise<HostSeries[]> {
    const { from, organization } = scope
    const { matchers } = wanted
    const isWanted = isNamed(matchers)
    const own = await findHosts(scope, wanted)
    const needsSlots = OF_SLOTS.some(({ published: { family } }) => isEither(isWanted, family.name))
    const slots = needsSlots
      ? await readSlotsOfServers(
          from.db,
          organization,
          own.map(({ number }) => number),
        )
      : new Map<number, SlotRow[]>()
    const figuresOf = figuresOfFamilies(({ name }) => isEither(isWanted, name))
    return own
      .flatMap((host) => seriesOf(host, figuresOf(host, slots.get(host.number) ?? []), isWanted))
      .filter(({ labels }) => matches(matchers, labels))
  }

  return {
    families: FAMILIES,
    mayHave: (matchers) => FAMILIES.some(({ name }) => isEither(isNamed(matchers), name)),
    list: async (scope, wanted) => {
      const { matchers, label = '' } = wanted
      if (!OF_HOSTS.has(label) || !matchers.every((matcher) => OF_HOSTS.has(matcher.label)))
        return (await find(scope, wanted)).map(({ labels }) => labels)
      const hosts = await findHosts(scope, wanted)
      if (label === 'instance') return hosts.map(({ name }) => ({ instance: name }))
      if (label === 'server_id') return hosts.map(labelsOf)
      return hosts.length === 0 ? [] : NAMES.filter(isNamed(matchers)).map((name) => ({ __name__: name }))
    },
    read: async (scope, wanted) => {
      const found = await find(scope, wanted)
      if (found.length === 0) return { series: [] }
      const fields = await readFields(scope, wanted, {
        servers: [...new Set(found.map(({ server }) => server))],
        groups: [...new Set(found.map(({ figure }) => figure.group))],
        fieldIds: new Set(found.flatMap(({ figure }) => figure.fieldIds)),
        series: found.length,
      })
      const lookbackMs = fields.hasMeans ? undefined : presenceMs
      return {
        series: found.flatMap(({ server, labels, figure, isMaximum }) => {
          const own = figure.fieldIds.map((id) => fields.byServer.get(server)?.get(id))
          const columns = own.every((column) => column !== undefined) ? valuesOf(figure, own, isMaximum) : undefined
          if (!columns || columns.atMs.length === 0) return []
          return [{ labels, ...columns, ...(lookbackMs !== undefined && { lookbackMs }) }]
        }),
        hasMeans: fields.hasMeans,
      }
    },
  }
}

const isEither = (isWanted: (name: string) => boolean, name: string): boolean => isWanted(name) || isWanted(name + MAXIMA)

/** Labels that need no look at samples. */
const OF_HOSTS: ReadonlySet<string> = new Set(['__name__', 'instance', 'server_id'])

function seriesOf(host: HostRow, figures: ReturnType<FiguresOf>, isWanted: (name: string) => boolean): HostSeries[] {
  const own = labelsOf(host)
  return figures.flatMap(({ family, more, figure }) =>
    [family.name, family.name + MAXIMA].filter(isWanted).map((name) => ({
      labels: { __name__: name, ...own, ...more },
      server: host.number,
      figure,
      isMaximum: name !== family.name,
    })),
  )
}

/** Of one field, or of the instants that two fields share. */
function valuesOf({ valueOf }: Figure, [first, second]: readonly FieldSamples[], isMaximum: boolean) {
  if (!first) return undefined
  const source = isMaximum ? first.maxima : first.values
  if (valueOf === same) return { atMs: first.atMs, values: source }
  const atMs = new Float64Array(first.atMs.length)
  const values = new Float64Array(first.atMs.length)
  let [count, other] = [0, 0]
  for (let index = 0; index < first.atMs.length; index++) {
    const at = first.atMs[index] as number
    if (second) {
      while (other < second.atMs.length && (second.atMs[other] as number) < at) other++
      if (second.atMs[other] !== at) continue
    }
    atMs[count] = at
    values[count] = valueOf(source[index] as number, at, second?.values[other] ?? Number.NaN)
    count++
  }
  return { atMs: atMs.subarray(0, count), values: values.subarray(0, count) }
}
