import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { dnsQuestionOf, type DefinitionOf } from '@vedette/shared'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../../../../../../scripts/test-tools.ts'
import { createProber, type ProberOptions } from '../../../index.ts'
import { defineCheck } from '../../../test/define-check.ts'
import { nameBytes, QUESTION_NAME, record, replyTo } from './dns-messages.ts'

type Dns = DefinitionOf<'dns'>
type Reply = (query: Buffer) => readonly Buffer[]

const closing: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

const A = record(QUESTION_NAME, 1, Buffer.from([192, 0, 2, 1]), 60)

/** A name server over UDP and TCP on one port. Returns `address:port` and the queries over each. */
async function serve(overUdp: Reply, overTcp: Reply = () => []) {
  const seen = { udp: [] as Buffer[], tcp: [] as Buffer[] }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes: Buffer) => {
      const query = Buffer.from(bytes.subarray(2))
      seen.tcp.push(query)
      for (const reply of overTcp(query)) {
        const length = Buffer.alloc(2)
        length.writeUInt16BE(reply.length)
        socket.write(Buffer.concat([length, reply]))
      }
      socket.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    seen.udp.push(query)
    for (const reply of overUdp(query)) socket.send(reply, from.port, from.address)
  })
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  closing.push(
    () => new Promise((resolve) => void server.close(resolve)),
    () => new Promise<void>((resolve) => void socket.close(() => resolve())),
  )
  return { address: `127.0.0.1:${port}`, seen }
}

const probers: { close(): void }[] = []
afterAll(() => probers.forEach((prober) => prober.close()))
function proberWith(options: Partial<ProberOptions> = {}) {
  const prober = createProber({ allowPrivateTargets: 'all', ...options })
  probers.push(prober)
  return prober
}
const open = proberWith()
const check = (
  server: string,
  question = 'www.example.org?type=A',
  options: Partial<Dns['options']> = {},
  change: Partial<Pick<Dns, 'assertions' | 'timeout'>> = {},
) => open.check(defineCheck('dns', `dns://${server}/${question}`, options, change))

describe('a question', () => {
  const of = (url: string) => dnsQuestionOf(new URL(url))
  test.each([
    ['dns:///Example.com', { name: 'example.com', type: 'A' }],
    ['dns://[::1]:5353/_sip._tcp.example.com.?type=srv', { name: '_sip._tcp.example.com', type: 'SRV' }],
    ['dns:///bücher.example?type=AAAA', { name: 'xn--bcher-kva.example', type: 'AAAA' }],
    ['dns:///192.0.2.1?type=PTR', { name: '1.2.0.192.in-addr.arpa', type: 'PTR' }],
    [
      'dns:///2001:db8::1?type=PTR',
      { name: '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa', type: 'PTR' },
    ],
  ])('of %s', (url, question) => {
    expect(of(url)).toEqual(question)
  })
  test.each(['dns:///', 'dns://ns.example.com', 'dns:///a b', 'dns:///a..b', `dns:///${'a'.repeat(64)}`, 'dns:///a?type=ANY'])(
    'of %s is refused',
    (url) => {
      expect(of(url)).toHaveProperty('fault')
    },
  )
})

describe('an answer over UDP', () => {
  test('is up with its facts', async () => {
    const { address } = await serve((query) => [replyTo(query, [record(QUESTION_NAME, 1, Buffer.from([192, 0, 2, 9])), A], 0x20)])
    const result = await check(address)
    expect(result).toMatchObject({ outcome: 'up', address: '127.0.0.1', connect_ms: null, error: null })
    expect(result.facts).toEqual({
      rcode: 'NOERROR',
      answer_count: 2,
      values: '192.0.2.1, 192.0.2.9',
      ttl: 60,
      authenticated: 'true',
    })
  })

  test.each([
    ['NXDOMAIN', 3],
    ['SERVFAIL', 2],
    ['REFUSED', 5],
  ])('of %s is down', async (rcode, flags) => {
    const { address } = await serve((query) => [replyTo(query, [], flags)])
    const result = await check(address)
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'dns' }, facts: { rcode, answer_count: 0, values: '' } })
    expect(result.facts).not.toHaveProperty('ttl')
  })

  test('without a record is down, and up with an assertion that says so', async () => {
    const { address } = await serve((query) => [replyTo(query, [])])
    expect(await check(address)).toMatchObject({
      outcome: 'down',
      error: { code: 'dns', message: expect.stringContaining('0 answers') },
    })
    const assertions = [{ type: 'answer_count', operator: 'equals', value: 0 }] as Dns['assertions']
    expect(await check(address, undefined, {}, { assertions })).toMatchObject({ outcome: 'up' })
  })

  test('to another question is ignored until the right one comes', async () => {
    const { address } = await serve((query) => {
      const otherId = replyTo(query, [A])
      otherId.writeUInt16BE(query.readUInt16BE() ^ 1)
      const otherName = replyTo(query, [A])
      otherName.write('xxx', 13)
      return [Buffer.from('garbage'), otherId, otherName, query, replyTo(query, [A])]
    })
    expect(await check(address)).toMatchObject({ outcome: 'up', facts: { values: '192.0.2.1' } })
  })

  test('of another server is not received', async () => {
    const other = createSocket('udp4')
    closing.push(() => void other.close())
    const { address } = await serve((query) => {
      void query
      return []
    })
    const server = createSocket('udp4')
    server.bind(0, '127.0.0.1')
    await once(server, 'listening')
    closing.push(() => void server.close())
    server.on('message', (query, from) => other.send(replyTo(query, [A]), from.port, from.address))
    expect(address).toContain(':')
    const result = await check(`127.0.0.1:${server.address().port}`, undefined, {}, { timeout: 1 })
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'timeout' } })
  })

  test('that is malformed is a protocol error', async () => {
    const { address } = await serve((query) => [replyTo(query, [A.subarray(0, -1)])])
    expect(await check(address)).toMatchObject({
      outcome: 'down',
      error: { code: 'protocol', message: 'the answer is malformed' },
    })
  })

  test('may come to a repeated query', async () => {
    let queries = 0
    const { address } = await serve((query) => (++queries === 2 ? [replyTo(query, [A])] : []))
    expect(await check(address)).toMatchObject({ outcome: 'up' })
  })

  test('that never comes leaves no socket behind', async () => {
    const { address } = await serve(() => [])
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'UDPWRAP').length
    const before = sockets()
    expect(await check(address, undefined, {}, { timeout: 1 })).toMatchObject({ outcome: 'down', error: { code: 'timeout' } })
    await expect.poll(sockets).toBe(before)
  })

  test('is not waited for at a closed port', async () => {
    expect(await check(`127.0.0.1:${await freePort()}`)).toMatchObject({ outcome: 'down', error: { code: 'connect' } })
  })

  test('of a server that floods ends the check', async () => {
    const { address } = await serve(() => Array.from({ length: 3_000 }, () => Buffer.from('garbage')))
    expect(['protocol', 'timeout']).toContain((await check(address, undefined, {}, { timeout: 1 })).error?.code)
  })
})

describe('a server without EDNS', () => {
  const hasOptions = (query: Buffer) => query.readUInt16BE(10) > 0
  const bare = (query: Buffer, flags: number) => {
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(0x8180 | flags, 2)
    return head
  }
  const refusing =
    (refusal: (query: Buffer) => readonly Buffer[]): Reply =>
    (query) =>
      hasOptions(query) ? refusal(query) : [replyTo(query, [A])]

  test.each<[string, Reply]>([
    ['FORMERR', (query) => [replyTo(query, [], 1)]],
    ['NOTIMP', (query) => [replyTo(query, [], 4)]],
    ['SERVFAIL', (query) => [replyTo(query, [], 2)]],
    ['FORMERR and the header alone', (query) => [bare(query, 1)]],
    ['NOERROR and the header alone', (query) => [bare(query, 0)]],
  ])('that answers %s is queried again without it, over UDP and TCP', async (_, refusal) => {
    const { address, seen } = await serve(refusing(refusal), refusing(refusal))
    for (const transport of ['udp', 'tcp'] as const) {
      expect(await check(address, undefined, { transport })).toMatchObject({ outcome: 'up', facts: { values: '192.0.2.1' } })
      expect(seen[transport].map(hasOptions)).toEqual([true, false])
    }
  })

  test('that fails without it too is down with its code', async () => {
    const { address, seen } = await serve((query) => [replyTo(query, [], 2)])
    expect(await check(address)).toMatchObject({ outcome: 'down', error: { code: 'dns' }, facts: { rcode: 'SERVFAIL' } })
    expect(seen.udp.map(hasOptions)).toEqual([true, false])
  })
})

describe('a query', () => {
  test('has an id, a port and letters that nobody can guess', async () => {
    const { address, seen } = await serve((query) => [replyTo(query, [A])])
    await Promise.all(Array.from({ length: 20 }, () => check(address, 'a-long-name-with-letters.example.org')))
    expect(new Set(seen.udp.map((query) => query.readUInt16BE())).size).toBeGreaterThan(15)
    expect(new Set(seen.udp.map((query) => query.subarray(12).toString('latin1'))).size).toBeGreaterThan(15)
  })

  test.each([
    [true, 0x0120],
    [false, 0x0020],
  ])('with recursion %s', async (recursion, flags) => {
    const { address, seen } = await serve((query) => [replyTo(query, [A])])
    await check(address, undefined, { recursion })
    expect(seen.udp[0]?.readUInt16BE(2)).toBe(flags)
  })
})

describe('TCP', () => {
  test.each([
    ['was cut', (query: Buffer) => [replyTo(query, [A], 0x0200)]],
    [
      'repeats the letters in another case',
      (query: Buffer) => [
        Buffer.from(replyTo(query, [A]).map((byte, index) => (index >= 12 && byte >= 65 && byte <= 90 ? byte + 32 : byte))),
      ],
    ],
  ])('is used when the answer over UDP %s', async (_, overUdp) => {
    const { address, seen } = await serve(overUdp, (query) => [replyTo(query, [A])])
    const result = await check(address, 'wwwwwwwwwwwwwwwwwww.example.org')
    expect(result).toMatchObject({ outcome: 'up', facts: { values: '192.0.2.1' } })
    expect(result.connect_ms).not.toBeNull()
    expect(seen.tcp).toHaveLength(1)
  })

  test('is used alone where the transport says so', async () => {
    const { address, seen } = await serve(
      () => [],
      (query) => [replyTo(query, [A])],
    )
    expect(await check(address, undefined, { transport: 'tcp' })).toMatchObject({ outcome: 'up' })
    expect(seen.udp).toEqual([])
  })

  test('that closes or answers something else is a protocol error', async () => {
    for (const overTcp of [() => [], () => [Buffer.from('x')], (query: Buffer) => [query]]) {
      const { address } = await serve(() => [], overTcp)
      expect(await check(address, undefined, { transport: 'tcp' })).toMatchObject({
        outcome: 'down',
        error: { code: 'protocol' },
      })
    }
  })

  test.each([25, 465, 587])('port %i of mail is refused', async (port) => {
    expect(await check(`127.0.0.1:${port}`)).toMatchObject({ outcome: 'down', error: { code: 'blocked' } })
  })
})

describe("the system's name servers", () => {
  const querySystem = async (overUdp: Reply, question: string, options: Partial<ProberOptions> = {}) => {
    const { address, seen } = await serve(overUdp)
    const prober = proberWith({ allowPrivateTargets: [], dnsServers: [address], ...options })
    return { result: await prober.check(defineCheck('dns', `dns:///${question}`)), seen }
  }

  test('answer for public names although their address is private', async () => {
    const { result } = await querySystem(
      (query) => [replyTo(query, [record(QUESTION_NAME, 1, Buffer.from([93, 184, 215, 14]))])],
      'example.com',
    )
    expect(result).toMatchObject({ outcome: 'up', facts: { values: '93.184.215.14' } })
  })

  test.each([
    'localhost',
    'db',
    'db.internal',
    'printer.local',
    'nas.home.arpa',
    'dc.corp',
    'metadata.google.internal',
    'metadata.goog',
    '10.0.0.1?type=PTR',
    '10.in-addr.arpa?type=NS',
    '168.192.in-addr.arpa?type=SOA',
    '::1?type=PTR',
    'd.f.ip6.arpa?type=NS',
  ])('are not queried for %s, which only they know', async (question) => {
    const { result, seen } = await querySystem((query) => [replyTo(query, [A])], question)
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'blocked' } })
    expect(seen.udp).toEqual([])
  })

  test('do not show an internal address', async () => {
    const { result } = await querySystem(
      (query) => [replyTo(query, [record(QUESTION_NAME, 1, Buffer.from([10, 1, 2, 3]))])],
      'db.example.com',
    )
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'blocked' } })
    expect(JSON.stringify(result)).not.toContain('10.1.2.3')
  })

  test('do not show an internal address in a hint', async () => {
    const hint = Buffer.from('000100000400040a010203', 'hex')
    const { result } = await querySystem(
      (query) => [replyTo(query, [record(QUESTION_NAME, 65, hint)])],
      'db.example.com?type=HTTPS',
    )
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'blocked' } })
    expect(JSON.stringify(result)).not.toContain('10.1.2.3')
  })

  test('answer for every name where their network is open', async () => {
    const allowPrivateTargets = ['127.0.0.0/8', '10.0.0.0/8']
    const reply: Reply = (query) => [replyTo(query, [record(QUESTION_NAME, 1, Buffer.from([10, 1, 2, 3]))])]
    const { result } = await querySystem(reply, 'db.internal', { allowPrivateTargets })
    expect(result).toMatchObject({ outcome: 'up', facts: { values: '10.1.2.3' } })
  })

  test('are tried in turns', async () => {
    const closed = `127.0.0.1:${await freePort()}`
    const { address } = await serve((query) => [replyTo(query, [A])])
    const prober = proberWith({ dnsServers: [closed, address] })
    expect(await prober.check(defineCheck('dns', 'dns:///example.com'))).toMatchObject({ outcome: 'up' })
  })
})

test('a long list of values is cut', async () => {
  const text = Buffer.concat([Buffer.from([250]), Buffer.alloc(250, 'x')])
  const { address } = await serve((query) => [replyTo(query, [record(QUESTION_NAME, 16, text), record(QUESTION_NAME, 16, text)])])
  const { facts } = await check(address, 'example.org?type=TXT')
  expect([facts?.['answer_count'], String(facts?.['values']).length]).toEqual([2, 300])
})

test('an alias is followed to its address', async () => {
  const { address } = await serve((query) => [
    replyTo(query, [
      record(QUESTION_NAME, 5, nameBytes('cdn.example.net')),
      record(nameBytes('cdn.example.net'), 1, Buffer.from([192, 0, 2, 7]), 30),
    ]),
  ])
  expect(await check(address)).toMatchObject({ outcome: 'up', facts: { values: '192.0.2.7', ttl: 30, answer_count: 1 } })
})
