import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../index.ts'
import { makeCertificate } from '../../test/certificates.ts'
import { checkKind, faultsOf, type KindCheck } from '../../test/kinds.ts'
import { type Dovecot, PASSWORD, startDovecot, USERNAME } from '../../test/mail-servers.ts'
import { startTarget } from '../../test/targets.ts'

const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'mail', names: ['localhost'], issuer: authority })
const LOGIN = { username: USERNAME, password: PASSWORD }

describe.skipIf(isMissing('dovecot', 'root'))('a check of IMAP', () => {
  let dovecot: Dovecot
  let prober: Prober

  beforeAll(async () => {
    dovecot = await startDovecot(certificate)
    prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
  })
  afterAll(async () => {
    prober.close()
    await dovecot.stop()
  })

  const check = (check: KindCheck, { host = 'localhost', port = dovecot.imap } = {}) =>
    checkKind(prober, 'imap', `imap://${host}:${port}`, check)

  test('greets the server, and its phases are its response time', async () => {
    const result = await check({})
    expect(result).toMatchObject({ outcome: 'up', error: null, address: '127.0.0.1', tls_ms: null })
    expect(result.facts['greeting']).toMatch(/^\[CAPABILITY IMAP4rev1 .*Mailboxes are here\.$/)
    const { dns_ms, connect_ms, first_byte_ms, transfer_ms, response_ms } = result
    expect((dns_ms ?? 0) + (connect_ms ?? 0) + (first_byte_ms ?? 0) + (transfer_ms ?? 0)).toBeCloseTo(response_ms ?? -1)
  })

  test.each([
    ['starttls', 'imap'],
    ['implicit', 'imaps'],
  ] as const)('logs in over TLS that is %s, with a certificate that is verified', async (tls, name) => {
    const result = await check({ options: { tls }, credentials: LOGIN }, { port: dovecot[name] })
    expect(result).toMatchObject({ outcome: 'up', error: null, certificate: { subject_names: ['localhost'] } })
    expect(result.tls_ms).toBeGreaterThan(0)
    const other = { host: '127.0.0.1', port: dovecot[name] }
    expect(await check({ options: { tls } }, other)).toMatchObject({ outcome: 'down', error: { code: 'tls' } })
    expect(await check({ options: { tls, verify_tls: false } }, other)).toMatchObject({ outcome: 'up' })
  })

  test('is down with a wrong password', async () => {
    const result = await check({ options: { tls: 'starttls' }, credentials: { ...LOGIN, password: 'wrong' } })
    const message = 'the server refused the login of the configured user (AUTHENTICATIONFAILED)'
    expect(result).toMatchObject({ outcome: 'down', error: { code: 'protocol', message } })
  })

  test('logs out', async () => {
    await expect.poll(() => dovecot.output()).toMatch(/imap\(monitor@example\.test\).*: Logged out/)
  })
})

describe('a check of IMAP with a server that is made up', () => {
  const prober = createProber({ allowPrivateTargets: 'all' })
  afterAll(() => prober.close())

  test.each([
    ['does not speak IMAP', '220 mail.test ESMTP\r\n', 'the target does not speak IMAP'],
    ['is busy', '* BYE too many\r\n', 'the server refused the connection: too many'],
    ['has no TLS', '* OK here\r\na1 BAD what?\r\n', 'the server answered STARTTLS with BAD what?'],
    ['has more to say', `* OK here\r\n${'* X\r\n'.repeat(200)}`, 'the server sent an answer of more than 100 lines'],
    ['asks for more', '* OK here\r\n+ go on\r\n', 'the target does not speak IMAP'],
    [
      'injects a reply',
      '* OK here\r\na1 OK go\r\na2 OK injected\r\n',
      'the target sent more in plain text after it agreed to TLS',
    ],
  ])('is down when the server %s', async (_, bytes, message) => {
    const target = await startTarget((socket) => void socket.write(bytes))
    const { error } = await checkKind(prober, 'imap', `imap://127.0.0.1:${target.port}`, { options: { tls: 'starttls' } })
    expect(error).toEqual({ code: 'protocol', message })
    await target.close()
  })
})

test.each([
  ['imap://mail.test', {}, 'off', []],
  ['imap://mail.test:993', LOGIN, 'implicit', []],
  ['imap://mail.test/INBOX', {}, 'off', ['url']],
  ['imap://mail.test', LOGIN, 'off', ['options.tls']],
])('the URL %s with the credentials %j and TLS %s has faults at %j', (url, credentials, tls, paths) => {
  const faults = faultsOf('imap', url, { options: { tls }, credentials })
  expect(faults).toEqual(paths.map((path) => expect.stringMatching(`^${path}: `)))
})
