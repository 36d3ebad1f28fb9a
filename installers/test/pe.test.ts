import { describe, expect, test } from 'vitest'
import { peChecksum, readPeHeader, removeSignature } from '../build/pe.ts'

/** The headers of a 64-bit program with a signature of `bytes` bytes at 512, and `rest` behind. */
function program(rest: readonly number[], bytes = 16): Buffer {
  const file = Buffer.alloc(512)
  file.write('MZ', 0, 'latin1')
  file.writeUInt32LE(0x80, 0x3c)
  file.write('PE\0\0', 0x80, 'latin1')
  file.writeUInt16LE(0x20b, 0x98)
  file.writeUInt32LE(512, 0x98 + 112 + 32)
  file.writeUInt32LE(bytes, 0x98 + 112 + 36)
  return Buffer.concat([file, Buffer.from(rest)])
}

describe('a Windows program whose signature was removed', () => {
  test('refers to no certificate, has the right checksum, and is otherwise unchanged', () => {
    const before = program([1, 2, 3])
    const after = removeSignature(before)
    expect(readPeHeader(before).certificates).toEqual({ offset: 512, bytes: 16 })
    expect(readPeHeader(after)).toEqual({ certificates: { offset: 0, bytes: 0 }, checksum: peChecksum(after) })
    const differing = [...before.keys()].filter((at) => before[at] !== after[at])
    expect(differing.every((at) => (at >= 0x98 + 64 && at < 0x98 + 68) || (at >= 0x98 + 144 && at < 0x98 + 152))).toBe(true)
  })

  test('has a checksum that sums words with carry, without the field itself, and adds the size', () => {
    // MZ, 0x80, PE, 0x20b, no certificates: 5a4d + 0080 + 4550 + 020b = a228.
    const empty = removeSignature(program([]))
    expect(peChecksum(empty)).toBe(0xa228 + 512)
    expect(peChecksum(removeSignature(empty))).toBe(0xa228 + 512)
    // ffff carries to 1 and adds nothing more; an odd byte at the end counts as a word.
    expect(peChecksum(removeSignature(program([0xff, 0xff, 0x07])))).toBe(0xa228 + 7 + 515)
  })

  test.each([
    ['an ELF file', Buffer.from(`\u007fELF${'\0'.repeat(600)}`, 'latin1')],
    ['a program of 32 bits', Buffer.from(program([]).fill(0x0b, 0x98, 0x99).fill(1, 0x99, 0x9a))],
  ])('is not made of %s', (_what, file) => {
    expect(() => removeSignature(file)).toThrow(/no PE/)
  })
})
