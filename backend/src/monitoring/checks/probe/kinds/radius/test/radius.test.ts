import { createHash, createHmac } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../../index.ts'
import { checkKind, faultsOf, type KindCheck } from '../../../test/kinds.ts'
import { encodeRequest } from '../packets.ts'
import { type Freeradius, PASSWORD, SECRET, startFreeradius, USERNAME } from './freeradius.ts'

const LOGIN = { shared_secret: SECRET, username: USERNAME, password: PASSWORD }

let prober: Prober
const sockets: Socket[] = []
beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all' })
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close()
})
afterAll(() => prober.close())

const check = (port: number, more: KindCheck = {}) =>
  checkKind(prober, 'radius', `radius://127.0.0.1:${port}`, { credentials: LOGIN, ...more })

describe.skipIf(isMissing('freeradius'))('a check of RADIUS', () => {
  let server: Freeradius
  beforeAll(async () => {
    server = await startFreeradius()
  })
  afterAll(() => server.stop())

  test('logs in, and its one phase is its response time', async () => {
    const { outcome, error, facts, first_byte_ms, response_ms } = await check(server.port)
    expect([outcome, error, facts]).toEqual(['up', null, { reply: 'Access-Accept', reply_message: 'Hello, "•••"' }])
    expect(first_byte_ms).toBe(response_ms)
  })

  test('requests the state of the server without a user name', async () => {
    const { outcome, facts } = await check(server.port, { credentials: { shared_secret: SECRET } })
    expect([outcome, facts['reply']]).toEqual(['up', 'Access-Accept'])
  })

  test.each([
    ['a wrong password', { ...LOGIN, password: 'wrong' }],
    ['an empty password', { ...LOGIN, password: '' }],
    ['an unknown user', { ...LOGIN, username: 'nobody' }],
  ])('is down with %s, unless an assertion is on the reply', async (_, credentials) => {
    expect(await check(server.port, { credentials })).toMatchObject({
      outcome: 'down',
      error: { code: 'protocol', message: 'the server refused the login of the configured user (Access-Reject)' },
      facts: { reply: 'Access-Reject' },
    })
    const assertions = [{ type: 'reply', operator: 'equals', value: 'Access-Reject' }] as never
    expect(await check(server.port, { credentials, assertions })).toMatchObject({ outcome: 'up' })
  })

  test('is down with another shared secret: such servers do not answer', async () => {
    const credentials = { ...LOGIN, shared_secret: 'other' }
    expect(await check(server.port, { credentials, timeout: 1 })).toMatchObject({ outcome: 'down', error: { code: 'timeout' } })
  })
})

interface Reply {
  code?: number
  secret?: string
  /** It answers another request. */
  isOther?: true
  /** In hexadecimal digits. */
  attributes?: string
  signs?: 'well' | 'badly'
}

/** A reply by hand, as RFC 2865 and RFC 3579 describe it. */
function replyTo(request: Buffer, { code = 2, secret = SECRET, isOther, attributes = '', signs }: Reply): Buffer {
  const signature = signs === undefined ? '' : `5012${'00'.repeat(16)}`
  const bytes = Buffer.from(`00000000${request.subarray(4, 20).toString('hex')}${signature}${attributes}`, 'hex')
  bytes[0] = code
  bytes[1] = ((request[1] as number) + (isOther ? 1 : 0)) & 0xff
  bytes.writeUInt16BE(bytes.length, 2)
  if (signs !== undefined) createHmac('md5', secret).update(bytes).digest().copy(bytes, 22)
  if (signs === 'badly') bytes[30] = (bytes[30] as number) ^ 1
  createHash('md5').update(bytes).update(secret).digest().copy(bytes, 4)
  return bytes
}

async function answering(...replies: (Reply | Buffer)[]): Promise<number> {
  const socket = createSocket('udp4')
  sockets.push(socket)
  socket.on('message', (request, from) => {
    for (const reply of replies) socket.send(Buffer.isBuffer(reply) ? reply : replyTo(request, reply), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket.address().port
}

describe('a reply', () => {
  const STRICT = { options: { require_message_authenticator: true } }
  test.each<[string, Reply, KindCheck, string]>([
    ['of a server with another secret', { secret: 'other' }, {}, 'the server does not have the same shared secret'],
    ['with a wrong Message-Authenticator', { signs: 'badly' }, {}, 'the reply has an invalid Message-Authenticator'],
    ['without one that is required', {}, STRICT, 'the server sent a reply without a Message-Authenticator'],
    ['with an attribute that is cut', { attributes: '12ff41' }, {}, 'the target sent a message that is cut short'],
    ['with an attribute of no length', { attributes: '1200' }, {}, 'the target sent a message that is cut short'],
    ['that is a challenge', { code: 11 }, {}, 'the server replied Access-Challenge in place of Access-Accept'],
    ['of an unknown code', { code: 77 }, {}, 'the server replied code 77 in place of Access-Accept'],
  ])('%s is down', async (_, reply, more, message) => {
    expect((await check(await answering(reply), more)).error).toEqual({ code: 'protocol', message })
  })

  test('that is signed is up, and so is one without a signature by default', async () => {
    expect(await check(await answering({ signs: 'well' }), STRICT)).toMatchObject({
      outcome: 'up',
      facts: { reply: 'Access-Accept' },
    })
    expect(await check(await answering({}))).toMatchObject({ outcome: 'up' })
  })

  test('of several messages is one text, and bytes after its length are passed over', async () => {
    const port = await answering({ attributes: '120461621204ff00' })
    expect((await check(port)).facts['reply_message']).toMatch(/^ab/)
  })

  test('to another request is passed over', async () => {
    expect(await check(await answering({ code: 3, isOther: true }, { code: 2 }))).toMatchObject({ outcome: 'up' })
  })

  test('that is cut anywhere is down', async () => {
    const whole = replyTo(Buffer.alloc(20), { attributes: '12046162', signs: 'well' })
    for (let length = 0; length < whole.length; length += 1) {
      const { error } = await check(await answering(whole.subarray(0, length)), { timeout: 1 })
      expect(error?.message).toBe('the target does not speak RADIUS')
    }
  })
})

test('a password is hidden as in RFC 2865, section 7.1', () => {
  // Of nemo with the password arctangent and the secret xyzzy5461.
  const authenticator = Buffer.from('0f403f9473978057bd83d5cb98f4227a', 'hex')
  const login = { username: 'nemo', password: 'arctangent' }
  const bytes = encodeRequest({ code: 1, identifier: 0, authenticator, secret: 'xyzzy5461', login, nasIdentifier: '' })
  expect(bytes.toString('hex')).toContain('01066e656d6f02120dbe708d93d413ce3196e43f782a0aee')
})

test.each([
  ['', {}, LOGIN, []],
  ['', {}, { shared_secret: 'a' }, []],
  ['/path', {}, LOGIN, ['url']],
  ['', {}, { username: 'a', password: 'b' }, ['credentials.shared_secret']],
  ['', {}, { shared_secret: 'a', password: 'b' }, ['credentials.username']],
  ['', {}, { ...LOGIN, password: 'ä'.repeat(65) }, ['credentials.password']],
  ['', {}, { ...LOGIN, username: 'ä'.repeat(127) }, ['credentials.username']],
  ['', {}, { ...LOGIN, password: 'a\0' }, ['credentials.password']],
  ['', { nas_identifier: 'ä'.repeat(128) }, LOGIN, ['options.nas_identifier']],
])('the path %j with the options %j and the credentials %j has faults at %j', (path, options, credentials, paths) => {
  const faults = faultsOf('radius', `radius://radius.test${path}`, { options, credentials })
  expect(faults).toEqual(paths.map((fault) => expect.stringMatching(`^${fault}: `)))
})
