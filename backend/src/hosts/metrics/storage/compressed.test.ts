import { describe, expect, it } from 'vitest'
import { ALL_STORED, BlockError, type SampleColumns } from '@vedette/shared/metrics/block'
import { compress, decompress } from './compressed.ts'
import { toPiece } from './hour.ts'

const START = 3_600_000 * 490_000
const hour: SampleColumns = {
  atMs: Float64Array.of(START + 7, START + 10_007, START + 20_007),
  fieldIds: [1, 10],
  values: Float64Array.of(100, 200, 250, 8_192, Number.NaN, 4_096),
}

describe('a compressed hour', () => {
  it('comes back, and is read as a piece from its first instant on', () => {
    const data = compress(hour, START)
    expect(decompress(data, START, ALL_STORED)).toEqual(hour)
    expect(toPiece({ hour: 490_000, data }, new Set([10]))).toMatchObject({ t0Ms: START + 7, columns: { fieldIds: [10] } })
  })

  it('is refused when it is cut off', () => {
    const data = compress(hour, START)
    for (let length = 0; length < data.length; length += 1)
      expect(() => decompress(data.subarray(0, length), START, ALL_STORED)).toThrow(BlockError)
  })
})
