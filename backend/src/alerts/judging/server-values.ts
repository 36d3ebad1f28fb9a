import { fieldIdOf, type FieldReading, fullnessIdOf } from '../../metrics/index.ts'
import { keepOnce } from '../../platform/keep-once.ts'
import type { RuleColumns } from '../rules/rule.ts'
import { summaryOf } from './summary.ts'

/** The mounts of a server by the number that they have in its samples. */
export type Mounts = ReadonlyMap<number, string>

/** A number that a rule looks at. */
export interface Found {
  fieldId: number
  value: number
  /** Of a filesystem. */
  mount?: string
}

type Asked = Pick<RuleColumns, 'metric' | 'mount' | 'operator' | 'value' | 'for_seconds'>

/** What a rule asks that is looked at by filesystem. */
export const MOUNTED = 'filesystem.percent'

/** How full each of the filesystems is, by the number of its field. */
const FULLNESS = new Map<number, number>()
for (let slot = 0; fullnessIdOf(slot) !== undefined; slot++) FULLNESS.set(fullnessIdOf(slot) as number, slot)

/** Sets of metrics that rules look at: there are few, and each server of a fleet is looked at by one of them each minute. */
const wantedBy = keepOnce<ReadonlySet<number>>(1_000)

/** The numbers in samples that these rules look at. */
export function wantedOf(rules: readonly Asked[]): ReadonlySet<number> {
  const metrics = [...new Set(rules.map(({ metric }) => metric))].sort()
  return wantedBy(metrics.join(' '), () => {
    const fullness = metrics.includes(MOUNTED) ? [...FULLNESS.keys()] : []
    return new Set([...metrics.flatMap((metric) => fieldIdOf(metric) ?? []), ...fullness])
  })
}

/** The numbers of the mounts that stand in readings. Pure. */
export const slotsIn = (readings: ReadonlyMap<number, unknown>): number[] =>
  [...readings.keys()].flatMap((id) => FULLNESS.get(id) ?? [])

function fieldsOf({ metric, mount }: Asked, mounts: Mounts): { fieldId: number; mount?: string }[] {
  if (metric !== MOUNTED) {
    const fieldId = fieldIdOf(metric)
    return fieldId === undefined ? [] : [{ fieldId }]
  }
  return [...mounts].flatMap(([slot, name]) => {
    const fieldId = fullnessIdOf(slot)
    return fieldId === undefined || (mount !== null && mount !== name) ? [] : [{ fieldId, mount: name }]
  })
}

/**
 * What a rule sees in new samples: of several samples, and of several filesystems, the one that is furthest over; for a rule that
 * goes by the mean, theirs. So one sample opens, and it is over once a whole push has none. Undefined where they lack it. Pure.
 */
export function findIn(rule: Asked, readings: ReadonlyMap<number, FieldReading>, mounts: Mounts): Found | undefined {
  const found = fieldsOf(rule, mounts).flatMap((field): Found[] => {
    const reading = readings.get(field.fieldId)
    return reading ? [{ ...field, value: pick(rule, reading) }] : []
  })
  const further = (one: Found, other: Found) => (isFurther(rule, other.value, one.value) ? other : one)
  return found.length === 0 ? undefined : found.reduce(further)
}

function pick({ operator, for_seconds: forSeconds, value }: Asked, reading: FieldReading): number {
  if (forSeconds > 0) return reading.mean
  if (operator === 'greater_than') return reading.greatest
  if (operator === 'less_than') return reading.least
  return [reading.newest, reading.least, reading.greatest].find((one) => one === value) ?? reading.newest
}

function isFurther({ operator, value }: Asked, one: number, other: number): boolean {
  if (operator === 'greater_than') return one > other
  return operator === 'less_than' ? one < other : one === value && other !== value
}

/** What is told of it. Pure. */
export function toldOf(
  { name }: { name: string },
  rule: Asked,
  { value, mount }: Found,
): { summary: string; evidence: Record<string, unknown> } {
  const where = mount === undefined ? '' : ` on ${mount}`
  const evidence = { metric: rule.metric, value, ...(mount === undefined ? {} : { mount }) }
  return { summary: summaryOf(name, rule, value, where), evidence }
}
