import { ENTITY_KINDS, type EntityField, type EntityKindName } from '@vedette/shared'
import { findEntities, type ReceivedReadings, readReceivedReadings, valuesAt } from '../../../hosts/entities/index.ts'
import { UNSENT_KEPT_MS } from '../../../hosts/metrics/index.ts'
import { type EntitySeries, findHosts, isOfSensor, labelsOf, seriesOfEntity } from '../../prometheus/index.ts'
import type { ExportedSeries, Resource } from '../series/exported-series.ts'
import { resourceOfHost } from './host-resource.ts'
import { lazily } from './lazily.ts'
import { UNITS } from './otlp-names.ts'
import type { ExportSource } from './source.ts'

const PUSHES_AT_ONCE = 50

/** What is known of an entity. */
export interface NamedEntity {
  kind: EntityKindName
  name: string
  attributes: Readonly<Record<string, string>>
}

interface NamedSeries extends EntitySeries {
  unit: string
}

type EntityNaming = (entity: NamedEntity, hostLabels: Readonly<Record<string, string>>) => NamedSeries[]

const NAMINGS: Readonly<Record<'remote_write' | 'otlp', EntityNaming>> = {
  /** As Prometheus reads entities here. */
  remote_write: (entity, hostLabels) => seriesOfEntity(entity, hostLabels).map((one) => ({ ...one, unit: '' })),
  /** By kind and field, in their units; the host is the resource. A host's own metrics have names of their own. */
  otlp: (entity) =>
    seriesOfEntity(entity, {}).map((one) => {
      if (entity.kind === 'metric') return { ...one, unit: '' }
      const { unit } = (ENTITY_KINDS[entity.kind].fields as Record<string, EntityField>)[one.field] as EntityField
      return { ...one, name: `vedette.${entity.kind}.${one.field}`, unit: UNITS[unit] ?? '', factor: 1 }
    }),
}

/** Values of containers, disks, services and the like, and the hosts' own metrics. */
export const entitiesSource: ExportSource = {
  read: async (db, { organization, kind }, after, untilMs) => {
    const found = await readReceivedReadings(db, organization, after, untilMs, PUSHES_AT_ONCE)
    const [hosts, entities] = await Promise.all([
      findHosts(db, organization, [...new Set(found.map(({ place }) => place.server))]),
      findEntities(db, organization, keysOf(found)),
    ])
    const named = new Map(entities.map((row) => [`${row.server}/${row.number}`, row]))
    const known = new Map(hosts.map((host) => [host.number, { resource: resourceOfHost(host), labels: labelsOf(host) }]))
    // Of an entity all names are the same in each reading.
    const namings = new Map<string, NamedSeries[]>()
    return {
      isAll: found.length < PUSHES_AT_ONCE,
      pushes: found.map((readings) => {
        const { place } = readings
        const host = known.get(place.server)
        const seriesOf = (number: number, entityKind: EntityKindName): NamedSeries[] => {
          const key = `${place.server}/${number}`
          const row = named.get(key)
          const own = namings.get(key) ?? (row && host ? NAMINGS[kind]({ ...row, kind: entityKind }, host.labels) : [])
          namings.set(key, own)
          return own
        }
        return { place, path: '', series: lazily(() => (host ? seriesOfReadings(readings, host.resource, seriesOf) : [])) }
      }),
    }
  },
  keptMs: UNSENT_KEPT_MS,
  estimate: () => Promise.resolve(undefined),
}

/** One value of each series. Pure. */
export function* seriesOfReadings(
  { place, columns }: Pick<ReceivedReadings, 'place' | 'columns'>,
  resource: Resource,
  seriesOf: (number: number, kind: EntityKindName) => readonly NamedSeries[],
): Generator<ExportedSeries> {
  for (const [kind, own] of columns)
    for (const [index, number] of own.atMs.entries()) {
      const values = valuesAt(kind, own, index)
      for (const { name, labels, unit, field, factor } of seriesOf(number, kind)) {
        const value = values[field]
        if (value === undefined || !isOfSensor(kind, field, values['temperature_celsius'] !== undefined)) continue
        const [atMs, scaled] = [Float64Array.of(place.t0Ms), Float64Array.of(value * factor)]
        yield { resource, name, unit, labels, isCounter: false, atMs, values: scaled }
      }
    }
}

function keysOf(found: readonly ReceivedReadings[]): { server: number; number: number }[] {
  const keys = new Map<string, { server: number; number: number }>()
  for (const { place, columns } of found)
    for (const { atMs } of columns.values())
      for (const number of atMs) keys.set(`${place.server}/${number}`, { server: place.server, number })
  return [...keys.values()]
}
