/**
 * Sums that never round. `low` is added to while it stays exact and then poured into `high`:
 * a byte gauge over some days passes 2^53, nearly all else never touches BigInt.
 */
export interface ExactSum {
  low: number
  high: bigint
}

/** `value` must be an integer within ±(2^53 − 1). */
export function addExactly(sum: ExactSum, value: number): void {
  const next = sum.low + value
  // A sum beyond the bound may be rounded, but never back below it.
  if (next <= Number.MAX_SAFE_INTEGER && next >= Number.MIN_SAFE_INTEGER) sum.low = next
  else {
    sum.high += BigInt(sum.low)
    sum.low = value
  }
}

export function addTotal(sum: ExactSum, value: number | bigint): void {
  if (typeof value === 'number') addExactly(sum, value)
  else sum.high += value
}

/** A number while it is exact, else a bigint. */
export function totalOf({ low, high }: ExactSum): number | bigint {
  return high === 0n ? low : simplest(high + BigInt(low))
}

function simplest(total: bigint): number | bigint {
  const isSafe = total <= BigInt(Number.MAX_SAFE_INTEGER) && total >= BigInt(Number.MIN_SAFE_INTEGER)
  return isSafe ? Number(total) : total
}

/** More bits of the quotient of what is no double than a double holds, whatever the divisor. */
const EXTRA_BITS = 64n

/** The double nearest to `sum / divisor`, as if both were exact reals: one rounding, also when the sum is no double. */
export function divideExactly(sum: number | bigint, divisor: number): number {
  const whole = typeof sum === 'number' ? sum : simplest(sum)
  if (typeof whole === 'number') return whole / divisor
  const by = BigInt(divisor)
  const shifted = (whole < 0n ? -whole : whole) << EXTRA_BITS
  // The remainder goes in as one last bit: it decides what would else look like a tie.
  const quotient = ((shifted / by) << 1n) | (shifted % by === 0n ? 0n : 1n)
  const magnitude = Number(quotient) / 2 ** Number(EXTRA_BITS + 1n)
  return whole < 0n ? -magnitude : magnitude
}

/** The integer nearest to `sum / divisor`, halves upwards, without the detour over a rounded mean. For sums of 0 and more. */
export function divideToWhole(sum: number | bigint, divisor: number): number {
  const by = BigInt(divisor)
  return Number((2n * BigInt(sum) + by) / (2n * by))
}
