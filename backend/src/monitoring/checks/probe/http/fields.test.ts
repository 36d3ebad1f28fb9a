import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CheckFault } from '../kinds/conversation/check-fault.ts'
import { parseHead as parseSipHead, readHeadLines } from '../kinds/conversation/head.ts'
import { parseHead, ProtocolFault } from './head.ts'

const http = (lines: readonly string[]) => parseHead(['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n')).headers
const sip = (lines: readonly string[]) => parseSipHead(['SIP/2.0 200 OK', ...lines], /^SIP\/2\.0$/, 'SIP').headers

test.each<[string, string[], Record<string, string>]>([
  ['names in any case', ['ALLOW: INVITE', 'cseq:1 OPTIONS'], { allow: 'INVITE', cseq: '1 OPTIONS' }],
  ['values with colons and without anything', ['A: b: c', 'D:'], { a: 'b: c', d: '' }],
  ['what is repeated', ['A: b', 'A: c', 'A: b'], { a: 'b, c' }],
  ['what is folded', ['A: b', '  c', '\td', 'E:', ' f'], { a: 'b c d', e: 'f' }],
  ['a blank line that continues nothing', [' a: b', 'C: d'], { c: 'd' }],
])('HTTP, SIP and RTSP read alike: %s', (_, lines, headers) => {
  for (const read of [http, sip]) expect(Object.fromEntries(read(lines))).toEqual(headers)
})

describe('what is no field', () => {
  test('is passed over in HTTP, and in SIP and RTSP another protocol', () => {
    expect(Object.fromEntries(http(['no field', ': empty', 'a b: c', 'D: e']))).toEqual({ d: 'e' })
    for (const line of ['no field', ': empty']) expect(() => sip([line])).toThrow('the target does not speak SIP')
  })
  test('has a blank before its colon in HTTP, where it may hide the end of the body, and not in SIP (RFC 3261, section 7.3.1)', () => {
    expect(() => http(['Content-Length : 5'])).toThrow('the answer has a broken content-length')
    expect(Object.fromEntries(sip(['Content-Length : 5']))).toEqual({ 'content-length': '5' })
  })
})

const line = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc
    .tuple(fc.constantFrom('A', 'b-c', 'Set-Cookie', 'Content-Length', ' ', '\t'), fc.string({ maxLength: 20 }))
    .map((parts) => parts.join(':')),
)

test('any lines are read, or are a fault of the target, and no value has more than they have', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      for (const [read, fault] of [
        [http, ProtocolFault],
        [sip, CheckFault],
      ] as const) {
        let headers: ReadonlyMap<string, string> = new Map()
        try {
          headers = read(lines)
        } catch (error) {
          if (!(error instanceof fault)) throw error
        }
        const length = [...headers].reduce((sum, [name, value]) => sum + name.length + value.length, 0)
        // Each field may be joined by a comma and a blank.
        expect(length).toBeLessThanOrEqual(lines.join('\n').length + 2 * lines.length)
        for (const name of headers.keys()) expect(name).toBe(name.toLowerCase())
      }
    }),
    { numRuns: 500 },
  )
})

test('of a head that arrives line by line 200 fields are read, and no more', async () => {
  const linesOf = (count: number) => {
    const lines = ['', 'SIP/2.0 200 OK', ...Array.from({ length: count }, () => 'A: b'), '']
    return readHeadLines(async () => lines.shift() ?? '', 'SIP')
  }
  expect(await linesOf(200)).toHaveLength(201)
  await expect(linesOf(201)).rejects.toThrow('the head of the answer has more than 200 lines')
})
