import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Buckets, type FieldTotals } from '../aggregate.ts'
import { ALL_STORED, BlockError, encodeSplit } from '../block/index.ts'
import { encodeHalves, takeHalves } from './halves.ts'
import type { Totals } from './header.ts'
import { HALF_HOUR_MS } from './parts.ts'

const START = 3_600_000 * 490_000
const NONE = Number.NaN

type Halves = readonly [readonly number[], readonly number[]]

/** The two halves of an hour with these samples of each field, and what they add up to. */
function hourOf(fields: readonly (readonly [number, Halves])[]): { totals: Totals; halves: Buckets } {
  const halves = new Buckets(START, HALF_HOUR_MS, 2)
  const totals = new Map<number, FieldTotals>()
  for (const [id, [first, second]] of fields) {
    const values = Float64Array.of(...first, ...second)
    const atMs = Float64Array.from(values, (_, index) => START + index + (index < first.length ? 0 : HALF_HOUR_MS - first.length))
    encodeSplit({ atMs, fieldIds: [id], values }, halves.adderOf(atMs))
    const present = values.filter((value) => !Number.isNaN(value))
    if (present.length === 0) continue
    const whole = [...present].reduce((sum, value) => sum + BigInt(value), 0n)
    const sum = Number.isSafeInteger(Number(whole)) ? Number(whole) : whole
    totals.set(id, { count: present.length, sum, max: Math.max(...present), last: present.at(-1) ?? 0, lastAtMs: START })
  }
  return { totals, halves }
}

interface Told {
  counts: number[]
  sums: number[]
  maxima: number[]
}

/** What stands in a half without samples is of no meaning. */
function told(bytes: Uint8Array, totals: Totals, wanted: Parameters<typeof takeHalves>[2] = ALL_STORED): [number, Told][] {
  const found: [number, Told][] = []
  takeHalves(bytes, totals, wanted, (id, { counts, sums, maxima }) => {
    const present = (numbers: Float64Array) => [...numbers].map((value, half) => (Number.isNaN(counts[half]) ? NONE : value))
    found.push([id, { counts: [...counts], sums: present(sums), maxima: present(maxima) }])
  })
  return found
}

function expected(id: number, halves: Halves): [number, Told][] {
  const present = halves.map((values) => values.filter((value) => !Number.isNaN(value)))
  if (present.every((values) => values.length === 0)) return []
  const ofEach = (reckon: (values: number[]) => number) => present.map((values) => (values.length === 0 ? NONE : reckon(values)))
  return [
    [
      id,
      {
        counts: ofEach((values) => values.length),
        sums: ofEach((values) => values.reduce((sum, value) => sum + value, 0)),
        maxima: ofEach((values) => Math.max(...values)),
      },
    ],
  ]
}

const value = fc.oneof(fc.integer({ min: -300, max: 300 }), fc.constantFrom(0, 7, NONE), fc.integer({ min: 0, max: 2 ** 38 }))
const half = fc.oneof(fc.array(value, { minLength: 1, maxLength: 6 }), fc.constant([7, 7, 7]))
const halves = fc
  .tuple(fc.constantFrom(1, 1_024), half, half)
  .map(([unit, first, second]): Halves => [first.map((one) => one * unit + 0), second.map((one) => one * unit + 0)])
const fields = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 4_000 }), halves), {
  selector: ([id]) => id,
  minLength: 1,
  maxLength: 9,
})

const RATES = [
  [3, [[0, 20_000_000, 7], [9, 9_000_000, 1]]],
  [8, [[5, 5, 5], [5, 5, 5]]],
  [9, [[NONE, NONE, 1], [1, NONE, 2]]],
  [1_024, [[NONE, NONE, NONE], [4_096, 0, 2_048]]],
] as const // biome-ignore format: a line for each field

describe('the halves of an hour', () => {
  const { totals, halves: both } = hourOf(RATES)
  const bytes = encodeHalves(totals, both) as Uint8Array

  it('come back exactly', () => {
    fc.assert(
      fc.property(fields, (all) => {
        const hour = hourOf(all)
        const encoded = encodeHalves(hour.totals, hour.halves)
        const ordered = all.toSorted(([left], [right]) => left - right)
        expect(encoded && told(encoded, hour.totals)).toEqual(ordered.flatMap(([id, both]) => expected(id, both)))
      }),
    )
  })

  it('are told of the wanted fields alone, and take nothing where the hour tells all', () => {
    expect(told(bytes, totals, new Set([9, 1_024]))).toEqual([...expected(9, RATES[2][1]), ...expected(1_024, RATES[3][1])])
    // Counts, the three others by their place and number, and two numbers for each of two fields.
    expect(bytes.length).toBeLessThan(2 + 2 * 2 + 4 + 5 + 2)
  })

  it('are none where a sum passes 2^53 − 1', () => {
    const hour = hourOf([[1, [[2 ** 53 - 1], [2]]]])
    expect(encodeHalves(hour.totals, hour.halves)).toBeUndefined()
    expect(() => told(bytes, hour.totals)).toThrow(BlockError)
  })

  it('are refused when they are cut off or go on', () => {
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => told(bytes.subarray(0, length), totals)).toThrow(BlockError)
    expect(() => told(Uint8Array.of(...bytes, 0), totals)).toThrow(BlockError)
  })

  it('are refused, or read, whatever bytes there are', () => {
    const any = fc.uint8Array({ maxLength: 30 })
    expect(() => fc.assert(fc.property(any, (damaged) => void isHalves(damaged, totals)))).not.toThrow()
  })
})

/** Throws what is no BlockError. */
function isHalves(bytes: Uint8Array, totals: Totals): boolean {
  try {
    told(bytes, totals)
    return true
  } catch (error) {
    if (error instanceof BlockError) return false
    throw error
  }
}
