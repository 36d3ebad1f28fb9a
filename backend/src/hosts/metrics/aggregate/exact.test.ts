import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divideExactly, divideToWhole } from './exact.ts'

/** A double as `mantissa * 2^exponent`, exactly. */
function exactly(value: number): { mantissa: bigint; exponent: number } {
  let exponent = 0
  let scaled = value
  while (!Number.isSafeInteger(scaled)) {
    scaled *= 2
    exponent--
  }
  return { mantissa: BigInt(scaled), exponent }
}

/** |value * by - sum|, in units of 2^-80. */
function distance(value: number, sum: bigint, by: bigint): bigint {
  const { mantissa, exponent } = exactly(value)
  const difference = (mantissa << BigInt(80 + exponent)) * by - (sum << 80n)
  return difference < 0n ? -difference : difference
}

function neighbour(value: number, towards: 1n | -1n): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + towards)
  return view.getFloat64(0)
}

describe('divideExactly', () => {
  it('gives the nearest double when the sum is beyond all doubles', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }), fc.integer({ min: 1, max: 100_000_000 }), (sum, divisor) => {
        const mean = divideExactly(sum, divisor)
        fc.pre(mean < 2 ** 53)
        const by = BigInt(divisor)
        const error = distance(mean, sum, by)
        expect(error <= distance(neighbour(mean, 1n), sum, by) && error <= distance(neighbour(mean, -1n), sum, by)).toBe(true)
        expect(divideExactly(-sum, divisor)).toBe(-mean)
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    [1n, 3_000, 1 / 3_000],
    [1n << 60n, 1 << 10, 2 ** 50],
    [2n ** 54n + 1n, 1, 2 ** 54],
    [2n ** 54n + 3n, 1, 2 ** 54 + 4],
  ])('%d / %d is %d', (sum, divisor, mean) => {
    expect(divideExactly(sum, divisor)).toBe(mean)
  })

  it('rounds to whole numbers by the exact quotient', () => {
    expect([0, 499, 500, 1_499, 1_500].map((sum) => divideToWhole(sum, 1_000))).toEqual([0, 0, 1, 1, 2])
    expect(divideToWhole(2n ** 60n, 3)).toBe(Number((2n ** 60n + 1n) / 3n))
  })
})
