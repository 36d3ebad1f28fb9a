import { describe, expect, it } from 'vitest'
import { Buckets } from '../aggregate.ts'
import { ALL_STORED, BlockError, encodeSplit } from '../block/index.ts'
import { encodeParts, HALF_HOUR_MS, takeParts } from './parts.ts'

const START = 3_600_000 * 490_000
const NONE = Number.NaN

/** Fields with these samples, one list for each half hour. */
function bucketsOf(fields: Record<number, readonly (readonly number[])[]>): Buckets {
  const [first] = Object.values(fields)
  const buckets = new Buckets(START, HALF_HOUR_MS, first?.length ?? 0)
  for (const [id, halves] of Object.entries(fields)) {
    for (const [place, values] of halves.entries()) {
      const atMs = Float64Array.from(values, (_, index) => START + place * HALF_HOUR_MS + index)
      const columns = { atMs, fieldIds: [Number(id)], values: Float64Array.from(values) }
      if (values.length > 0) encodeSplit(columns, buckets.adderOf(atMs))
    }
  }
  return buckets
}

interface Told {
  counts: number[]
  sums: number[]
  maxima: number[]
}

/** What stands in a half hour without samples is of no meaning. */
function decoded(bytes: Uint8Array, wanted: Parameters<typeof takeParts>[1] = ALL_STORED): [number, Told][] {
  const found: [number, Told][] = []
  takeParts(bytes, wanted, (id, { counts, sums, maxima }) => {
    const present = (numbers: Float64Array) => [...numbers].map((value, part) => (Number.isNaN(counts[part]) ? NONE : value))
    found.push([id, { counts: [...counts], sums: present(sums), maxima: present(maxima) }])
  })
  return found
}

const FIELDS = {
  1: [[3, 9, 1], [], [8, 8]],
  // One sample lacks it.
  2: [[NONE, 2, -7], [], [0, 1]],
  // Always the same, and always nothing.
  5: [[70_000, 70_000, 70_000], [], [70_000, 70_000]],
  6: [[0, 0, 0], [], [0, 0]],
  // As an operating system counts memory.
  900: [[4_096, 8_192, 1_024 * 2 ** 40], [], [1_024, 0]],
  // Only in its last half hour.
  901: [[NONE, NONE, NONE], [], [2 ** 51, 2 ** 51 + 1]],
}

describe('what half hours add up to', () => {
  const bytes = encodeParts(bucketsOf(FIELDS), 3) as Uint8Array

  it('comes back exactly', () => {
    const large = 1_024 * 2 ** 40
    expect(decoded(bytes)).toEqual([
      [1, { counts: [3, NONE, 2], sums: [13, NONE, 16], maxima: [9, NONE, 8] }],
      [2, { counts: [2, NONE, 2], sums: [-5, NONE, 1], maxima: [2, NONE, 1] }],
      [5, { counts: [3, NONE, 2], sums: [210_000, NONE, 140_000], maxima: [70_000, NONE, 70_000] }],
      [6, { counts: [3, NONE, 2], sums: [0, NONE, 0], maxima: [0, NONE, 0] }],
      [900, { counts: [3, NONE, 2], sums: [12_288 + large, NONE, 1_024], maxima: [large, NONE, 1_024] }],
      [901, { counts: [NONE, NONE, 2], sums: [NONE, NONE, 2 ** 52 + 1], maxima: [NONE, NONE, 2 ** 51 + 1] }],
    ])
  })

  it('is found of the wanted fields alone', () => {
    expect(decoded(bytes, new Set([5, 901])).map(([id]) => id)).toEqual([5, 901])
  })

  it('comes back of walks, whatever they add up to', () => {
    let state = 7
    const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
    for (const scale of [1, 1e4, 2 ** 40, 2 ** 44]) {
      const halves = Array.from({ length: 48 }, () => Array.from({ length: 180 }, () => Math.floor((next() - 0.2) * scale)))
      const [, parts] = decoded(encodeParts(bucketsOf({ 3: halves }), 48) as Uint8Array)[0] as [number, Told]
      expect(parts.sums).toEqual(halves.map((values) => values.reduce((sum, value) => sum + value, 0)))
      expect(parts.maxima).toEqual(halves.map((values) => Math.max(...values)))
    }
  })

  it('is nothing where a sum passes 2^53 − 1: the samples tell it', () => {
    expect(encodeParts(bucketsOf({ 1: [[1]], 2: [[2 ** 53 - 1, 2]] }), 1)).toBeUndefined()
    expect(encodeParts(bucketsOf({ 1: [[2 ** 53 - 1], [1 - 2 ** 53]] }), 2)).toBeUndefined()
  })

  it('is refused when it is cut off or goes on', () => {
    for (let length = 0; length < bytes.length; length += 1) expect(() => decoded(bytes.subarray(0, length))).toThrow(BlockError)
    expect(() => decoded(Uint8Array.of(...bytes, 0))).toThrow(BlockError)
    expect(() => decoded(Uint8Array.of(49, ...bytes.subarray(1)))).toThrow(BlockError)
  })
})
