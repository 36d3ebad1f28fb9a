import { describe, expect, it } from 'vitest'
import { splitData } from './remainder.ts'

const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 31) & 255)

describe('the data of an hour', () => {
  it.each([
    [0, 0],
    [1_995, 1_995],
    [1_996, 1_996],
    [1_997, 1_996],
    [1_996 * 5 + 700, 1_996 * 5],
    [1_996 * 5 + 1_990, 1_996 * 5],
  ])('of %i bytes leaves %i outside of the row, and is the two parts in order', (length, outside) => {
    const all = bytes(length)
    const { data, remainder } = splitData({ header: bytes(100), data: all })
    expect(data.length).toBe(outside)
    expect(Buffer.concat([data, remainder])).toEqual(Buffer.from(all))
  })

  it('stays outside of the row where the header is long', () => {
    const data = bytes(1_996 * 5 + 1_990)
    expect(splitData({ header: bytes(900), data })).toEqual({ data, remainder: new Uint8Array() })
  })
})
