import { KIBI_SIZE } from './format.ts'

/** Properties of one field's values that decide how they are written. */
export interface Traits {
  present: number
  /** All values are multiples of 1,024, and not all are 0. */
  isKibi: boolean
  /** 1,024 with `isKibi`, else 1. The numbers below are of values divided by it. */
  unit: number
  least: number
  greatest: number
}

/** Reused for every field. */
const traits: Traits = { present: 0, isKibi: false, unit: 1, least: 0, greatest: 0 }

/** Valid until the next call. Throws RangeError on a value that is no safe integer, and on a field whose range passes 2^53 − 1. */
export function traitsOf(values: Float64Array, from: number, count: number): Traits {
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  let present = 0
  let isWhole = true
  let isKibi = true
  for (let index = from; index < from + count; index++) {
    const value = values[index] as number
    if (Number.isNaN(value)) continue
    present += 1
    if (value < least) least = value
    if (value > greatest) greatest = value
    if (Math.floor(value) !== value) isWhole = false
    // Decided nearly always by the first value.
    else if (isKibi) isKibi = Math.floor(value / KIBI_SIZE) * KIBI_SIZE === value
  }
  const isSafe = least >= Number.MIN_SAFE_INTEGER && greatest <= Number.MAX_SAFE_INTEGER
  if (!isWhole || !isSafe || greatest - least > Number.MAX_SAFE_INTEGER)
    throw new RangeError('block: a value is no safe integer, or a range is none')
  traits.present = present
  traits.isKibi = isKibi && (least !== 0 || greatest !== 0)
  traits.unit = traits.isKibi ? KIBI_SIZE : 1
  traits.least = least / traits.unit
  traits.greatest = greatest / traits.unit
  return traits
}
