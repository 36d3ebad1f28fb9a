import { describe, expect, it } from 'vitest'
import { encodeHeader, decodeHeader } from './header.ts'
import { addHalves, endOfTail, joinTail, moveTail, openHeader, WITH_OLDER_HALVES } from './tail.ts'
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
    [1_996 * 5 + 1_990, 1_996 * 5],
  ])('of %i bytes leaves %i outside, and all come back', (length, outside) => {
    const data = bytes(length)
    const stored = moveTail({ header, data })
    expect(stored.data.length).toBe(outside)
    expect(Buffer.from(joinTail(stored))).toEqual(Buffer.from(data))
    expect(decodeHeader(stored.header, 3_600_000, ALL_STORED)).toEqual(totals)
  })

  it('stays outside where the header is long', () => {
    const data = bytes(1_996 * 5 + 1_990)
    expect(moveTail({ header: bytes(900), data })).toEqual({ header: bytes(900), data })
  })

  it('comes back behind half hours', () => {
    const halves = bytes(300)
    const data = bytes(1_996 * 2 + 700)
    const stored = moveTail({ header: addHalves(header, halves), data })
    expect(stored.data.length).toBe(1_996 * 2)
    expect(Buffer.from(joinTail(stored))).toEqual(Buffer.from(data))
    expect(decodeHeader(stored.header, 3_600_000, ALL_STORED)).toEqual(totals)
    expect(openHeader(stored.header)).toMatchObject({ halves: Buffer.from(halves), olderHalves: undefined })
    stored.header[0] = WITH_OLDER_HALVES
    expect(openHeader(stored.header)).toMatchObject({ halves: undefined, olderHalves: Buffer.from(halves) })
    expect(Buffer.from(joinTail(stored))).toEqual(Buffer.from(data))
    expect(() => openHeader(stored.header.subarray(0, header.length + 300))).toThrow(BlockError)
  })

  it('is refused where the header ends before it', () => {
    expect(() => endOfTail(Uint8Array.of(2, 1, 0))).toThrow(BlockError)
    expect(() => decodeHeader(Uint8Array.of(2), 0, ALL_STORED)).toThrow(BlockError)
  })
})
