import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../index.ts'
import { makeCertificate } from '../../test/certificates.ts'
import { checkKind, faultsOf, type KindCheck } from '../../test/kinds.ts'
import { type Dovecot, PASSWORD, type Postfix, startDovecot, startPostfix, USERNAME } from '../../test/mail-servers.ts'
import { startTarget } from '../../test/targets.ts'

const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'mail', names: ['localhost'], issuer: authority })
const LOGIN = { username: USERNAME, password: PASSWORD }

describe.skipIf(isMissing('postfix', 'dovecot', 'root'))('a check of SMTP', () => {
  let dovecot: Dovecot
  let postfix: Postfix
  let prober: Prober

  beforeAll(async () => {
    dovecot = await startDovecot(certificate)
    postfix = await startPostfix(certificate, dovecot.auth)
    prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
  })
  afterAll(async () => {
    prober.close()
    await postfix.stop()
    await dovecot.stop()
  })

  const check = (check: KindCheck, { host = 'localhost', port = postfix.smtp } = {}) =>
    checkKind(prober, 'smtp', `smtp://${host}:${port}`, check)

  test('greets the server, and its phases are its response time', async () => {
    const result = await check({})
    expect(result).toMatchObject({ outcome: 'up', error: null, address: '127.0.0.1', tls_ms: null })
    expect(result.facts).toEqual({ greeting: 'mail.example.test ESMTP of the test' })
    const { dns_ms, connect_ms, first_byte_ms, transfer_ms, response_ms } = result
    expect((dns_ms ?? 0) + (connect_ms ?? 0) + (first_byte_ms ?? 0) + (transfer_ms ?? 0)).toBeCloseTo(response_ms ?? -1)
  })

  test.each([
    ['starttls', 'smtp'],
    ['implicit', 'smtps'],
  ] as const)('logs in over TLS that is %s, with a certificate that is verified', async (tls, name) => {
    const result = await check({ options: { tls }, credentials: LOGIN }, { port: postfix[name] })
    expect(result).toMatchObject({ outcome: 'up', error: null, certificate: { subject_names: ['localhost'] } })
    expect(result.tls_ms).toBeGreaterThan(0)
    const other = { host: '127.0.0.1', port: postfix[name] }
    expect(await check({ options: { tls } }, other)).toMatchObject({ outcome: 'down', error: { code: 'tls' } })
    expect(await check({ options: { tls, verify_tls: false } }, other)).toMatchObject({ outcome: 'up' })
  })

  test('is down with a wrong password', async () => {
    const result = await check({ options: { tls: 'starttls' }, credentials: { ...LOGIN, password: 'wrong' } })
    const message = 'the server refused the login of the configured user (535)'
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'protocol', message } })
  })

  test('ends its session as the protocol wants it, and sends no mail', async () => {
    await expect.poll(() => postfix.output()).toMatch(/disconnect from .* ehlo=2 starttls=1 auth=1 noop=1 quit=1 commands=6/)
    expect(postfix.output()).not.toMatch(/ mail=/)
  })
})

describe('a check of SMTP with a server that is made up', () => {
  const prober = createProber({ allowPrivateTargets: 'all' })
  afterAll(() => prober.close())

  test.each([
    ['does not speak SMTP', 'HTTP/1.1 400 Bad Request\r\n', /^the target does not speak SMTP$/],
    ['is busy', '421 4.3.2 busy,\x07come back\r\n', /^the server refused the connection with 421 4.3.2 busy, come back$/],
    ['offers no TLS', '220 here\r\n250-here\r\n250 SIZE\r\n', /^the server does not offer STARTTLS$/],
    ['has more to say', `220 here\r\n${'250-X\r\n'.repeat(200)}`, /^the server sent a reply of more than 100 lines$/],
    [
      'injects a reply',
      '220 here\r\n250-here\r\n250 STARTTLS\r\n220 go\r\n250 injected\r\n',
      /in plain text after it agreed to TLS/,
    ],
  ])('is down when the server %s', async (_, bytes, message) => {
    const target = await startTarget((socket) => void socket.write(bytes))
    const { error } = await checkKind(prober, 'smtp', `smtp://127.0.0.1:${target.port}`, { options: { tls: 'starttls' } })
    expect(error).toMatchObject({
      code: 'protocol',
      message: expect.stringMatching(message),
    })
    await target.close()
  })
})

describe('a server that does not know EHLO', () => {
  const prober = createProber({ allowPrivateTargets: 'all' })
  afterAll(() => prober.close())

  /** A server with these answers to EHLO and HELO, and the commands that it got. */
  async function check(ehlo: string, helo: string, options: object = {}) {
    const commands: string[] = []
    const target = await startTarget((socket) => {
      socket.write('220 old\r\n')
      socket.on('data', (bytes) => {
        const name = String(bytes).slice(0, 4).toUpperCase()
        commands.push(name)
        socket.write(`${name === 'EHLO' ? ehlo : name === 'HELO' ? helo : '250 ok'}\r\n`)
      })
    })
    const { outcome, error } = await checkKind(prober, 'smtp', `smtp://127.0.0.1:${target.port}`, { options })
    await target.close()
    return { outcome, message: error?.message, commands: commands.filter((name) => name !== 'QUIT') }
  }

  test.each(['500 what', '501 no', '502 unknown command', '503 no', '504 no', '550 no', '502-not\r\n502 here'])(
    'and answers %j is greeted with HELO',
    async (ehlo) => {
      expect(await check(ehlo, '250 old')).toEqual({ outcome: 'up', message: undefined, commands: ['EHLO', 'HELO', 'NOOP'] })
    },
  )

  test('offers no STARTTLS', async () => {
    const result = await check('500 what', '250 old', { tls: 'starttls' })
    expect(result).toMatchObject({ outcome: 'down', message: 'the server does not offer STARTTLS' })
  })

  test.each([
    ['502 unknown', '502 unknown', 'the server answered HELO with 502 unknown', ['EHLO', 'HELO']],
    ['421 busy', '250 old', 'the server answered EHLO with 421 busy', ['EHLO']],
    ['251 odd', '250 old', 'the server answered EHLO with 251 odd', ['EHLO']],
  ])('is down with %j to EHLO and %j to HELO', async (ehlo, helo, message, commands) => {
    expect(await check(ehlo, helo)).toEqual({ outcome: 'down', message, commands })
  })
})

test.each([25, 465, 587])('port %d is open to it', async (port) => {
  const prober = createProber({ allowPrivateTargets: 'all' })
  const { error } = await checkKind(prober, 'smtp', `smtp://127.0.0.1:${port}`)
  expect(error?.code).not.toBe('blocked')
  prober.close()
})

test.each([
  ['smtp://mail.test', {}, 'off', []],
  ['smtp://mail.test:587', LOGIN, 'starttls', []],
  ['smtp://mail.test/x', {}, 'off', ['url']],
  ['smtp://mail.test', LOGIN, 'off', ['options.tls']],
  ['smtp://mail.test', { username: 'a' }, 'implicit', ['credentials.password']],
  ['smtp://mail.test', { password: 'a' }, 'implicit', ['credentials.username']],
  ['smtp://mail.test', { username: 'a', password: 'b\nQUIT' }, 'implicit', ['credentials.password']],
])('the URL %s with the credentials %j and TLS %s has faults at %j', (url, credentials, tls, paths) => {
  const faults = faultsOf('smtp', url, { options: { tls }, credentials })
  expect(faults).toEqual(paths.map((path) => expect.stringMatching(`^${path}: `)))
})
