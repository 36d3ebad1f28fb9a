import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contentsIn, elementIn, numberOf } from './ber-reader.ts'
import { element, integer, octets, SEQUENCE } from './ber-writer.ts'
import { ByteReader } from './byte-reader.ts'
import { CheckFault } from './check-fault.ts'

const reader = (bytes: Uint8Array) => new ByteReader(Buffer.from(bytes))

/** All elements with what is in them: their bytes in order. Throws what the reader throws. */
function readAll(fields: ByteReader, depth = 0): number {
  let bytes = 0
  while (fields.left > 0) {
    const { tag, contents } = elementIn(fields)
    bytes += contents.left
    if ((tag & 0x20) !== 0 && depth < 20) readAll(contents, depth + 1)
    else numberOf({ tag, contents })
  }
  return bytes
}

test('of any bytes an element is read or is a fault of the target, and never more than there are', () => {
  const likely = fc.array(fc.oneof(fc.constantFrom(0x30, 2, 4, 0x0a, 0x80, 0x81, 0, 1), fc.nat(255)), { maxLength: 40 })
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        likely.map((list) => Uint8Array.from(list)),
      ),
      (bytes) => {
        try {
          expect(readAll(reader(bytes))).toBeLessThanOrEqual(bytes.length)
        } catch (error) {
          if (!(error instanceof CheckFault)) throw error
        }
      },
    ),
    { numRuns: 2_000 },
  )
})

test('what the writer writes is read: numbers, octets, and elements within another', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 31 - 1), fc.uint8Array({ maxLength: 70_000, size: 'max' }), (number, bytes) => {
      const fields = contentsIn(reader(element(SEQUENCE, integer(number), octets(bytes))), SEQUENCE)
      expect(numberOf(elementIn(fields))).toBe(number)
      expect(elementIn(fields).contents.rest().equals(bytes)).toBe(true)
      expect(fields.left).toBe(0)
    }),
    { numRuns: 50 },
  )
})
