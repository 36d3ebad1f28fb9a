import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeSamples } from './index.ts'
import {
  ALL_STORED,
  BlockError,
  decodeBlock,
  encodeBlock,
  joinBlocks,
  type SampleColumns,
  type TimedBlock,
} from '@vedette/shared/metrics/block'

const T0 = 1_763_661_600_000

/** Samples 10 seconds apart from `first` on, some fields of them, some of those in some of them. */
const samples = fc
  .record({
    gap: fc.integer({ min: 0, max: 50 }),
    count: fc.integer({ min: 1, max: 7 }),
    fieldIds: fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { maxLength: 6 }),
    value: fc.func(fc.oneof(fc.nat(), fc.integer({ min: 0, max: 3 }), fc.constant(Number.NaN), fc.maxSafeNat())),
  })
  .map(({ gap, count, fieldIds, value }) => ({
    gap,
    count,
    fieldIds: fieldIds.toSorted((a, b) => a - b),
    value,
  }))

function toBlocks(all: readonly { gap: number; count: number; fieldIds: number[]; value(at: number): number }[]) {
  let at = T0
  return all.map(({ gap, count, fieldIds, value }): TimedBlock => {
    const atMs = Float64Array.from({ length: count }, () => (at += 10_000))
    const values = Float64Array.from({ length: count * fieldIds.length }, (_, index) => value(index) + 0)
    const columns: SampleColumns = { atMs, fieldIds, values }
    at += gap
    return { t0Ms: atMs[0] as number, block: encodeBlock(columns) }
  })
}

const NONE = Number.NaN
const push = (count: number, ...fields: number[][]): Uint8Array =>
  encodeBlock({
    atMs: Float64Array.from({ length: count }, (_, index) => T0 + index * 10_000),
    fieldIds: fields.map((_, index) => index * 9),
    values: Float64Array.from(fields.flat()),
  })
/** Of every form that a field has, with numbers of each length. */
const PUSHES = [
  push(3, [1, 70, 9_000], [5, 5, 5], [NONE, NONE, 9], [NONE, 7, 9], [2 ** 20, 2 ** 27, 2 ** 40], [1_024, 0, 2 ** 34]),
  push(9, [2 ** 52 - 1, -(2 ** 52), 0, 1, 2, 3, 4, 5, 6], [1, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 1]),
  push(1, [2 ** 30], [2 ** 53 - 1]),
]

/** Undefined when they are none. */
function orRefused(read: () => SampleColumns | undefined): SampleColumns | undefined {
  try {
    const columns = read()
    return columns && { ...columns, values: columns.values.slice() }
  } catch (error) {
    if (error instanceof BlockError) return undefined
    throw error
  }
}

/** As rows that are merged one by one. */
const pieceOf = ({ t0Ms, block }: TimedBlock) => ({ t0Ms, block, tLastMs: t0Ms, receivedAtMs: 0, digest: new Uint8Array(8) })

describe('blocks one after the other', () => {
  it('are joined to what merging them gives', () => {
    fc.assert(
      fc.property(fc.array(samples, { minLength: 1, maxLength: 9 }), (all) => {
        const blocks = toBlocks(all)
        expect(joinBlocks(blocks)).toEqual(mergeSamples(blocks.map(pieceOf), ALL_STORED))
      }),
    )
  })

  it('are joined with more fields than there is room for', () => {
    const fieldIds = Array.from({ length: 4_000 }, (_, id) => id)
    const blocks = [0, 1, 2].map((part) => {
      const atMs = Float64Array.of(T0 + part * 3, T0 + part * 3 + 1, T0 + part * 3 + 2)
      return {
        t0Ms: T0 + part * 3,
        block: encodeBlock({ atMs, fieldIds, values: Float64Array.from(fieldIds.flatMap((id) => [id, part, 7])) }),
      }
    })
    expect(joinBlocks(blocks)).toEqual(mergeSamples(blocks.map(pieceOf), ALL_STORED))
  })

  it('are refused, or read as alone, whatever bit of them is flipped, and however they are cut off', () => {
    for (const bytes of PUSHES) {
      const bits = Array.from({ length: bytes.length * 8 }, (_, bit) => {
        const flipped = bytes.slice()
        flipped[bit >> 3]! ^= 1 << (bit & 7)
        return flipped
      })
      const cut = Array.from({ length: bytes.length }, (_, length) => bytes.slice(0, length))
      for (const damaged of [...bits, ...cut]) {
        const block = { t0Ms: T0, block: damaged }
        expect(orRefused(() => joinBlocks([block]))).toEqual(orRefused(() => decodeBlock(damaged, T0, ALL_STORED)))
      }
    }
  })

  it('are not joined where one begins before the end of another', () => {
    const block = (t0Ms: number) => ({
      t0Ms,
      block: encodeBlock({ atMs: Float64Array.of(t0Ms, t0Ms + 10), fieldIds: [1], values: Float64Array.of(1, 2) }),
    })
    expect(joinBlocks([block(T0), block(T0 + 10)])).toBeUndefined()
    expect(joinBlocks([block(T0), block(T0)])).toBeUndefined()
    expect(joinBlocks([block(T0), block(T0 + 11)])?.atMs).toHaveLength(4)
  })
})
