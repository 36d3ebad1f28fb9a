import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FieldTotals } from '../aggregate.ts'
import { ALL_STORED, BlockError, writeSigned, writeVarint } from '../block/index.ts'
import { decodeHeader, encodeHeader } from './header.ts'

const START = 3_600_000 * 490_000

/** What samples with these values add up to; the newest is the last one. */
function totalsOf(values: readonly number[], lastAtMs: number): FieldTotals {
  const sum = values.reduce((whole, value) => whole + BigInt(value), 0n)
  return {
    count: values.length,
    sum: Number.isSafeInteger(Number(sum)) ? Number(sum) : sum,
    max: Math.max(...values),
    last: values.at(-1) ?? 0,
    lastAtMs,
  }
}

const unit = fc.constantFrom(1, 1, 1_024)
const value = fc.oneof(fc.integer({ min: -300, max: 300 }), fc.integer({ min: 0, max: 2 ** 40 }), fc.constantFrom(0, 7))
const values = fc.oneof(
  fc.array(fc.maxSafeInteger(), { minLength: 1, maxLength: 8 }),
  fc.tuple(unit, fc.array(value, { minLength: 1, maxLength: 8 })).map(([by, all]) => all.map((one) => one * by)),
)
const field = fc.tuple(values, fc.constantFrom(1_799_000, 1_799_000, 7)).map(([all, ms]) =>
  totalsOf(
    all.map((one) => one + 0),
    START + ms,
  ),
)
const totals = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 4_000 }), field), { selector: ([id]) => id, maxLength: 12 })
  .map((fields) => new Map(fields))

describe('what an hour adds up to', () => {
  it('comes back exactly', () => {
    fc.assert(
      fc.property(totals, (all) => {
        expect(decodeHeader(encodeHeader(all, START), START, ALL_STORED)).toEqual(all)
      }),
    )
  })

  it('is told of the wanted fields alone', () => {
    const [three, nine] = [totalsOf([1, 2], START + 5), totalsOf([4, 9, 9], START + 8)]
    const header = encodeHeader(new Map([[3, three], [9, nine]]), START) // biome-ignore format: pairs
    expect(decodeHeader(header, START, new Set([9]))).toEqual(new Map([[9, nine]]))
  })

  it('is read as earlier versions stored it', () => {
    const out = new Uint8Array(64)
    out[0] = 1
    // Two fields: 3 with six samples, 5 with one and a sum of 2^70.
    let end = writeVarint(out, writeVarint(out, 1, 2), 3)
    for (const [number, write] of [
      [12, writeVarint],
      [40, writeSigned],
      [9, writeSigned],
      [-4, writeSigned],
      [3_599_000, writeVarint],
      [1, writeVarint],
      [3, writeVarint],
      [2 ** 22, writeSigned],
      [0, writeVarint],
      [2 ** 50, writeSigned],
      [2 ** 50, writeSigned],
      [8, writeVarint],
    ] as const)
      end = write(out, end, number)
    expect(decodeHeader(out.slice(0, end), START, ALL_STORED)).toEqual(
      new Map<number, FieldTotals>([
        [3, { count: 6, sum: 40, max: 9, last: -4, lastAtMs: START + 3_599_000 }],
        [5, { count: 1, sum: 2n ** 70n, max: 2 ** 50, last: 2 ** 50, lastAtMs: START + 8 }],
      ]),
    )
    expect(decodeHeader(Uint8Array.of(1, 0), START, ALL_STORED)).toEqual(new Map())
  })

  it('is refused when it is cut off, but for what is an older one of no field at all', () => {
    const header = encodeHeader(new Map([[3, totalsOf([1, 2_048, 2 ** 52, 2 ** 52], START + 5)]]), START)
    const read = [...header.keys()].filter((length) => isHeader(header.subarray(0, length)))
    expect(read).toEqual([2])
  })

  it('is refused, or read, whatever bytes there are', () => {
    const bytes = fc.uint8Array({ maxLength: 40 }).map((rest) => Uint8Array.of(1, 0, ...rest))
    expect(() => fc.assert(fc.property(bytes, (any) => void isHeader(any)))).not.toThrow()
  })
})

/** Throws what is no BlockError. */
function isHeader(bytes: Uint8Array): boolean {
  try {
    decodeHeader(bytes, START, ALL_STORED)
    return true
  } catch (error) {
    if (error instanceof BlockError) return false
    throw error
  }
}
