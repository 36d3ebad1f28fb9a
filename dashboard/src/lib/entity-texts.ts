import { ENTITY_KINDS, type EntityField, type EntityKindName, type EntityUnit, entityMetric } from '@vedette/shared/tables'
import { entities as text } from '../messages/entities.ts'
import type { MetricLabel } from '../messages/en/metrics.ts'
import { messages } from '../messages/index.ts'
import { locale } from '../messages/language.ts'
import { bytes, count, duration, fixed, load, orDash, percent, rate } from './format.ts'

export const kindName = (kind: EntityKindName): string => text.kinds[kind].one
/** The same of any kind; one that this page does not know by its API name. */
export const anyKindName = (kind: string): string => (Object.hasOwn(text.kinds, kind) ? kindName(kind as EntityKindName) : kind)
export const kindTitle = (kind: EntityKindName): string => text.kinds[kind].many

const fields: Readonly<Record<string, string>> = text.fields
const attributes: Readonly<Record<string, string>> = text.attributes
const units: Readonly<Record<string, string>> = text.units

/** An attribute or field that the page does not know is shown as the API names it. */
export const fieldName = (field: string): string => fields[field] ?? field
export const attributeName = (attribute: string): string => attributes[attribute] ?? attribute

export const fieldsOf = (kind: EntityKindName): [name: string, field: EntityField][] => Object.entries(ENTITY_KINDS[kind].fields)

type Format = (value: number | null | undefined) => string
const yesOrNo = (value: number): string => (value >= 1 ? messages.yes : messages.no)
/** A mean is the share of the readings in which it was set. */
const flag = (value: number): string => (value > 0 && value < 1 ? percent(value * 100) : yesOrNo(value))
const plain = new Intl.NumberFormat(locale, { maximumSignificantDigits: 6 })

const FORMATS: Readonly<Record<EntityUnit, Format>> = {
  percent,
  load,
  bytes: (value) => orDash(value, bytes),
  rate,
  count,
  seconds: (value) => orDash(value, duration),
  days: (value) => orDash(value, (days) => text.days(fixed(days, 1))),
  celsius: (value) => orDash(value, (celsius) => `${fixed(celsius, 1)} ${text.units.celsius}`),
  rpm: (value) => orDash(value, (speed) => `${count(speed)} ${text.units.rpm}`),
  volts: (value) => orDash(value, (volts) => `${fixed(volts, 2)} ${text.units.volts}`),
  watts: (value) => orDash(value, (watts) => `${fixed(watts, 1)} ${text.units.watts}`),
  flag: (value) => orDash(value, flag),
  number: (value) => orDash(value, (number) => plain.format(number)),
}

/** How values of a unit are shown: `41.5 °C`. */
export const formatOf = (unit: EntityUnit): Format => FORMATS[unit]

/** The unit of a metric of rules that is a field of entities; undefined for another metric. */
export function unitOfMetric(metric: string): EntityUnit | undefined {
  const found = entityMetric(metric)
  return found && fieldsOf(found.kind).find(([name]) => name === found.field)?.[1].unit
}

/** `Container shop/*: CPU`, and the unit of a threshold; undefined for a metric that is no field of entities. */
export function entityMetricLabel(metric: string, name?: string | null): MetricLabel | undefined {
  const found = entityMetric(metric)
  if (!found) return undefined
  const subject = name ? `${kindName(found.kind)} ${name}` : kindName(found.kind)
  return { name: `${subject}: ${fieldName(found.field)}`, unit: units[unitOfMetric(metric) ?? ''] ?? '' }
}

/** What a rule compares with: `90`, of a flag `yes`. */
export const thresholdText = (metric: string, value: string | number): string =>
  unitOfMetric(metric) === 'flag' ? yesOrNo(Number(value)).toLowerCase() : String(value)
