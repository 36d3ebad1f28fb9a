import { Attributes } from './attributes.ts'
import type { Point } from './translator.ts'

const HIGH = 2 ** 32
const NS_PER_MS = 1_000_000

/** Whole milliseconds of nanoseconds in two unsigned halves: in parts that a double holds exactly. */
export function millisecondsOf(low: number, high: number): number {
  const rest = (high % NS_PER_MS) * HIGH + low
  return Math.floor(high / NS_PER_MS) * HIGH + Math.floor(rest / NS_PER_MS)
}

/** An int64 in two unsigned halves: as number where that is exact. */
export function integerOf(low: number, high: number): number | bigint {
  const value = (high | 0) * HIGH + low
  return Number.isSafeInteger(value) ? value : BigInt(high | 0) * BigInt(HIGH) + BigInt(low)
}

export const emptyPoint = (): Point => ({
  attributes: new Attributes(),
  timeMs: 0,
  hasNoValue: false,
  value: undefined,
  count: 0,
  sum: undefined,
  bucketCounts: [],
  explicitBounds: [],
  quantiles: [],
})
