import { CONSTANT, type Column, DELTA, FROM_LEAST, predict, zigzag } from './format.ts'
import { BITS_OF, TOKENS, tokenOf } from './tokens.ts'

type ColumnForm = Pick<Column, 'form' | 'base' | 'drift' | 'unit'>

/** With a greater range the zigzag number of a distance may pass 2^53. */
const MAX_RANGE = 2 ** 50

/**
 * The form in which a column takes fewest bits. `values` are those of all parts, which have so many each, and are divided by the unit;
 * a prediction begins again in each part.
 */
export function chooseForm(values: Float64Array, lengths: Int32Array, isTime: boolean): ColumnForm {
  const { least, greatest, unit } = rangeOf(values)
  if (least === greatest) return { form: CONSTANT, base: least, drift: 0, unit: 1 }
  if (unit > 1) for (let index = 0; index < values.length; index++) values[index] = (values[index] as number) / unit
  const base = least / unit
  const fromLeast = { form: FROM_LEAST, base, drift: 0, unit }
  if ((greatest - least) / unit > MAX_RANGE) return fromLeast
  const { mean, correlation } = noiseOf(values, base)
  if (isTime) return { form: DELTA, base: mean, drift: usualStep(values), unit }
  const share = Math.round(8 * correlation)
  const candidates = [fromLeast, { form: DELTA, base: mean, drift: 0, unit }]
  if (share > FROM_LEAST && share < DELTA) candidates.push({ form: share, base: mean, drift: 0, unit })
  const bits = candidates.map((candidate) => bitsOf(values, lengths, candidate))
  return candidates[bits.indexOf(Math.min(...bits))] as ColumnForm
}

function rangeOf(values: Float64Array): { least: number; greatest: number; unit: number } {
  let [least, greatest, unit] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number
    if (value < least) least = value
    if (value > greatest) greatest = value
    // Nearly always a multiple, or the unit is 1 soon.
    if (unit === 1) {
      if (Math.floor(value) !== value) throw new RangeError('a value is no integer')
    } else if (unit === 0 || value % unit !== 0) unit = greatestDivisor(unit, Math.abs(value))
  }
  const isSafe = least >= Number.MIN_SAFE_INTEGER && greatest <= Number.MAX_SAFE_INTEGER
  if (!isSafe || !Number.isInteger(unit) || greatest - least > Number.MAX_SAFE_INTEGER)
    throw new RangeError('a value is no safe integer, or a range is none')
  return { least, greatest, unit }
}

function greatestDivisor(one: number, other: number): number {
  let [divisor, rest] = [one, other]
  while (rest > 0) [divisor, rest] = [rest, divisor % rest]
  return divisor
}

/** The mean, and how much a value resembles the previous one: 1 where both are equal, 0 for noise around the mean. */
function noiseOf(values: Float64Array, base: number): { mean: number; correlation: number } {
  let sum = 0
  for (let index = 0; index < values.length; index++) sum += (values[index] as number) - base
  const mean = base + Math.floor(sum / values.length)
  let [both, own, previous] = [0, 0, 0]
  for (let index = 0; index < values.length; index++) {
    const distance = (values[index] as number) - mean
    both += distance * previous
    own += distance * distance
    previous = distance
  }
  return { mean, correlation: own > 0 ? both / own : 0 }
}

/** The median of the steps: one that is missed does not change it. */
function usualStep(values: Float64Array): number {
  const steps = values.slice(1).map((value, index) => value - (values[index] as number))
  return steps.sort()[steps.length >> 1] ?? 0
}

/** Of each run of so many values the first part decides: it stands for the rest. */
const RUN = 1_024
const DECIDING = 256

function bitsOf(values: Float64Array, lengths: Int32Array, column: ColumnForm): number {
  const counts = new Uint32Array(TOKENS)
  let [all, index] = [0, 0]
  for (const length of lengths) {
    let previous = column.base
    for (const end = index + length; index < end; index++) {
      const value = values[index] as number
      if (index % RUN < DECIDING) {
        const number = column.form === FROM_LEAST ? value - column.base : zigzag(value - predict(column, previous))
        counts[tokenOf(number)]!++
        all++
      }
      previous = value
    }
  }
  let bits = 0
  for (let token = 0; token < TOKENS; token++) {
    const count = counts[token] as number
    if (count > 0) bits += count * (Math.log2(all / count) + (BITS_OF[token] as number))
  }
  return bits
}
