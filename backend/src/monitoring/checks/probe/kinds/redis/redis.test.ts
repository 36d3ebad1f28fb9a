import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort, isMissing } from '../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../index.ts'
import { makeCertificate } from '../../test/certificates.ts'
import { checkKind, faultsOf, type KindCheck } from '../../test/kinds.ts'
import { makeServerFolder, type Server, startServer } from '../../test/servers.ts'
import { startTarget } from '../../test/targets.ts'

const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'cache', names: ['localhost'], issuer: authority })
const PASSWORD = 'pässword-of-redis'

describe.skipIf(isMissing('redis-server'))('a check of Redis', () => {
  let server: Server
  let port: number
  let tlsPort: number
  let prober: Prober

  beforeAll(async () => {
    ;[port, tlsPort] = [await freePort(), await freePort()]
    const settings = `
      port ${port}
      tls-port ${tlsPort}
      bind 127.0.0.1
      save ""
      tls-cert-file server.crt
      tls-key-file server.key
      tls-ca-cert-file ca.crt
      tls-auth-clients no
      requirepass ${PASSWORD}
      user monitor on >of-monitor ~* +@read +ping +info
    `
    const files = { 'server.key': certificate.key, 'server.crt': certificate.cert, 'ca.crt': authority.cert }
    const folder = makeServerFolder({ ...files, 'redis.conf': settings })
    server = await startServer(['redis-server', 'redis.conf'], { folder, port })
    prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
    await fill()
  })
  afterAll(async () => {
    prober.close()
    await server.stop()
  })

  /** By the kind itself, which sends any command that it is given. */
  async function fill() {
    for (const command of [
      'SET text hello',
      'SET number 42',
      'RPUSH list a b c',
      'HSET hash field 1.5',
      `SET large ${'x'.repeat(500_000)}`,
    ])
      expect(await run(command)).toMatchObject({ outcome: 'up' })
  }
  const check = (url: string, { options, credentials, ...more }: KindCheck = {}) =>
    checkKind(prober, 'redis', url, {
      options: options ?? {},
      credentials: { password: PASSWORD, ...credentials },
      ...more,
    })
  const run = (command: string, more: KindCheck = {}, path = '') =>
    check(`redis://127.0.0.1:${port}${path}`, { ...more, options: { command } })

  test('logs in, and its phases are its response time', async () => {
    const result = await run('PING')
    expect(result).toMatchObject({ outcome: 'up', error: null, address: '127.0.0.1', facts: { cell: 'PONG' }, tls_ms: null })
    const { connect_ms, first_byte_ms, transfer_ms, response_ms } = result
    expect((connect_ms ?? 0) + (first_byte_ms ?? 0) + (transfer_ms ?? 0)).toBeCloseTo(response_ms ?? -1)
  })

  test('logs in with a user name', async () => {
    expect(await run('PING', { credentials: { username: 'monitor', password: 'of-monitor' } })).toMatchObject({ outcome: 'up' })
  })

  test('logs in over TLS, with a certificate that is verified', async () => {
    const options = { tls: 'required', command: 'PING' }
    const result = await check(`redis://localhost:${tlsPort}`, { options })
    expect(result).toMatchObject({ outcome: 'up', certificate: { subject_names: ['localhost'] }, facts: { cell: 'PONG' } })
    expect(await check(`redis://127.0.0.1:${tlsPort}`, { options })).toMatchObject({ outcome: 'down', error: { code: 'tls' } })
  })

  test.each([
    ['GET text', 'hello'],
    ['get number', 42],
    ['LLEN list', 3],
    ['HGET hash field', 1.5],
    ['TYPE hash', 'hash'],
    ['EXISTS nothing', 0],
    ['GET nothing', undefined],
    ['INFO redis_mode', 'standalone'],
    ['INFO connected_clients', expect.any(Number)],
    ['INFO nothing', undefined],
    ['GET large', `${'x'.repeat(299)}…`],
    ['DBSIZE', 5],
  ])('reads the first cell of %s', async (command, cell) => {
    const { outcome, facts } = await run(command)
    expect({ outcome, cell: facts['cell'] }).toEqual({ outcome: 'up', cell })
  })

  test('selects the database of its URL', async () => {
    expect((await run('DBSIZE', {}, '/3')).facts).toEqual({ cell: 0 })
    expect((await run('DBSIZE', {}, '/99')).error?.message).toContain('out of range')
  })

  test.each([
    [
      'a wrong password',
      { credentials: { password: 'wrong' } },
      /^the server refused the login of the configured user \(WRONGPASS\)$/,
    ],
    ['no password', { credentials: { password: '' } }, /^the server asks for a login$/],
  ])('is down with %s', async (_, more, message) => {
    expect(await run('PING', more)).toMatchObject({
      outcome: 'down',
      error: { code: 'protocol', message: expect.stringMatching(message) },
    })
  })

  test('is down when the server refuses the command', async () => {
    const credentials = { username: 'monitor', password: 'of-monitor' }
    expect((await run('LASTSAVE', { credentials })).error?.message).toMatch(/^the server refused the command: NOPERM/)
    expect((await run('LLEN text')).error?.message).toMatch(/WRONGTYPE/)
  })

  test('is down when the target is no Redis', async () => {
    const target = await startTarget((socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect(await check(`redis://127.0.0.1:${target.port}`)).toMatchObject({
      outcome: 'down',
      error: { code: 'protocol', message: 'the target does not speak the protocol of Redis' },
    })
    await target.close()
  })
})

test.each([
  ['', 'PING', {}, []],
  ['/15', 'get a', { password: 'b' }, []],
  ['/', 'HGET a b', { username: 'a', password: 'b' }, []],
  ['/name', 'PING', {}, ['url']],
  ['/0/1', 'PING', {}, ['url', 'url']],
  ['', 'SET a b', {}, ['options.command']],
  ['', 'INFO', {}, ['options.command']],
  ['', 'GET a b', {}, ['options.command']],
  ['', 'constructor', {}, ['options.command']],
  ['', '', {}, ['options.command']],
  ['', 'PING', { username: 'a' }, ['credentials.password']],
])('the path %j with the command %j and the credentials %j has faults at %j', (path, command, credentials, paths) => {
  const faults = faultsOf('redis', `redis://cache.test${path}`, { options: { command }, credentials })
  expect(faults).toEqual(paths.map((fault) => expect.stringMatching(`^${fault}: `)))
})
