import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ALL_STORED, BlockError } from '@vedette/shared/metrics/block'
import { Buckets, type FieldTotals, sumAt } from '../aggregate/index.ts'
import { decodeTotals, encodeRollup, encodeTotals, type FieldRollup, takeRollup } from './rollup.ts'
import { HALF_HOUR_MS } from './schedule.ts'

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

describe('totals of an hour', () => {
  it('comes back exactly', () => {
    fc.assert(
      fc.property(totals, (all) => {
        expect(decodeTotals(encodeTotals(all, START), START, ALL_STORED)).toEqual(all)
      }),
    )
  })

  it('is called for the wanted fields only', () => {
    const [three, nine] = [totalsOf([1, 2], START + 5), totalsOf([4, 9, 9], START + 8)]
    const header = encodeTotals(new Map([[3, three], [9, nine]]), START) // biome-ignore format: pairs
    expect(decodeTotals(header, START, new Set([9]))).toEqual(new Map([[9, nine]]))
  })

  it('takes nothing of the previous field into a part without samples', () => {
    const large = 2 ** 52
    const header = encodeRollup(rollupOf({ 3: [[5], [6]], 9: [[], [large, large, large]] }), 2, START)
    expect(decodeTotals(header, START, ALL_STORED).get(9)).toMatchObject({ count: 3, sum: 3n * BigInt(large), max: large })
  })

  it('is refused when it is cut off', () => {
    const header = encodeTotals(new Map([[3, totalsOf([1, 2_048, 2 ** 52, 2 ** 52], START + 5)]]), START)
    const read = [...header.keys()].filter((length) => isRollup(header.subarray(0, length)))
    expect(read).toEqual([])
  })

  it('is refused, or read, whatever bytes there are', () => {
    const bytes = fc.uint8Array({ maxLength: 40 }).map((rest) => Uint8Array.of(1, 2, ...rest))
    expect(() => fc.assert(fc.property(bytes, (any) => void isRollup(any)))).not.toThrow()
  })
})

const NONE = Number.NaN

/** Fields with these samples, one list for each half hour. */
function rollupOf(fields: Record<number, readonly (readonly number[])[]>): Map<number, FieldRollup> {
  const [first] = Object.values(fields)
  const buckets = new Buckets(START, HALF_HOUR_MS, first?.length ?? 0)
  const rollup = new Map<number, FieldRollup>()
  for (const [id, halves] of Object.entries(fields)) {
    for (const [half, values] of halves.entries()) {
      const atMs = Float64Array.from(values, (_, index) => START + half * HALF_HOUR_MS + index)
      if (values.length > 0) buckets.addColumns({ atMs, fieldIds: [Number(id)], values: Float64Array.from(values) })
    }
    const last = halves.flat().findLast((value) => !Number.isNaN(value)) ?? 0
    rollup.set(Number(id), { parts: buckets.of(Number(id)), last, lastAtMs: START + 1 })
  }
  return rollup
}

interface DecodedParts {
  counts: number[]
  sums: (number | bigint)[]
  maxima: number[]
}

/** Only the parts with samples mean something. */
function partsOf(bytes: Uint8Array, wanted: Parameters<typeof takeRollup>[2] = ALL_STORED): [number, DecodedParts][] {
  const all: [number, DecodedParts][] = []
  takeRollup(bytes, START, wanted, (id, { parts }) => {
    const present = <T>(valueOf: (part: number) => T) =>
      [...parts.counts.keys()].map((part) => (parts.counts[part] === 0 ? NONE : valueOf(part)))
    all.push([
      id,
      {
        counts: [...parts.counts],
        sums: present((part) => sumAt(parts, part)),
        maxima: present((part) => parts.maxima[part] as number),
      },
    ])
  })
  return all
}

const FIELDS = {
  1: [[3, 9, 1], [], [8, 8]],
  // One sample does not have it.
  2: [[NONE, 2, -7], [], [0, 1]],
  // Always the same, and always nothing.
  5: [[70_000, 70_000, 70_000], [], [70_000, 70_000]],
  6: [[0, 0, 0], [], [0, 0]],
  900: [[4_096, 8_192, 1_024 * 2 ** 40], [], [1_024, 0]],
  // Only in its last half hour.
  901: [[NONE, NONE, NONE], [], [2 ** 51, 2 ** 51 + 1]],
  // Its sum passes 2^53 − 1.
  902: [[2 ** 53 - 1, 2], [], [7]],
}

describe('half hours', () => {
  const bytes = encodeRollup(rollupOf(FIELDS), 3, START)

  it('come back exactly', () => {
    const large = 1_024 * 2 ** 40
    expect(partsOf(bytes)).toEqual([
      [1, { counts: [3, 0, 2], sums: [13, NONE, 16], maxima: [9, NONE, 8] }],
      [2, { counts: [2, 0, 2], sums: [-5, NONE, 1], maxima: [2, NONE, 1] }],
      [5, { counts: [3, 0, 2], sums: [210_000, NONE, 140_000], maxima: [70_000, NONE, 70_000] }],
      [6, { counts: [3, 0, 2], sums: [0, NONE, 0], maxima: [0, NONE, 0] }],
      [900, { counts: [3, 0, 2], sums: [12_288 + large, NONE, 1_024], maxima: [large, NONE, 1_024] }],
      [901, { counts: [0, 0, 2], sums: [NONE, NONE, 2 ** 52 + 1], maxima: [NONE, NONE, 2 ** 51 + 1] }],
      [902, { counts: [2, 0, 1], sums: [2n ** 53n + 1n, NONE, 7], maxima: [2 ** 53 - 1, NONE, 7] }],
    ])
  })

  it('are decoded of the wanted fields alone', () => {
    expect(partsOf(bytes, new Set([5, 901])).map(([id]) => id)).toEqual([5, 901])
  })

  it('come back of random walks, whatever they add up to', () => {
    let state = 7
    const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
    for (const scale of [1, 1e4, 2 ** 40, 2 ** 44]) {
      const halves = Array.from({ length: 48 }, () => Array.from({ length: 180 }, () => Math.floor((next() - 0.2) * scale)))
      const [, parts] = partsOf(encodeRollup(rollupOf({ 3: halves }), 48, START))[0] as [number, DecodedParts]
      expect(parts.sums).toEqual(halves.map((values) => values.reduce((sum, value) => sum + value, 0)))
      expect(parts.maxima).toEqual(halves.map((values) => Math.max(...values)))
    }
  })

  it('add up to the totals of the whole', () => {
    const { count, sum, max } = decodeTotals(bytes, START, ALL_STORED).get(902) as FieldTotals
    expect([count, sum, max]).toEqual([3, 2n ** 53n + 8n, 2 ** 53 - 1])
  })

  it('are refused when they are cut off or go on', () => {
    for (let length = 0; length < bytes.length; length += 1) expect(() => partsOf(bytes.subarray(0, length))).toThrow(BlockError)
    expect(() => partsOf(Uint8Array.of(...bytes, 0))).toThrow(BlockError)
    expect(() => partsOf(Uint8Array.of(1, 49, ...bytes.subarray(2)))).toThrow(BlockError)
  })
})

/** Throws what is no BlockError. */
function isRollup(bytes: Uint8Array): boolean {
  try {
    decodeTotals(bytes, START, ALL_STORED)
    return true
  } catch (error) {
    if (error instanceof BlockError) return false
    throw error
  }
}
