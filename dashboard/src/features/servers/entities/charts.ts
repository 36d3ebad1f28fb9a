import type { AlertRule, Entity, EntityMetrics } from '@vedette/shared'
import type { EntityKindName, EntityUnit } from '@vedette/shared/tables'
import type { ChartProps, Line } from '../../../components/chart/types.ts'
import { fieldName, fieldsOf, formatOf } from '../../../lib/entity-texts.ts'
import { entities as text } from '../../../messages/entities.ts'

type Series = NonNullable<EntityMetrics['series']>
type Spec = Pick<ChartProps, 'title' | 'format' | 'lines' | 'atLeast' | 'atMost'>

/** A level that says nothing over time, or is of another scale than the other counts. */
const NOT_CHARTED = new Set(['exit_code', 'power_on_hours'])
const titles: Readonly<Record<string, string>> = text.charts

const COLORS: readonly Line['color'][] = [1, 2, 3, 4, 5, 6]

/** The chart of a field: what has the same unit shares one, apart from network and disk. */
function chartOf(field: string, unit: EntityUnit): string {
  if (field.startsWith('network_')) return 'network'
  return unit === 'rate' ? 'io' : unit
}

const LEAST: Partial<Record<EntityUnit, number>> = { percent: 10, rate: 1_000, bytes: 1_000, flag: 1, count: 2 }

/** The charts of an entity, of the fields that have a value. */
export function chartsOf(kind: EntityKindName, { fields }: Series): Spec[] {
  const known = fieldsOf(kind).filter(([name]) => !NOT_CHARTED.has(name) && fields[name]?.avg.some((value) => value !== null))
  const charts = [...new Set(known.map(([name, { unit }]) => chartOf(name, unit)))]
  return charts.flatMap((chart) => {
    const group = known.filter(([name, { unit }]) => chartOf(name, unit) === chart)
    const [first] = group
    if (!first) return []
    const [name, { unit }] = first
    const lines = group.slice(0, COLORS.length).map(
      ([field], index): Line => ({
        label: fieldName(field),
        color: COLORS[index] ?? 6,
        // A restart that a mean of many readings would hide.
        values: fields[field]?.[unit === 'count' ? 'max' : 'avg'] ?? [],
        metric: `entity.${kind}.${field}`,
        ...(index === 0 && { area: true }),
      }),
    )
    return {
      title: group.length === 1 ? fieldName(name) : (titles[chart] ?? fieldName(name)),
      format: formatOf(unit),
      lines,
      ...(LEAST[unit] !== undefined && { atLeast: LEAST[unit] }),
      // Between yes and no an axis has nothing else.
      ...(unit === 'flag' && { atMost: 1 }),
      ...(unit === 'percent' && lines.every(({ values }) => values.every((value) => (value ?? 0) <= 100)) && { atMost: 100 }),
    }
  })
}

/** A device is hot from here on, as a share of the limit that it reports itself. */
const HOT = 0.9

/** By the critical limit of the device: without one a temperature has no colour. */
export function temperatureTone(field: string, values: Entity['values']): string {
  const [celsius, critical] = [values['temperature_celsius'], values['critical_celsius']]
  if (field !== 'temperature_celsius' || typeof celsius !== 'number' || typeof critical !== 'number' || critical <= 0) return ''
  if (celsius >= critical) return 'font-semibold text-bad'
  return celsius >= critical * HOT ? 'font-semibold text-warn' : ''
}

/** Whether a rule with this name is about the entity; as the backend reads it. */
export function isNamed(
  { name, attributes }: Pick<Entity, 'name' | 'attributes'>,
  { condition }: Pick<AlertRule, 'condition'>,
): boolean {
  if (!condition.name) return true
  const parts = condition.name.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
  const pattern = new RegExp(`^${parts.join('.*')}$`, 's')
  return [name, attributes['image'], attributes['project'], attributes['service']].some(
    (value) => value !== undefined && pattern.test(value),
  )
}
