import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeRecord, RECORD, scanRecords } from './record.ts'

const payloads = ['one', 'two, longer', '', 'four'].map((text) => Buffer.from(text))
const segment = Buffer.concat(payloads.map((payload) => encodeRecord(RECORD.sample, payload)))

function scan(bytes: Buffer) {
  const found: string[] = []
  const damaged = scanRecords(bytes, ({ payload }) => found.push(payload.toString()))
  return { found, damaged }
}

test('records are read as written, in order', () => {
  expect(scan(segment)).toEqual({ found: ['one', 'two, longer', '', 'four'], damaged: 0 })
  expect(scan(Buffer.alloc(0))).toEqual({ found: [], damaged: 0 })
})

test('a flipped bit loses only its record, and one is counted', () => {
  for (let bit = 0; bit < segment.length * 8; bit++) {
    const bytes = Buffer.from(segment)
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const { found, damaged } = scan(bytes)
    expect([bit, found.length, damaged]).toEqual([bit, 3, 1])
  }
})

test('records before a torn one are intact', () => {
  for (let end = 0; end < segment.length; end++) {
    const { found, damaged } = scan(segment.subarray(0, end))
    expect(['one', 'two, longer', '', 'four'].slice(0, found.length)).toEqual(found)
    expect(damaged).toBeLessThanOrEqual(1)
  }
})

test('two damaged neighbours count as two, foreign bytes between records as one', () => {
  const bytes = Buffer.from(segment)
  bytes[10] = 0xff
  bytes[25] = 0xff
  expect(scan(bytes)).toEqual({ found: ['', 'four'], damaged: 2 })
  expect(scan(Buffer.concat([segment, Buffer.from('not ours'), segment]))).toMatchObject({ found: { length: 8 }, damaged: 1 })
})

test('scanning arbitrary bytes never throws', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(new Uint8Array([0xd7, 0x5e]))), { maxLength: 20 }),
      (parts) => {
        expect(scan(Buffer.concat(parts)).damaged).toBeGreaterThanOrEqual(0)
      },
    ),
  )
})
