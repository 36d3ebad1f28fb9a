import { describe, expect, test } from 'vitest'
import { answersOf, decodeAnswer, encodeQuery, type Question, questionOfTry, rcodeName, refusesEdns } from '../message.ts'
import { nameBytes, QUESTION_NAME, record, replyTo } from './dns-messages.ts'

const question: Question = { id: 4_711, name: 'wWw.ExAmple.org', type: 1, recursion: true, hasEdns: true }
const query = encodeQuery(question)
const A = Buffer.from([192, 0, 2, 1])
const decode = (message: Buffer, of: Question = question) => decodeAnswer(message, of)
const valueOf = (type: number, data: Buffer) => decode(replyTo(query, [record(QUESTION_NAME, type, data)]))?.records[0]?.value

test('a query has one question, the AD bit and EDNS', () => {
  const name = nameBytes('wWw.ExAmple.org').toString('hex')
  expect(query.toString('hex')).toBe(`126701200001000000000001${name}0001000100002904d0000000000000`)
  expect(encodeQuery({ ...question, recursion: false }).readUInt16BE(2)).toBe(0x0020)
  expect(encodeQuery({ ...question, hasEdns: false }).toString('hex')).toBe(`126701200001000000000000${name}00010001`)
})

describe('a server', () => {
  const headOf = (flags: number, change: (head: Buffer) => unknown = () => {}) => {
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(0x8180 | flags, 2)
    change(head)
    return head
  }
  const options = Buffer.from('0000290200000000000000', 'hex')
  const withOptions = (reply: Buffer) => {
    reply.writeUInt16BE(1, 10)
    return Buffer.concat([reply, options])
  }

  test.each([
    ['FORMERR', replyTo(query, [], 1)],
    ['NOTIMP', replyTo(query, [], 4)],
    ['SERVFAIL', replyTo(query, [], 2)],
    ['FORMERR and the OPT record of the query', withOptions(replyTo(query, [], 1))],
    ['FORMERR and the header alone, with its counts', headOf(1)],
    ['NOERROR and the header alone, with its counts', headOf(0)],
    ['FORMERR and a header without a question', headOf(1, (head) => head.fill(0, 4))],
    ['NOTIMP and a header without a question', headOf(4, (head) => head.fill(0, 4))],
    ['REFUSED and a header without a question', headOf(5, (head) => head.fill(0, 4))],
  ])('that answers %s does not know EDNS', (_, message) => {
    expect(refusesEdns(message, question)).toBe(true)
    expect(refusesEdns(message, { ...question, hasEdns: false })).toBe(false)
  })

  test('that does not answer gets each third query without EDNS', () => {
    expect([0, 1, 2, 3, 4, 5].map((tries) => questionOfTry(question, tries).hasEdns)).toEqual([
      true,
      true,
      false,
      true,
      true,
      false,
    ])
  })

  test.each([
    ['an answer', replyTo(query, [record(QUESTION_NAME, 1, A)])],
    ['an answer without a record', replyTo(query, [])],
    ['NXDOMAIN', replyTo(query, [], 3)],
    ['REFUSED', replyTo(query, [], 5)],
    ['SERVFAIL and an OPT record', withOptions(replyTo(query, [], 2))],
    ['a query', query],
    ['another id', headOf(1, (head) => head.writeUInt16BE(1))],
    ['half a header', headOf(1).subarray(0, 11)],
  ])('that sends %s is not queried again without EDNS', (_, message) => {
    expect(refusesEdns(message, question)).toBe(false)
  })
})

describe('an answer', () => {
  test('has its code, flags and records', () => {
    expect(decode(replyTo(query, [record(QUESTION_NAME, 1, A, 60)], 0x0020))).toEqual({
      rcode: 0,
      isTruncated: false,
      isAuthenticated: true,
      isSameCase: true,
      records: [{ owner: 'www.example.org', type: 1, ttl: 60, value: '192.0.2.1', addresses: ['192.0.2.1'] }],
    })
    expect(rcodeName(decode(replyTo(query, [], 3))?.rcode ?? 0)).toBe('NXDOMAIN')
  })

  test.each([
    ['another id', { ...question, id: 1 }],
    ['another name', { ...question, name: 'www.example.com' }],
    ['another type', { ...question, type: 28 }],
  ])('for %s is ignored', (_, other) => {
    expect(decode(replyTo(encodeQuery(other), [record(QUESTION_NAME, 1, A)]))).toBeUndefined()
  })

  test('that is a query is ignored', () => {
    expect(decode(query)).toBeUndefined()
  })

  test('in another case of letters is marked', () => {
    const reply = replyTo(encodeQuery({ ...question, name: 'www.example.org' }), [record(QUESTION_NAME, 1, A)])
    expect(decode(reply)).toMatchObject({ isSameCase: false, records: [{ value: '192.0.2.1' }] })
  })

  /** What becomes of a message that may be malformed; any other exception fails the test. */
  const fateOf = (message: Buffer): string => {
    try {
      return decode(message) ? 'answer' : 'ignored'
    } catch (error) {
      if (error instanceof RangeError) return 'malformed'
      throw error
    }
  }

  test('that is cut at any byte is ignored or malformed, and never an answer', () => {
    const whole = replyTo(query, [record(nameBytes('www.example.org'), 1, A), record(QUESTION_NAME, 1, A)])
    const fates = Array.from({ length: whole.length }, (_, length) => fateOf(whole.subarray(0, length)))
    expect(new Set(fates)).toEqual(new Set(['ignored', 'malformed']))
  })

  test('with any byte changed is ignored, malformed or an answer, and nothing else happens', () => {
    const mx = Buffer.concat([Buffer.from([0, 10]), nameBytes('mx.example.org')])
    const text = record(QUESTION_NAME, 16, Buffer.from('\x03abc'))
    const whole = replyTo(query, [record(QUESTION_NAME, 15, mx), text, record(QUESTION_NAME, 1, A)])
    const fates = [...whole.keys()].flatMap((at) =>
      [0, 1, 0x3f, 0x40, 0xc0, 0xff].map((value) => {
        const changed = Buffer.from(whole)
        changed[at] = value
        return fateOf(changed)
      }),
    )
    expect(new Set(fates)).toEqual(new Set(['ignored', 'malformed', 'answer']))
  })

  test('whose names lead to themselves or forward is malformed', () => {
    const loop = Buffer.from([0xc0, query.length - 11])
    expect(() => decode(replyTo(query, [record(loop, 1, A)]))).toThrow(RangeError)
    expect(() => decode(replyTo(query, [record(Buffer.from([0xff, 0xff]), 1, A)]))).toThrow(RangeError)
  })

  test('with more records than anyone needs is read in part', () => {
    const many = Array.from({ length: 1_000 }, () => record(QUESTION_NAME, 1, A))
    expect(decode(replyTo(query, many))?.records).toHaveLength(256)
  })
})

const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex')

describe('the value of a record', () => {
  const soa = Buffer.concat([nameBytes('NS.example.org'), nameBytes('admin.example.org'), Buffer.alloc(20, 0)])
  soa.writeUInt32BE(2_026_112_401, soa.length - 20)

  test.each([
    ['A', 1, A, '192.0.2.1'],
    ['AAAA', 28, Buffer.from('20010db8000000000000000000000001', 'hex'), '2001:db8::1'],
    ['NS', 2, nameBytes('NS1.example.org'), 'ns1.example.org'],
    ['MX', 15, Buffer.concat([Buffer.from([0, 10]), nameBytes('mx.example.org')]), '10 mx.example.org'],
    ['null MX', 15, Buffer.from([0, 0, 0]), '0 .'],
    ['SRV', 33, Buffer.concat([Buffer.from([0, 1, 0, 2, 0x13, 0xc4]), nameBytes('sip.example.org')]), '1 2 5060 sip.example.org'],
    ['TXT', 16, Buffer.from('\x06v=spf1\x05 -all'), 'v=spf1 -all'],
    ['TXT with control bytes', 16, Buffer.from('\x04a\n"\xff', 'latin1'), String.raw`a\010\"\255`],
    ['CAA', 257, Buffer.from('\0\x05issueletsencrypt.org'), '0 issue "letsencrypt.org"'],
    ['SOA', 6, soa, 'ns.example.org admin.example.org 2026112401 0 0 0 0'],
    ['CNAME', 5, nameBytes('CDN.example.net'), 'cdn.example.net'],
    ['DS', 43, hex('ec45 05 01 2bb183af5f22588179a53b0a98631fad1a292118'), '60485 5 1 2BB183AF5F22588179A53B0A98631FAD1A292118'],
    ['TLSA', 52, hex('03 01 01 d2abde240d7cd3ee6b4b28c54df034b9'), '3 1 1 D2ABDE240D7CD3EE6B4B28C54DF034B9'],
    ['HTTPS as an alias', 65, Buffer.concat([hex('0000'), nameBytes('CDN.example.net')]), '0 cdn.example.net'],
    ['SVCB with the name of its owner', 64, hex('0001 00'), '1 .'],
    [
      'HTTPS',
      65,
      hex('0001 00 0001 0006 026832 026833 0004 0008 c0000201 c0000202 0006 0010 20010db8000000000000000000000001'),
      '1 . alpn="h2,h3" ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1',
    ],
    [
      'SVCB',
      64,
      hex(`0010 03666f6f00 0000 0006 0001 0003 029a 0001 0003 026832 0002 0000 0003 0002 01bb 0005 0003 010203 0007 0003 2f7b7d`),
      '16 foo mandatory=alpn,port,key666 alpn="h2" no-default-alpn port=443 ech=AQID dohpath="/{}"',
    ],
    ['SVCB with parameters of later times', 64, hex('0001 00 0008 0000 029b 0005 68656c6c6f'), '1 . ohttp key667="hello"'],
    ['PTR to a name with a dot in a label', 12, Buffer.from('\x03a.b\x03org\0'), String.raw`a\.b.org`],
  ])('of type %s', (_, type, data, value) => {
    expect(valueOf(type, data)).toBe(value)
  })

  test.each([
    ['A of five bytes', 1, Buffer.alloc(5)],
    ['MX with bytes after its name', 15, Buffer.concat([Buffer.from([0, 10]), nameBytes('mx.org'), A])],
    ['DS without its numbers', 43, hex('ec45 05')],
    ['TLSA without its numbers', 52, hex('0301')],
    ['HTTPS with half a parameter', 65, hex('0001 00 0001')],
    ['HTTPS with a parameter longer than its data', 65, hex('0001 00 0003 0004 01bb')],
    ['HTTPS with a protocol longer than its list', 65, hex('0001 00 0001 0003 096832')],
    ['HTTPS with half an address', 65, hex('0001 00 0004 0002 c000')],
    ['TXT longer than its data', 16, Buffer.from('\x09abc')],
    ['CAA whose tag is longer than its data', 257, Buffer.from('\0\x09abc')],
  ])('%s is malformed', (_, type, data) => {
    expect(() => valueOf(type, data)).toThrow(RangeError)
  })
})

test('answers are those of the name and of its aliases in any order', () => {
  const records = decode(
    replyTo(query, [
      record(nameBytes('b.example.org'), 1, A),
      record(nameBytes('a.example.org'), 5, nameBytes('B.example.org')),
      record(QUESTION_NAME, 5, nameBytes('a.example.org')),
      record(nameBytes('other.example.org'), 1, A),
    ]),
  )?.records
  expect(answersOf(records ?? [], 'www.example.org', 1).map(({ owner }) => owner)).toEqual(['b.example.org'])
})

test('the aliases of a name are its own alone if they are requested', () => {
  const records = decode(
    replyTo(query, [
      record(QUESTION_NAME, 5, nameBytes('a.example.org')),
      record(nameBytes('a.example.org'), 5, nameBytes('b.example.org')),
    ]),
  )?.records
  expect(answersOf(records ?? [], 'www.example.org', 5).map(({ value }) => value)).toEqual(['a.example.org'])
})
