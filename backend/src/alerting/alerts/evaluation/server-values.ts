import { isHostState } from '@vedette/shared'
import { fieldIdOf, type FieldReading, fullnessIdOf } from '../../../hosts/metrics/index.ts'
import { createInterner } from '../../../platform/collections/interner.ts'
import type { RuleColumns } from '../rules/rule.ts'
import { summaryOf } from './summary.ts'

/** The mounts of a server by their number in its samples. */
export type Mounts = ReadonlyMap<number, string>

/** The value that a rule compares. */
export interface RuleValue {
  fieldId: number
  value: number
  /** For a filesystem. */
  mount?: string
}

type RuleMetric = Pick<RuleColumns, 'metric' | 'mount' | 'operator' | 'value' | 'for_seconds'>

/** The metric that has a value per filesystem. */
export const FILESYSTEM_METRIC = 'filesystem.percent'

/** The number of the mount by the field id of its fullness. */
const FULLNESS_SLOTS = new Map<number, number>()
for (let slot = 0; fullnessIdOf(slot) !== undefined; slot++) FULLNESS_SLOTS.set(fullnessIdOf(slot) as number, slot)

/** Sets of fields that rules need: there are few, and each server needs one of them every minute. */
const fieldIdSets = createInterner<ReadonlySet<number>>(1_000)

/** The fields of samples that these rules need. */
export function fieldIdsOf(rules: readonly RuleMetric[]): ReadonlySet<number> {
  const metrics = [...new Set(rules.map(({ metric }) => metric))].sort()
  return fieldIdSets(metrics.join(' '), () => {
    const fullness = metrics.includes(FILESYSTEM_METRIC) ? [...FULLNESS_SLOTS.keys()] : []
    return new Set([...metrics.flatMap((metric) => fieldIdOf(metric) ?? []), ...fullness])
  })
}

/** The numbers of the mounts in readings. Pure. */
export const mountSlotsIn = (readings: ReadonlyMap<number, unknown>): number[] =>
  [...readings.keys()].flatMap((id) => FULLNESS_SLOTS.get(id) ?? [])

function fieldsOf({ metric, mount }: RuleMetric, mounts: Mounts): { fieldId: number; mount?: string }[] {
  if (metric !== FILESYSTEM_METRIC) {
    const fieldId = fieldIdOf(metric)
    return fieldId === undefined ? [] : [{ fieldId }]
  }
  return [...mounts].flatMap(([slot, name]) => {
    const fieldId = fullnessIdOf(slot)
    return fieldId === undefined || (mount !== null && mount !== name) ? [] : [{ fieldId, mount: name }]
  })
}

/**
 * The value of a rule in new samples: of several samples and filesystems the one furthest beyond the threshold; for a rule on a mean,
 * their mean; for one on a state that must hold, the newest. One sample opens an incident, which is over once a whole push has none. Undefined where the samples do not have the
 * metric. Pure.
 */
export function findRuleValue(
  rule: RuleMetric,
  readings: ReadonlyMap<number, FieldReading>,
  mounts: Mounts,
): RuleValue | undefined {
  const values = fieldsOf(rule, mounts).flatMap((field): RuleValue[] => {
    const reading = readings.get(field.fieldId)
    return reading ? [{ ...field, value: pick(rule, reading) }] : []
  })
  const further = (one: RuleValue, other: RuleValue) => (isFurther(rule, other.value, one.value) ? other : one)
  return values.length === 0 ? undefined : values.reduce(further)
}

function pick({ metric, operator, for_seconds: forSeconds, value }: RuleMetric, reading: FieldReading): number {
  if (forSeconds > 0) return isHostState(metric) ? reading.newest : reading.mean
  if (operator === 'greater_than') return reading.greatest
  if (operator === 'less_than') return reading.least
  return [reading.newest, reading.least, reading.greatest].find((one) => one === value) ?? reading.newest
}

function isFurther({ operator, value }: RuleMetric, one: number, other: number): boolean {
  if (operator === 'greater_than') return one > other
  return operator === 'less_than' ? one < other : one === value && other !== value
}

/** Summary and evidence of a value. Pure. */
export function describeValue(
  { name }: { name: string },
  rule: RuleMetric,
  { value, mount }: RuleValue,
  isOver: boolean,
): { summary: string; evidence: Record<string, unknown> } {
  const filesystem = mount === undefined ? {} : { mount }
  const summary = summaryOf(name, rule, value, { ...filesystem, isOver })
  return { summary, evidence: { metric: rule.metric, value, ...filesystem } }
}
