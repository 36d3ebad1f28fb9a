import type { SampleValues } from '../../shared/src/index.ts'
import { ALL_FIELDS, UNIT_DECIMALS } from '../../shared/src/hosts/metrics/fields.ts'

/** The field that holds the number of the sample itself. */
export const NUMBER_FIELD_ID = 10
/** Above every percentage and below every bound. */
const MOST: Record<string, number> = { percent: 100, load: 500, bytes: 1e12, count: 1e6, rate: 1e8 }

/** What field `id` of sample `number` must be: any mix-up of samples or fields shows. In the wire's precision. */
export function expectedValue(number: number, id: number, unit: keyof typeof UNIT_DECIMALS): number {
  if (id === NUMBER_FIELD_ID) return number
  let hash = Math.imul(number * 64 + id, 2_654_435_761) >>> 0
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_519) >>> 0
  const scale = 10 ** UNIT_DECIMALS[unit]
  return Math.round((hash / 2 ** 32) * (MOST[unit] ?? 1) * scale) / scale
}

export function expectedSample(number: number): SampleValues {
  const groups: Record<string, Record<string, number>> = {}
  for (const { group, name, id, unit } of ALL_FIELDS) (groups[group] ??= {})[name] = expectedValue(number, id, unit)
  return groups
}
