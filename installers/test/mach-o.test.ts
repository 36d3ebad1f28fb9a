import { randomFillSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { signAdHoc } from '../build/mach-o.ts'
import { readSignature } from './mach-o-pages.ts'

const TEXT_BYTES = 16_384

/** A Mach-O file with __TEXT and __LINKEDIT of chance, and with a former signature or with room for one. */
function machO(linkeditBytes: number, former: boolean): Buffer {
  const file = Buffer.alloc(TEXT_BYTES + linkeditBytes)
  randomFillSync(file, 4096)
  const segment = (at: number, name: string, offset: number, bytes: number) => {
    file.writeUInt32LE(0x19, at)
    file.writeUInt32LE(72, at + 4)
    file.write(name, at + 8, 'latin1')
    file.writeBigUInt64LE(BigInt(offset), at + 40)
    file.writeBigUInt64LE(BigInt(bytes), at + 48)
  }
  for (const [index, value] of [0xfeedfacf, 0x0100000c, 0, 2, former ? 3 : 2, former ? 160 : 144].entries())
    file.writeUInt32LE(value, index * 4)
  segment(32, '__TEXT', 0, TEXT_BYTES)
  segment(104, '__LINKEDIT', TEXT_BYTES, linkeditBytes)
  if (former)
    for (const [index, value] of [0x1d, 16, TEXT_BYTES + 1000, linkeditBytes - 1000].entries())
      file.writeUInt32LE(value, 176 + index * 4)
  return file
}

describe('an ad-hoc signature', () => {
  test.each([
    ['with a former signature', true, 5000],
    ['without one', false, 5000],
    ['of whole pages', false, 8192],
    ['of a byte above a page', false, 4097],
  ])('has the right hash of every page, %s', (_, former, bytes) => {
    const signed = signAdHoc(machO(bytes, former), 'vedette-agent')
    const kept = Math.ceil((former ? TEXT_BYTES + 1000 : TEXT_BYTES + bytes) / 16) * 16
    expect(readSignature(signed)).toEqual({
      identifier: 'vedette-agent',
      flags: 2,
      pages: Math.ceil(kept / 4096),
      badPages: [],
      isAtEnd: true,
    })
  })

  test('becomes invalid when a byte of the program changes', () => {
    const signed = signAdHoc(machO(5000, true), 'vedette-agent')
    signed.writeUInt8(signed.readUInt8(9000) ^ 1, 9000)
    expect(readSignature(signed).badPages).toEqual([2])
  })

  test('is refused without space for a load command', () => {
    const full = machO(5000, false)
    full.writeUInt8(1, 180)
    expect(() => signAdHoc(full, 'vedette-agent')).toThrow('no room for another load command')
  })
})
