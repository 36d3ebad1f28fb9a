import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ByteReader } from '../../conversation/byte-reader.ts'
import { createProber, type Prober } from '../../../index.ts'
import { makeCertificate } from '../../../test/certificates.ts'
import { checkKind, faultsOf, type KindCheck } from '../../../test/kinds.ts'
import { startTarget } from '../../../test/targets.ts'
import { decodeDocument, encodeDocument } from '../bson.ts'
import { bsonOf, type MongoDouble, startMongo } from './mongo-double.ts'

const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'db', names: ['localhost'], issuer: authority })
const USER = { database: 'admin', name: 'mon=i,tor', password: 'pässword-of-mongo' }
const LOGIN = { username: USER.name, password: USER.password }

let prober: Prober
const servers: MongoDouble[] = []
const start = async (...options: Parameters<typeof startMongo>) => {
  const server = await startMongo(...options)
  servers.push(server)
  return server.port
}
beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
})
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))
afterAll(() => prober.close())

const check = (port: number, path = '', more: KindCheck = {}) =>
  checkKind(prober, 'mongodb', `mongodb://127.0.0.1:${port}${path}`, more)

describe('a check of MongoDB', () => {
  test('reads what the server says of itself, and its phases are its response time', async () => {
    const result = await check(await start())
    expect(result).toMatchObject({
      outcome: 'up',
      error: null,
      address: '127.0.0.1',
      facts: { role: 'standalone', server_version: '7.0.14' },
    })
    const { connect_ms, first_byte_ms, transfer_ms, response_ms } = result
    expect((connect_ms ?? 0) + (first_byte_ms ?? 0) + (transfer_ms ?? 0)).toBeCloseTo(response_ms ?? -1)
  })

  test.each([
    [
      { isWritablePrimary: true, setName: 'rs0' },
      { role: 'primary', replica_set: 'rs0' },
    ],
    [
      { isWritablePrimary: false, secondary: true, setName: 'rs0' },
      { role: 'secondary', replica_set: 'rs0' },
    ],
    [
      { isWritablePrimary: false, arbiterOnly: true, setName: 'rs0' },
      { role: 'arbiter', replica_set: 'rs0' },
    ],
    [
      { isWritablePrimary: false, secondary: false, setName: 'rs0' },
      { role: 'other', replica_set: 'rs0' },
    ],
    [{ isWritablePrimary: false, isreplicaset: true }, { role: 'uninitialized' }],
    [{ isWritablePrimary: true, msg: 'isdbgrid' }, { role: 'mongos' }],
  ])('%j has the facts %j', async (hello, facts) => {
    const result = await check(await start({ commands: { hello: { ...hello, ok: 1 } } }))
    expect(result).toMatchObject({ outcome: 'up', facts })
  })

  test('an assertion sees the answer as JSON', async () => {
    const hello = {
      isWritablePrimary: true,
      setName: 'rs0',
      hosts: ['a:27017', 'b:27017'],
      lastWrite: { at: new Date(0) },
      ok: 1,
    }
    const port = await start({ commands: { hello } })
    const wanted = (property: string, value: string) => ({
      assertions: [{ type: 'json_path', property, operator: 'equals', value }] as never,
    })
    expect(await check(port, '', wanted('$.hosts[1]', 'b:27017'))).toMatchObject({ outcome: 'up' })
    expect(await check(port, '', wanted('$.lastWrite.at', '1970-01-01T00:00:00.000Z'))).toMatchObject({ outcome: 'up' })
    expect(await check(port, '', wanted('$.setName', 'rs1'))).toMatchObject({ outcome: 'down', error: { code: 'assertion' } })
  })

  test.each([
    ['the database admin', '', {}, 'admin'],
    ['that of the URL', '/app', {}, 'app'],
    ['that of the option', '/app', { auth_source: 'users' }, 'users'],
  ])('logs in at %s', async (_, path, options, database) => {
    const port = await start({ user: { ...USER, database } })
    expect(await check(port, path, { options, credentials: LOGIN })).toMatchObject({
      outcome: 'up',
      facts: { server_version: '7.0.14' },
    })
  })

  test('is up without a login where the server says its version to users alone', async () => {
    const { outcome, facts } = await check(await start({ user: USER }))
    expect([outcome, facts]).toEqual(['up', { role: 'standalone' }])
  })

  test('logs in over TLS, with a certificate that is verified', async () => {
    const port = await start({ user: USER, certificate })
    const more = { options: { tls: 'required' }, credentials: LOGIN }
    const result = await checkKind(prober, 'mongodb', `mongodb://localhost:${port}`, more)
    expect(result).toMatchObject({ outcome: 'up', certificate: { subject_names: ['localhost'] } })
    expect(await check(port, '', more)).toMatchObject({ outcome: 'down', error: { code: 'tls' } })
  })

  test('reads answers with a checksum, and those of servers that do not know the newer name', async () => {
    expect(await check(await start({ hasChecksum: true }))).toMatchObject({ outcome: 'up', facts: { role: 'standalone' } })
    const commands = { hello: undefined, isMaster: { ismaster: true, setName: 'old', ok: 1 } }
    expect(await check(await start({ commands }))).toMatchObject({ outcome: 'up', facts: { role: 'primary' } })
  })

  test.each([
    ['a wrong password', { ...LOGIN, password: 'wrong' }, {}, 'the server refused the login of the configured user (18)'],
    ['an unknown user', { ...LOGIN, username: 'nobody' }, {}, 'the server refused the login of the configured user (18)'],
    [
      'a server without the mechanism',
      LOGIN,
      { saslStart: { ok: 0, errmsg: 'Unsupported', code: 334 } },
      'the server refused the login of the configured user (334)',
    ],
    [
      'a server that does not know the password',
      LOGIN,
      { saslContinue: { conversationId: 1, payload: Buffer.from('v=AAAA'), ok: 1 } },
      'the server could not prove that it knows the password',
    ],
    [
      'a ping that fails',
      LOGIN,
      { ping: { ok: 0, errmsg: 'shutting down', code: 91 } },
      'the server refused ping: shutting down (91)',
    ],
    ['an error without words', LOGIN, { ping: { ok: 0 } }, 'the server refused ping: without a reason (0)'],
  ])('is down with %s', async (_, credentials, commands, message) => {
    expect(await check(await start({ user: USER, commands }), '', { credentials })).toMatchObject({
      outcome: 'down',
      error: { code: 'protocol', message },
    })
  })

  test('is down when the target is no such server', async () => {
    const target = await startTarget((socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect(await check(target.port)).toMatchObject({
      outcome: 'down',
      error: { code: 'protocol', message: 'the target does not speak the protocol of MongoDB' },
    })
    await target.close()
  })
})

describe('a document of BSON', () => {
  const decoded = (bytes: Buffer) => decodeDocument(new ByteReader(bytes))

  test('is the example of the specification', () => {
    const bytes = Buffer.from('160000000268656c6c6f0006000000776f726c640000', 'hex')
    expect(encodeDocument({ hello: 'world' })).toEqual(bytes)
    expect(decoded(bytes)).toEqual({ hello: 'world' })
  })

  test('has each type of value', () => {
    const value = (type: string, hex: string) => {
      const element = Buffer.concat([Buffer.from(type, 'hex'), Buffer.from('a\0'), Buffer.from(hex, 'hex'), Buffer.alloc(1)])
      const length = Buffer.alloc(4)
      length.writeInt32LE(element.length + 4)
      return decoded(Buffer.concat([length, element]))['a']
    }
    expect(value('01', '000000000000f03f')).toBe(1)
    expect(value('01', '000000000000f87f')).toBe('NaN')
    expect(value('07', '0102030405060708090a0b0c')).toBe('0102030405060708090a0b0c')
    expect(value('08', '01')).toBe(true)
    expect(value('09', 'ffffffffffffff7f')).toBe('9223372036854775807')
    expect(value('0a', '')).toBe(null)
    expect(value('0b', '61006900')).toBe('/a/i')
    expect(value('11', '0100000002000000')).toBe('0100000002000000')
    expect(value('12', '0100000000000080')).toBe('-9223372036854775807')
    expect(value('12', '0500000000000000')).toBe(5)
    expect(() => value('0c', '')).toThrow('a type that the probe does not have (12)')
    expect(() => value('02', 'ffffff7f')).toThrow('cut short')
  })

  test('is read as deep as answers are, and no deeper', () => {
    const nested = (levels: number): never => (levels === 0 ? 'here' : { a: nested(levels - 1) }) as never
    expect(decoded(bsonOf(nested(20)))).toEqual(nested(20))
    expect(() => decoded(bsonOf(nested(30)))).toThrow('too many levels')
  })

  test('is what was sent', () => {
    const document = { a: 1, b: 'ü', c: true, d: { e: 'f' } }
    expect(decoded(encodeDocument(document))).toEqual(document)
    expect(encodeDocument({ a: 1, b: 'ü', c: true, d: { e: 'f' } })).toEqual(bsonOf({ a: 1, b: 'ü', c: true, d: { e: 'f' } }))
  })
})

test.each([
  ['', {}, {}, []],
  ['/app', { auth_source: 'users' }, LOGIN, []],
  ['/app/more', {}, {}, ['url']],
  ['/app?authSource=a', {}, {}, ['url']],
  ['', {}, { username: 'a' }, ['credentials.password']],
  ['', {}, { password: 'a' }, ['credentials.username']],
  ['', { auth_source: 'a.b' }, {}, ['options.auth_source']],
])('the path %j with the options %j and the credentials %j has faults at %j', (path, options, credentials, paths) => {
  const faults = faultsOf('mongodb', `mongodb://db.test${path}`, { options, credentials })
  expect(faults).toEqual(paths.map((fault) => expect.stringMatching(`^${fault}: `)))
})
