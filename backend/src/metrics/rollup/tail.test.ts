import { describe, expect, it } from 'vitest'
import { encodeHeader, decodeHeader } from './header.ts'
import { endOfTail, joinTail, moveTail } from './tail.ts'
import { ALL_STORED, BlockError } from '../block/index.ts'

const totals = new Map([[3, { count: 6, sum: 2n ** 70n, max: 9, last: -4, lastAtMs: 3_600_007 }]])
const header = encodeHeader(totals, 3_600_000)
const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 31) & 255)

describe('the rest of what stands outside of a row', () => {
  it.each([
    [0, 0],
    [1_995, 1_995],
    [1_996, 1_996],
    [1_997, 1_996],
    [1_996 * 5 + 700, 1_996 * 5],
    [1_996 * 5 + 1_990, 1_996 * 5 + 1_990],
  ])('of %i bytes leaves %i outside, and all come back', (length, outside) => {
    const data = bytes(length)
    const stored = moveTail({ header, data })
    expect(stored.data.length).toBe(outside)
    expect(Buffer.from(joinTail(stored))).toEqual(Buffer.from(data))
    expect(decodeHeader(stored.header, 3_600_000, ALL_STORED)).toEqual(totals)
  })

  it('is refused where the header ends before it', () => {
    expect(() => endOfTail(Uint8Array.of(2, 1, 0))).toThrow(BlockError)
    expect(() => decodeHeader(Uint8Array.of(2), 0, ALL_STORED)).toThrow(BlockError)
  })
})
