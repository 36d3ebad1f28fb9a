import { entityMetric } from '@vedette/shared'
import { unitOf } from '../../../hosts/entities/index.ts'
import type { RuleColumns } from '../rules/rule.ts'
import { spanOf } from './summary.ts'

type Rule = Pick<RuleColumns, 'metric' | 'operator' | 'value' | 'for_seconds'>

const SUFFIX: Readonly<Record<string, string>> = {
  percent: ' %',
  bytes: ' B',
  rate: ' B/s',
  seconds: ' s',
  days: ' days',
  celsius: ' °C',
  rpm: ' rpm',
  volts: ' V',
  watts: ' W',
}
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
const BOUNDS = { equals: 'equal to', greater_than: 'above', less_than: 'below' } as const

/**
 * What entities are to a rule, in one line: `web-1: container shop/web: memory percent 97 % (above 90 %)`, with those that are beyond it
 * and how many more there are. Pure.
 */
export function describeEntity(
  server: string,
  { metric, operator, value: bound, for_seconds: forSeconds }: Rule,
  entities: readonly { name: string; value: number }[],
  others: number,
): string {
  const { kind = 'metric', field = '' } = entityMetric(metric) ?? {}
  const unit = unitOf(kind, field) ?? 'count'
  const shown = entities.map(({ name, value }) => `${name} ${format(unit, value)}`).join(', ')
  const more = others > 0 ? ` and ${others} more` : ''
  const span = forSeconds > 0 ? ` for ${spanOf(forSeconds)}` : ''
  const label = field.replace(/_(celsius|percent|bytes|rpm|volts|watts|seconds|days|bytes_per_sec)$/, '').replaceAll('_', ' ')
  return `${server}: ${label} of ${kind} ${shown}${more} (${BOUNDS[operator]} ${format(unit, Number(bound))}${span})`
}

function format(unit: string, value: number): string {
  if (unit === 'flag') return value === 1 ? 'yes' : 'no'
  if (unit !== 'bytes' && unit !== 'rate') return `${Number(value.toPrecision(6))}${SUFFIX[unit] ?? ''}`
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3)))
  return `${Number((value / 1_000 ** step).toPrecision(3))} ${UNITS[step]}${unit === 'rate' ? '/s' : ''}`
}
