import { CONSTANT, type Column, DELTA, FROM_LEAST } from './format.ts'
import { toNumbers } from './numbers.ts'
import { BITS_OF, TOKENS } from './tokens.ts'

type ColumnForm = Pick<Column, 'form' | 'base' | 'drift' | 'unit'>

/** The values of a column without gaps, those of each part after those of the previous one. */
export interface Values {
  room: Float64Array
  /** Where the values of each part begin in the room, and all end. */
  starts: Int32Array
  least: number
  greatest: number
  /** Of all; rounded beyond 2^53. */
  sum: number
}

/** With a greater range the zigzag number of a distance may pass 2^53. */
const MAX_RANGE = 2 ** 50

/**
 * The form in which a column takes fewest bits; the values are divided by its unit in place. A prediction begins again in each part.
 * Throws RangeError on a range beyond 2^53 − 1.
 */
export function chooseForm(values: Values, isTime: boolean): ColumnForm {
  const { least, greatest, sum } = values
  if (least === greatest) return { form: CONSTANT, base: least, drift: 0, unit: 1 }
  if (greatest - least > Number.MAX_SAFE_INTEGER) throw new RangeError('a range is none')
  const unit = divideByUnit(values)
  const base = least / unit
  const fromLeast = { form: FROM_LEAST, base, drift: 0, unit }
  if ((greatest - least) / unit > MAX_RANGE) return fromLeast
  const mean = Math.floor(Math.min(greatest, Math.max(least, sum / lengthOf(values))) / unit)
  if (isTime) return { form: DELTA, base: mean, drift: usualStep(values), unit }
  const share = Math.round(8 * correlationOf(values, mean))
  const candidates = [fromLeast, { form: DELTA, base: mean, drift: 0, unit }]
  if (share > FROM_LEAST && share < DELTA) candidates.push({ form: share, base: mean, drift: 0, unit })
  const bits = candidates.map((candidate) => bitsOf(values, candidate))
  return candidates[bits.indexOf(Math.min(...bits))] as ColumnForm
}

const firstOf = ({ starts }: Values): number => starts[0] as number
const endOf = ({ starts }: Values): number => starts[starts.length - 1] as number
const lengthOf = (values: Values): number => endOf(values) - firstOf(values)

function divideByUnit(values: Values): number {
  const { room } = values
  const end = endOf(values)
  const unit = unitOf(values)
  if (unit > 1) for (let index = firstOf(values); index < end; index++) room[index] = (room[index] as number) / unit
  return unit
}

/** The greatest number that all values are multiples of: a quotient of two safe integers is whole where it has no rest. */
function unitOf(values: Values): number {
  const end = endOf(values)
  let unit = 0
  for (let index = firstOf(values); index < end && unit !== 1; index++) {
    const value = values.room[index] as number
    const quotient = value / unit
    if (unit === 0 || Math.floor(quotient) !== quotient) unit = greatestDivisor(unit, Math.abs(value))
  }
  return unit
}

function greatestDivisor(one: number, other: number): number {
  let [divisor, rest] = [one, other]
  while (rest > 0) [divisor, rest] = [rest, divisor % rest]
  return divisor
}

/** The first values of each part decide for all: a quarter, but so many at least and at most. */
const LEAST_DECIDING = 64
const MOST_DECIDING = 2_048
function eachDeciding({ starts }: Values, take: (from: number, to: number) => void): void {
  for (let part = 1; part < starts.length; part++) {
    const [from, to] = [starts[part - 1] as number, starts[part] as number]
    take(from, Math.min(to, from + Math.max(LEAST_DECIDING, Math.min(MOST_DECIDING, (to - from) >> 2))))
  }
}

/** How much a value resembles the previous one: 1 where both are equal, 0 for noise around the mean. */
function correlationOf(values: Values, mean: number): number {
  const { room } = values
  let [both, own] = [0, 0]
  eachDeciding(values, (from, to) => {
    let previous = 0
    for (let index = from; index < to; index++) {
      const distance = (room[index] as number) - mean
      both += distance * previous
      own += distance * distance
      previous = distance
    }
  })
  return own > 0 ? both / own : 0
}

/** The median of the steps: one that is missed does not change it. */
function usualStep(values: Values): number {
  const from = firstOf(values)
  const steps = values.room.slice(from + 1, Math.min(endOf(values), from + MAX_STEPS))
  for (let index = 0; index < steps.length; index++) steps[index]! -= values.room[from + index] as number
  return steps.sort()[steps.length >> 1] ?? 0
}
const MAX_STEPS = 1_024

function bitsOf(values: Values, column: ColumnForm): number {
  counts.fill(0)
  let all = 0
  eachDeciding(values, (from, to) => {
    toNumbers(column, values.room, from, to, numbers, tokens, 0, counts)
    all += to - from
  })
  let bits = all * Math.log2(all)
  for (let token = 0; token < TOKENS; token++) {
    const count = counts[token] as number
    if (count > 0) bits += count * ((BITS_OF[token] as number) - (LOG2[count] ?? Math.log2(count)))
  }
  return bits
}

/** Of small numbers. */
const LOG2 = Float64Array.from({ length: 512 }, (_, count) => Math.log2(count))

const counts = new Uint32Array(TOKENS)
const numbers = new Float64Array(MOST_DECIDING)
const tokens = new Uint8Array(MOST_DECIDING)
