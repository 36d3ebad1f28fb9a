import * as fc from 'fast-check'
import { compress } from 'snappyjs'
import { describe, expect, it } from 'vitest'
import { DecodingFault, unsnappy } from '../index.ts'

const LARGEST = 1_000_000

function messageOf(bytes: Uint8Array, largest = LARGEST): string {
  try {
    return `${unsnappy(bytes, largest).length} bytes`
  } catch (error) {
    if (error instanceof DecodingFault) return error.message
    throw error
  }
}

describe('a block of snappy', () => {
  const repeating = fc.array(fc.constantFrom('up', 'instance', '\0', 'host-1.example', 'é'), { maxLength: 400 })
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    repeating.map((words) => new TextEncoder().encode(words.join(''))),
  )

  it('gives back what another encoder compressed', () => {
    fc.assert(
      fc.property(bytes, (original) => {
        expect(Buffer.from(unsnappy(compress(original), LARGEST))).toEqual(Buffer.from(original))
      }),
    )
    const long = Buffer.alloc(200_000, 'abcdefghijk')
    expect(Buffer.from(unsnappy(compress(long), LARGEST)).equals(long)).toBe(true)
  })

  it('may have literals with a length of four bytes, and copies that overlap or have an offset of four bytes', () => {
    const literal = Buffer.from([7, 63 << 2, 2, 0, 0, 0, 1, 2, 3, (3 << 2) | 3, 2, 0, 0, 0])
    expect([...unsnappy(literal, LARGEST)]).toEqual([1, 2, 3, 2, 3, 2, 3])
    const overlapping = Buffer.from([34, 0, 7, (32 << 2) | 2, 1, 0])
    expect(unsnappy(overlapping, LARGEST)).toEqual(Buffer.alloc(34, 7))
  })

  it.each<[string, number[], string]>([
    ['nothing', [], 'snappy: the block is damaged'],
    ['a length that does not end', [255, 255, 255, 255, 255, 1], 'snappy: the block is damaged'],
    [
      'a length above the bound',
      [0xff, 0xff, 0xff, 0xff, 0x0f, 0],
      'snappy: the block holds 4294967295 bytes, more than 1000000',
    ],
    ['a length that its bytes cannot hold', [0xc0, 0x84, 0x3d, 0, 65], 'snappy: the block is damaged'],
    ['fewer bytes than promised', [2, 0, 65], 'snappy: the block is damaged'],
    ['more bytes than promised', [1, 4, 65, 66], 'snappy: the block is damaged'],
    ['a literal that is cut off', [3, 8, 65], 'snappy: the block is damaged'],
    ['a copy of what is not there', [8, 0, 65, (3 << 2) | 1, 2], 'snappy: the block is damaged'],
    ['a copy from no distance', [8, 0, 65, (3 << 2) | 1, 0], 'snappy: the block is damaged'],
    ['a copy without its distance', [8, 0, 65, 2], 'snappy: the block is damaged'],
  ])('with %s is refused', (_, block, message) => {
    expect(messageOf(Uint8Array.from(block))).toBe(message)
  })

  it('of exactly the bound is read, of one byte more it is refused', () => {
    const block = compress(Buffer.alloc(1_001, 'ab'))
    expect([messageOf(block, 1_001), messageOf(block, 1_000)]).toEqual([
      '1001 bytes',
      'snappy: the block holds 1001 bytes, more than 1000',
    ])
  })

  it('allocates nothing for a length that its bytes cannot hold', () => {
    const lie = Uint8Array.from([0xff, 0xff, 0xff, 0x7f, 0, 65])
    const before = process.memoryUsage().arrayBuffers
    for (let count = 0; count < 100; count++) expect(messageOf(lie, 2 ** 28)).toBe('snappy: the block is damaged')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 27)
  })

  it('of any bytes is read or refused', () => {
    const changed = fc.tuple(bytes, fc.nat(), fc.nat(255)).map(([original, at, byte]) => {
      const block = Buffer.from(compress(original))
      block[at % block.length] = byte
      return block
    })
    expect(() =>
      fc.assert(
        fc.property(fc.oneof(bytes, changed), (block) => messageOf(block) !== ''),
        { numRuns: 2_000 },
      ),
    ).not.toThrow()
  })
})
