import { zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { BlockError, decodeBlock, encodeBlock, type SampleColumns } from '@vedette/shared/metrics/block'
import { compress, decompress } from './compressed.ts'
import { toPiece } from './hour.ts'

const START = 3_600_000 * 490_000
const SAMPLES = 360

/** Walks of some fields, the same each time. */
function walks(fields: number): SampleColumns {
  let state = 1
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
  const values = new Float64Array(fields * SAMPLES)
  for (let index = 0, value = 0; index < values.length; index += 1) {
    value = index % SAMPLES === 0 ? 1_000_000 : value + Math.round((next() + next() - 1) * 4_000)
    values[index] = value
  }
  const fieldIds = Array.from({ length: fields }, (_, id) => id)
  return { atMs: Float64Array.from({ length: SAMPLES }, (_, n) => START + 7 + n * 10_000), fieldIds, values }
}
const hour = walks(20)
const everyId = new Set(hour.fieldIds)

describe('compressed columns', () => {
  it('come back, and are a tenth smaller than compressed as a whole', () => {
    const data = compress(hour, START)
    const { offsetMs, block } = decompress(data)
    expect(offsetMs).toBe(7)
    expect(decodeBlock(block, START + 7, everyId)).toEqual(hour)
    expect(data.length).toBeLessThan(0.9 * zstdCompressSync(encodeBlock(hour)).length)
  })

  it('are read as an hour from their first instant on', () => {
    const { t0Ms, block } = toPiece({ hour: 490_000, data: compress(hour, START) })
    expect(t0Ms).toBe(START + 7)
    expect(decodeBlock(block, t0Ms, everyId)).toEqual(hour)
  })

  it('are refused when they are cut off', () => {
    const data = compress(walks(3), START)
    for (let length = 0; length < data.length; length += 1)
      expect(() => decodeBlock(decompress(data.subarray(0, length)).block, START + 7, everyId)).toThrow(BlockError)
  })
})
