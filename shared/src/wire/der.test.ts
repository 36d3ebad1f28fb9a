import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  contextTag,
  DER,
  derElementAt,
  derElementsIn,
  derIntegerOf,
  derLengthBytes,
  derLengthIn,
  oidOf,
  unsignedIn,
} from './der.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))

test.each([
  ['a short length', '0203010203', { tag: 2, at: 0, from: 2, to: 5 }],
  ['nothing in it', '0500', { tag: 5, at: 0, from: 2, to: 2 }],
  ['a long length', `048180${'00'.repeat(128)}`, { tag: 4, at: 0, from: 3, to: 131 }],
  ['a length that begins with zeros, as some agents of SNMP write it', '048500000000020101', { tag: 4, at: 0, from: 7, to: 9 }],
  ['more behind it', '020101ffff', { tag: 2, at: 0, from: 2, to: 3 }],
])('an element with %s is read', (_, text, element) => expect(derElementAt(hex(text), 0)).toEqual(element))

test.each([
  ['nothing', ''],
  ['a tag alone', '30'],
  ['a length that is cut', '308201'],
  ['contents that are cut', '02020a'],
  ['an indefinite length', '30800000'],
  ['the reserved length', `30ff${'00'.repeat(127)}`],
  ['a tag of several bytes', '1f810100'],
  ['16 MiB', '308401000000'],
])('%s is no element', (_, text) => expect(derElementAt(hex(text), 0)).toBeUndefined())

test.each([
  ['', undefined],
  ['00', 0],
  ['0000000000ff', 255],
  ['ffffffff', 0xffffffff],
  ['0100000000', undefined],
])('the bytes %j are the number %s', (text, value) => expect(unsignedIn(hex(text), 4)).toBe(value))

test.each([
  ['020103', 3],
  ['0201ff', undefined],
  ['020500ffffffff', 0xffffffff],
  ['0200', undefined],
  ['040103', undefined],
])('the element %s is the integer %s', (text, value) => expect(derIntegerOf(hex(text), derElementAt(hex(text), 0))).toBe(value))

/** An element with these contents, its length in as few bytes as there are. */
function elementOf(tag: number, contents: Uint8Array): Uint8Array {
  const { length } = contents
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Uint8Array.from([tag, ...head, ...contents])
}

describe('of any bytes', () => {
  const bytes = fc.uint8Array({ maxLength: 300 })
  /** Bytes that look like elements more often than any bytes do. */
  const likely = fc
    .array(fc.oneof(fc.constantFrom(...Object.values(DER), contextTag(0), 0x80, 0x81, 0x82, 0, 1, 2, 5), fc.nat(255)), {
      maxLength: 60,
    })
    .map((list) => Uint8Array.from(list))

  test('no element goes beyond its end, whatever stands there', () => {
    fc.assert(
      fc.property(fc.oneof(bytes, likely), fc.nat(20), fc.nat(300), bytes, (all, at, before, more) => {
        const element = derElementAt(all, at, before)
        const end = Math.min(before, all.length)
        expect(element).toEqual(derElementAt(Uint8Array.from([...all.subarray(0, end), ...more]), at, end))
        expect(element).toEqual(derElementAt(all.slice(0, end), at))
        const { from, to } = element ?? { from: at, to: at }
        expect(element === undefined || (from >= at + 2 && from <= to && to <= end)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  test('reading ends, and finds elements one behind the other up to the end, or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(bytes, likely), fc.nat(30), (all, most) => {
        const found = derElementsIn(all, { from: 0, to: all.length }, most)
        const ends = (found ?? []).map(({ to }) => to)
        expect(found?.map(({ at }) => at) ?? []).toEqual(ends.length === 0 ? [] : [0, ...ends.slice(0, -1)])
        expect(found === undefined || (found.length <= most && (ends.at(-1) ?? 0) === all.length)).toBe(true)
        for (const element of found ?? []) {
          const [oid, integer] = [oidOf(all, element), derIntegerOf(all, element)]
          expect(oid ?? '1').toMatch(/^[\d.e+]+$/)
          expect(Number.isSafeInteger(integer ?? 0)).toBe(true)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('what is written is read, in another as alone', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 8 }), (parts) => {
        const all = elementOf(DER.sequence, Buffer.concat(parts.map((part) => elementOf(DER.octetString, part))))
        const whole = derElementAt(all, 0)
        expect(whole?.to).toBe(all.length)
        const inner = whole && derElementsIn(all, whole)
        expect(inner?.map(({ from, to }) => [...all.subarray(from, to)])).toEqual(parts.map((part) => [...part]))
      }),
    )
  })

  test('a length is less than 16 MiB or none', () => {
    fc.assert(
      fc.property(fc.nat(255), fc.uint8Array({ maxLength: 126 }), (first, all) => {
        expect(derLengthBytes(first) ?? 0).toBeLessThan(127)
        expect(derLengthIn(all) ?? 0).toBeLessThan(2 ** 24)
      }),
    )
  })
})
