import { KIBI_SIZE } from './format.ts'

/** What the values of one field are like. */
export interface Traits {
  /** How many there are. */
  present: number
  /** All are multiples of 1,024, and not all 0. */
  isKibi: boolean
  /** By these the values are divided before they are written: 1,024 with `isKibi`, else 1. The next ones are of divided values. */
  unit: number
  least: number
  greatest: number
  /** How far each value is from the one before, in sum. */
  steps: number
  /** How far each value is above the least, in sum; rounded where not `isExact`. */
  above: number
}

/** Samples that lie in one part of time: those from the one before's `until` on. */
export interface Run {
  place: number
  until: number
}

/** Where what the values of one field add up to in each part of time goes; nothing was added to it before. */
export interface Sums {
  counts: Float64Array
  low: Float64Array
  maxima: Float64Array
}

/** Has columns added up while they are looked at: to touch each value once more is a fifth of what an hour costs. */
export interface Adder {
  readonly runs: readonly Run[]
  of(fieldId: number): Sums
  /** Where a sum may pass 2^53 − 1: what these values add up to in place of what was added. */
  addOneByOne(fieldId: number, values: Float64Array): void
}

/** Kept between calls. */
const traits: Traits = { present: 0, isKibi: false, unit: 1, least: 0, greatest: 0, steps: 0, above: 0 }

/** What stands until the next call, without `steps` and `above`: a push has no use for them. Throws RangeError on what is no safe integer. */
export function look(values: Float64Array, from: number, count: number): Traits {
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
    // Told nearly always by the first.
    else if (isKibi) isKibi = Math.floor(value / KIBI_SIZE) * KIBI_SIZE === value
  }
  return told(isWhole, present, isKibi, least, greatest, Number.NaN, Number.NaN)
}

/** The same with `steps`; adds the values to the sums of their runs, which are worth nothing where the traits are not `isExact`. */
export function lookClosely(values: Float64Array, from: number, runs: readonly Run[], sums: Sums): Traits {
  const { counts, low, maxima } = sums
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  let isWhole = true
  let whole = 0
  let steps = 0
  let previous = values[from] as number
  let index = from
  for (const { place, until } of runs) {
    const start = index
    const end = from + until
    let sum = 0
    let min = Number.POSITIVE_INFINITY
    let max = Number.NEGATIVE_INFINITY
    for (; index < end; index++) {
      const value = values[index] as number
      sum += value
      if (value < min) min = value
      if (value > max) max = value
      if (Math.floor(value) !== value) isWhole = false
      steps += Math.abs(value - previous)
      previous = value
    }
    // NaN is not equal to its floor either.
    if (!isWhole) return lookAtGaps(values, from, runs, sums)
    if (min < least) least = min
    if (max > greatest) greatest = max
    whole += sum
    low[place] = sum
    counts[place] = end - start
    maxima[place] = max
  }
  return told(isWhole, index - from, areKibi(values, from, index), least, greatest, steps, whole)
}

/** The same of a field that some samples lack. */
function lookAtGaps(values: Float64Array, from: number, runs: readonly Run[], { counts, low, maxima }: Sums): Traits {
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  let isWhole = true
  let isKibi = true
  let whole = 0
  let steps = 0
  let present = 0
  let previous = Number.NaN
  let index = from
  for (const { place, until } of runs) {
    let sum = 0
    let found = 0
    let max = Number.NEGATIVE_INFINITY
    for (; index < from + until; index++) {
      const value = values[index] as number
      if (Number.isNaN(value)) continue
      found++
      sum += value
      if (value < least) least = value
      if (value > max) max = value
      if (Math.floor(value) !== value) isWhole = false
      else if (isKibi) isKibi = Math.floor(value / KIBI_SIZE) * KIBI_SIZE === value
      if (!Number.isNaN(previous)) steps += Math.abs(value - previous)
      previous = value
    }
    present += found
    if (max > greatest) greatest = max
    whole += sum
    low[place] = sum
    counts[place] = found
    maxima[place] = max
  }
  return told(isWhole, present, isKibi, least, greatest, steps, whole)
}

/** Whether all are multiples of 1,024; told nearly always by the first. */
function areKibi(values: Float64Array, from: number, to: number): boolean {
  for (let index = from; index < to; index++) {
    const value = values[index] as number
    if (Math.floor(value / KIBI_SIZE) * KIBI_SIZE !== value) return false
  }
  return true
}

function told(
  isWhole: boolean,
  present: number,
  areAllKibi: boolean,
  least: number,
  greatest: number,
  steps: number,
  sum: number,
): Traits {
  if (!isWhole || least < Number.MIN_SAFE_INTEGER || greatest > Number.MAX_SAFE_INTEGER)
    throw new RangeError('block: a value is no safe integer')
  const isKibi = areAllKibi && (least !== 0 || greatest !== 0)
  const unit = isKibi ? KIBI_SIZE : 1
  traits.present = present
  traits.isKibi = isKibi
  traits.unit = unit
  traits.least = least / unit
  traits.greatest = greatest / unit
  traits.steps = steps / unit
  traits.above = (sum - present * least) / unit
  return traits
}

/** Whether no sum of some of the values can pass 2^53 − 1. */
export const isExact = ({ present, unit, least, greatest }: Traits): boolean =>
  present * unit * Math.max(greatest, -least) <= Number.MAX_SAFE_INTEGER
