import { zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { BlockError, decodeBlock, encodeBlock, type SampleColumns } from '../block/index.ts'
import { toPiece } from './hour.ts'
import { pack, unpack } from './pack.ts'

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

describe('packed columns', () => {
  it('come back, and are a tenth smaller than compressed as a whole', () => {
    const data = pack(hour, START)
    const { offsetMs, block } = unpack(data, true)
    expect(offsetMs).toBe(7)
    expect(decodeBlock(block, START + 7, everyId)).toEqual(hour)
    expect(data.length).toBeLessThan(0.9 * zstdCompressSync(encodeBlock(hour)).length)
  })

  it('are read as earlier versions stored them', () => {
    const head = Buffer.of(7, 0, 0, 0)
    const data = zstdCompressSync(Buffer.concat([head, encodeBlock(hour)]))
    const { t0Ms, block } = toPiece({ hour: 490_000, header: Uint8Array.of(1, 0), data })
    expect(decodeBlock(block, t0Ms, everyId)).toEqual(hour)
    const { block: ofDay } = unpack(zstdCompressSync(encodeBlock(hour)), false)
    expect(decodeBlock(ofDay, START + 7, everyId)).toEqual(hour)
  })

  it('are refused when they are cut off', () => {
    const data = pack(walks(3), START)
    for (let length = 0; length < data.length; length += 1)
      expect(() => decodeBlock(unpack(data.subarray(0, length), true).block, START + 7, everyId)).toThrow(BlockError)
  })
})
