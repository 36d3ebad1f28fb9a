import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc32 } from './checksum.ts'

test('the checksum is the CRC-32 of zlib, in one piece or two', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), (bytes, at) => {
      const cut = Math.min(at, bytes.length)
      const whole = zlibCrc32(bytes)
      expect(crc32(bytes, 0, bytes.length)).toBe(whole)
      expect(crc32(bytes, cut, bytes.length, crc32(bytes, 0, cut))).toBe(whole)
    }),
  )
})
