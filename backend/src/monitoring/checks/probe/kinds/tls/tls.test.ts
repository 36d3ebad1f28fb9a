import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import type { DefinitionOf } from '@vedette/shared'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createProber, type Prober } from '../../index.ts'
import { makeCertificate } from '../../test/certificates.ts'
import { defineCheck } from '../../test/define-check.ts'

type Tls = DefinitionOf<'tls'>

const authority = makeCertificate({ name: 'Test authority', isAuthority: true })
const { cert, key } = makeCertificate({ names: ['localhost', 'mail.example.test'], issuer: authority })

let prober: Prober
const closing: (() => Promise<unknown>)[] = []
beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
})
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})
afterAll(() => prober.close())

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => new Promise((resolve) => void server.close(resolve)))
  return (server.address() as AddressInfo).port
}

const check = (
  port: number,
  options: Partial<Tls['options']> = {},
  change: Partial<Pick<Tls, 'assertions' | 'timeout'>> = {},
  host = 'localhost',
) => prober.check(defineCheck('tls', `tls://${host}:${port}`, options, change))

const serveTls = (chain = cert) => {
  const server = createTlsServer({ key, cert: chain, minVersion: 'TLSv1.3' }, (socket) => socket.on('error', () => {}))
  server.on('tlsClientError', () => {})
  return listen(server)
}

describe('a handshake', () => {
  test('reports certificate, protocol, cipher and chain', async () => {
    const result = await check(await serveTls(cert + authority.cert))
    expect(result).toMatchObject({
      outcome: 'up',
      certificate: { subject_names: ['localhost', 'mail.example.test'], issuer: 'Test authority' },
      facts: { tls_protocol: 'TLSv1.3', cipher: expect.stringMatching(/^TLS_AES_/), chain_length: 2 },
    })
    expect((await check(await serveTls())).facts).toMatchObject({ chain_length: 1 })
  })

  test('degrades by the days that the certificate has left', async () => {
    const assertions = [{ type: 'certificate_expiry', operator: 'greater_than', value: 60 }] as Tls['assertions']
    expect(await check(await serveTls(), {}, { assertions })).toMatchObject({ outcome: 'degraded', error: { code: 'assertion' } })
  })

  test('expects the configured server name', async () => {
    const port = await serveTls()
    expect(await check(port, { server_name: 'mail.example.test' }, {}, '127.0.0.1')).toMatchObject({ outcome: 'up' })
    expect(await check(port, { server_name: 'www.example.test' })).toMatchObject({ outcome: 'down', error: { code: 'tls' } })
    expect(await check(port, {}, {}, '127.0.0.1')).toMatchObject({ outcome: 'down', error: { code: 'tls' } })
    expect(await check(port, { verify_tls: false }, {}, '127.0.0.1')).toMatchObject({ outcome: 'up' })
  })

  test.each([25, 465, 587])('with mail port %i is refused', async (port) => {
    expect(await check(port, { starttls: 'smtp' })).toMatchObject({ outcome: 'down', error: { code: 'blocked' } })
  })
})

/** What a server says, and what it expects before it goes on: the last reply is followed by TLS. */
type Talk = readonly { expects?: RegExp; says?: string | Buffer }[]

const LDAP_REQUEST = /1\.3\.6\.1\.4\.1\.1466\.20037$/
const LDAP_OK = Buffer.from('300c02010178070a010004000400', 'hex')
const mysqlGreeting = (capabilities: number) => {
  const payload = Buffer.concat([
    Buffer.from('\x0a8.0.36\0'),
    Buffer.alloc(13),
    Buffer.from([capabilities & 0xff, capabilities >> 8]),
    Buffer.alloc(29),
  ])
  return Buffer.concat([Buffer.from([payload.length, 0, 0, 0]), payload])
}

const TALKS: Record<Exclude<Tls['options']['starttls'], 'none'>, Talk> = {
  smtp: [
    { says: '220-mail.test\r\n220 ESMTP\r\n' },
    { expects: /^EHLO \S+\r\n$/, says: '250-mail.test\r\n250-STARTTLS\r\n250 HELP\r\n' },
    { expects: /^STARTTLS\r\n$/, says: '220 go ahead\r\n' },
  ],
  imap: [{ says: '* OK ready\r\n' }, { expects: /^a1 STARTTLS\r\n$/, says: '* CAPABILITY IMAP4rev1\r\na1 OK begin\r\n' }],
  pop3: [{ says: '+OK ready\r\n' }, { expects: /^STLS\r\n$/, says: '+OK begin\r\n' }],
  ldap: [{ expects: LDAP_REQUEST, says: LDAP_OK }],
  postgres: [{ expects: /^[^]{7}\/$/, says: 'S' }],
  mysql: [{ says: mysqlGreeting(0x0800) }, { expects: /^[^]{36}$/ }],
}
const NAMES = Object.keys(TALKS) as (keyof typeof TALKS)[]

/** A server that follows a talk, its bytes in pieces of so many, and then does TLS. */
async function serveTalk(talk: Talk, { pieces = Number.POSITIVE_INFINITY, after = '' } = {}): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {})
    void follow(socket)
  })
  async function follow(socket: Socket): Promise<void> {
    for (const [index, { expects = /^/, says }] of talk.entries()) {
      let heard = ''
      for (; !expects.test(heard); ) {
        const byte = socket.read(1) as Buffer | null
        if (byte) heard += byte.toString('latin1')
        else await once(socket, 'readable')
      }
      const bytes = Buffer.concat([Buffer.from(says ?? ''), Buffer.from(index === talk.length - 1 ? after : '')])
      for (let at = 0; at < bytes.length; at += pieces) {
        socket.write(bytes.subarray(at, at + pieces))
        if (pieces < bytes.length) await new Promise((resolve) => void setImmediate(resolve))
      }
    }
    new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => {})
  }
  return listen(server)
}

/** An element of BER whose length has so many bytes; none: the short form. */
const element = (tag: number, contents: Buffer, lengthBytes: number): Buffer => {
  const length = Buffer.alloc(lengthBytes === 0 ? 1 : lengthBytes)
  length.writeUIntBE(contents.length, Math.max(0, lengthBytes - 2), Math.min(2, length.length))
  return Buffer.concat([Buffer.from([tag]), lengthBytes === 0 ? EMPTY : Buffer.from([0x80 | lengthBytes]), length, contents])
}
const EMPTY = Buffer.alloc(0)
const OID = Buffer.from('1.3.6.1.4.1.1466.20037')

/** The answer to StartTLS, with the forms of its lengths: message, id, response, result code, names. */
function ldapAnswer(forms: readonly number[], { id = [1], response = 0x78, code = [0] } = {}): Buffer {
  const [ofMessage = 0, ofId = 0, ofResponse = 0, ofCode = 0, ofNames = 0] = forms
  const names = [element(0x04, EMPTY, ofNames), element(0x04, EMPTY, ofNames), element(0x8a, OID, ofNames)]
  const result = Buffer.concat([element(0x0a, Buffer.from(code), ofCode), ...names])
  const message = Buffer.concat([element(0x02, Buffer.from(id), ofId), element(response, result, ofResponse)])
  return element(0x30, message, ofMessage)
}

describe('an LDAP server', () => {
  const checkAnswer = async (says: Buffer) =>
    check(await serveTalk([{ expects: LDAP_REQUEST, says }], { pieces: 1 }), { starttls: 'ldap' }, { timeout: 2 })

  test.each([
    [[0, 0, 0, 0, 0]],
    [[4, 0, 4, 0, 0]],
    [[1, 0, 0, 0, 0]],
    [[0, 1, 0, 0, 0]],
    [[0, 0, 2, 0, 0]],
    [[0, 0, 0, 3, 0]],
    [[0, 0, 0, 0, 4]],
    [[4, 4, 4, 4, 4]],
    [[8, 5, 20, 9, 126]],
  ])('may write its lengths in %j bytes', async (forms) => {
    expect(await checkAnswer(ldapAnswer(forms))).toMatchObject({ outcome: 'up', error: null })
  })

  test('may write its numbers with zeros before them', async () => {
    expect(await checkAnswer(ldapAnswer([4], { id: [0, 0, 1], code: [0, 0] }))).toMatchObject({ outcome: 'up' })
  })

  test.each([
    ['a refusal', ldapAnswer([4, 0, 4], { code: [2] }), 'the server does not offer STARTTLS'],
    ['the answer to another message', ldapAnswer([0], { id: [0] }), 'the server does not offer STARTTLS'],
    ['another response', ldapAnswer([0], { response: 0x61 }), 'the server does not offer STARTTLS'],
    ['a length without end', Buffer.from('3080', 'hex'), 'the server does not speak LDAP'],
    ['a length that is reserved', Buffer.from('30ff', 'hex'), 'the server does not speak LDAP'],
    ['a length beyond all bounds', Buffer.from('3084ffffffff', 'hex'), 'the target sent a message that is too large'],
    ['a length beyond its message', Buffer.from('300402840000', 'hex'), 'the target sent a message that is cut short'],
  ])('that sends %s is a protocol error', async (_, answer, message) => {
    expect(await checkAnswer(answer)).toMatchObject({ outcome: 'down', error: { code: 'protocol', message } })
  })
})

describe.each(NAMES)('STARTTLS of %s', (starttls) => {
  test('leads to a handshake', async () => {
    const result = await check(await serveTalk(TALKS[starttls]), { starttls })
    expect(result).toMatchObject({ outcome: 'up', error: null, certificate: { issuer: 'Test authority' } })
    expect(result).toMatchObject({ first_byte_ms: null, transfer_ms: null, facts: { tls_protocol: 'TLSv1.3', chain_length: 1 } })
  })

  test('may come in pieces of one byte', async () => {
    expect(await check(await serveTalk(TALKS[starttls], { pieces: 1 }), { starttls })).toMatchObject({ outcome: 'up' })
  })

  test('with bytes after the last reply is refused', async () => {
    const port = await serveTalk(TALKS[starttls], { after: 'injected' })
    // In MySQL the client speaks last.
    expect((await check(port, { starttls })).error?.code).toBe(starttls === 'mysql' ? 'tls' : 'protocol')
  })

  test('that ends or is refused at any step is a protocol error', async () => {
    const talk = TALKS[starttls]
    for (const [index, { says }] of talk.entries()) {
      if (says === undefined) continue
      for (const wrong of ['', '-ERR no\r\n', 'a NO\r\n', '500 no\r\n', 'N', '\0\0\0\0\xff', 'x'.repeat(20_000)]) {
        const server = createServer((socket) => {
          socket.on('error', () => {})
          let at = 0
          const next = () => {
            const step = talk[at]
            at += 1
            if (at <= index) socket.write(step?.says ?? '')
            else socket.end(wrong)
          }
          socket.on('data', next)
          if (!talk[0]?.expects) next()
        })
        const result = await check(await listen(server), { starttls }, { timeout: 2 })
        expect([wrong.slice(0, 10), result.outcome, result.error?.code]).toEqual([wrong.slice(0, 10), 'down', 'protocol'])
      }
    }
  })
})

test('a server of MySQL or SMTP without TLS is a protocol error', async () => {
  const mysql = await serveTalk([{ says: mysqlGreeting(0) }])
  expect((await check(mysql, { starttls: 'mysql' })).error).toEqual({
    code: 'protocol',
    message: 'the server does not offer TLS',
  })
  const smtp = await serveTalk([{ says: '220 x\r\n' }, { expects: /EHLO/, says: '250 HELP\r\n' }])
  expect((await check(smtp, { starttls: 'smtp' })).error).toEqual({
    code: 'protocol',
    message: 'the server does not offer STARTTLS',
  })
})
