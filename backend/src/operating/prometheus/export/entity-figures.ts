import { ENTITY_KINDS, type EntityKindName } from '@vedette/shared'
import { entityFigure, entityLabels, isOurs, type Published } from './families.ts'
import { ownSeries } from './own-metrics.ts'

/** What a field of entities of a kind is called. */
export interface EntityFigure {
  kind: EntityKindName
  field: string
  published: Published
}

/** Of all kinds but a host's own metrics, whose names are their own. */
export const ENTITY_FIGURES: readonly EntityFigure[] = (Object.keys(ENTITY_KINDS) as EntityKindName[])
  .filter((kind) => kind !== 'metric')
  .flatMap((kind) =>
    Object.keys(ENTITY_KINDS[kind].fields).flatMap((field) => {
      const published = entityFigure(kind, field)
      return published ? [{ kind, field, published }] : []
    }),
  )

/** A series of an entity: its name, its labels without the name, and where its values come from. */
export interface EntitySeries {
  name: string
  labels: Record<string, string>
  field: string
  factor: number
}

/** All series of an entity, or those of these figures. A host's own metric whose name is none, or is taken, has none. */
export function seriesOfEntity(
  { kind, name, attributes }: { kind: EntityKindName; name: string; attributes: Readonly<Record<string, string>> },
  host: Readonly<Record<string, string>>,
  figures: readonly EntityFigure[] = ENTITY_FIGURES,
): EntitySeries[] {
  if (kind === 'metric') {
    const own = ownSeries(name, host, isOurs)
    return own ? [{ ...own, field: 'value', factor: 1 }] : []
  }
  return figures
    .filter((figure) => figure.kind === kind)
    .map(({ field, published: { family, labels, factor } }) => ({
      name: family.name,
      labels: { ...host, ...entityLabels(kind, name, attributes), ...labels },
      field,
      factor,
    }))
}

/** The limit of a sensor is in the unit of its value: a temperature's stands without one for nothing. */
export const isOfSensor = (kind: EntityKindName, field: string, hasTemperature: boolean): boolean =>
  kind !== 'sensor' || field !== 'critical_celsius' || hasTemperature
