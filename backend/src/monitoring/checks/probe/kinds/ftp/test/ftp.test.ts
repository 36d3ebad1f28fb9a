import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMissing } from '../../../../../../../../scripts/test-tools.ts'
import { createProber, type Prober } from '../../../index.ts'
import { makeCertificate } from '../../../test/certificates.ts'
import { checkKind, faultsOf, type KindCheck } from '../../../test/kinds.ts'
import { startTarget, type Target } from '../../../test/targets.ts'
import { PASSWORD, startVsftpd, USERNAME, type Vsftpd } from './vsftpd.ts'

const authority = makeCertificate({ name: 'authority', isAuthority: true })
const certificate = makeCertificate({ name: 'files', names: ['localhost'], issuer: authority })
const LOGIN = { username: USERNAME, password: PASSWORD }

let prober: Prober
beforeAll(() => {
  prober = createProber({ allowPrivateTargets: 'all', extraAuthorities: [authority.cert] })
})
afterAll(() => prober.close())

describe.skipIf(isMissing('vsftpd', 'root'))('a check of FTP', () => {
  let server: Vsftpd
  let implicit: Vsftpd
  beforeAll(async () => {
    server = await startVsftpd(certificate)
    implicit = await startVsftpd(certificate, { implicit_ssl: 'YES' })
  })
  afterAll(() => Promise.all([server.stop(), implicit.stop()]))

  const check = (path: string, more: KindCheck = {}) => checkKind(prober, 'ftp', `ftp://127.0.0.1:${server.port}${path}`, more)

  test('greets the server, and its phases are its response time', async () => {
    const result = await check('')
    expect(result).toMatchObject({ outcome: 'up', error: null, address: '127.0.0.1', facts: { greeting: 'Files are here.' } })
    const { connect_ms, first_byte_ms, transfer_ms, response_ms } = result
    expect((connect_ms ?? 0) + (first_byte_ms ?? 0) + (transfer_ms ?? 0)).toBeCloseTo(response_ms ?? -1)
  })

  test.each([
    ['', 2],
    ['/pub', 2],
    ['/empty', 0],
    ['/pub/../pub', 2],
  ])('logs in and lists %j, which has %i entries', async (path, entries) => {
    expect(await check(path, { options: { list: true }, credentials: LOGIN })).toMatchObject({
      outcome: 'up',
      facts: { entries },
    })
  })

  test('an assertion on the list sees it', async () => {
    const wanted = (value: string) => ({
      options: { list: true },
      credentials: LOGIN,
      assertions: [{ type: 'body', operator: 'contains', value }] as never,
    })
    expect(await check('/pub', wanted('one.txt'))).toMatchObject({ outcome: 'up' })
    expect(await check('/pub', wanted('three.txt'))).toMatchObject({ outcome: 'down', error: { code: 'assertion' } })
  })

  test.each([
    ['a folder that does not exist', '/none', LOGIN, /^the server answered CWD with 550/],
    ['a wrong password', '', { ...LOGIN, password: 'wrong' }, /^the server refused the login of the configured user \(530\)$/],
  ])('is down with %s', async (_, path, credentials, message) => {
    expect(await check(path, { credentials })).toMatchObject({
      outcome: 'down',
      error: { code: 'protocol', message: expect.stringMatching(message) },
    })
  })

  test.each([
    ['starttls', () => server.port],
    ['implicit', () => implicit.port],
  ])('lists over TLS by %s, with a certificate that is verified', async (tls, port) => {
    const more = { options: { tls, list: true }, credentials: LOGIN }
    const result = await checkKind(prober, 'ftp', `ftp://localhost:${port()}/pub`, more)
    expect(result).toMatchObject({
      outcome: 'up',
      error: null,
      certificate: { subject_names: ['localhost'] },
      facts: { entries: 2 },
    })
    expect(result.tls_ms).toBeGreaterThan(0)
    expect(await checkKind(prober, 'ftp', `ftp://127.0.0.1:${port()}/pub`, more)).toMatchObject({
      outcome: 'down',
      error: { code: 'tls' },
    })
  })
})

describe('a data connection', () => {
  const targets: Target[] = []
  afterAll(() => Promise.all(targets.map((target) => target.close())))
  const start = async (serve: (socket: Socket) => void) => {
    const target = await startTarget(serve)
    targets.push(target)
    return target.port
  }
  const ANSWERS = { USER: '230 in', CWD: '250 ok', EPSV: '500 no', LIST: '150 here\r\n226 done', QUIT: '221 bye' }
  /** Answers each command by its name. */
  const serve = (answers: Readonly<Record<string, string>>) =>
    start((socket) => {
      socket.write('220-Files\r\nof many lines\r\n220 here\r\n')
      socket.on(
        'data',
        (line) => void socket.write(`${{ ...ANSWERS, ...answers }[line.toString().trim().split(' ')[0] ?? ''] ?? '502 no'}\r\n`),
      )
    })
  const check = async (answers: Readonly<Record<string, string>>, timeout = 5) =>
    checkKind(prober, 'ftp', `ftp://127.0.0.1:${await serve(answers)}`, {
      timeout,
      options: { list: true },
      credentials: { username: 'anonymous' },
    })
  const ofPort = (port: number) => `${port >> 8},${port & 255}`

  test('goes to the host of the control connection, whatever address the server names', async () => {
    const port = await start((socket) => void socket.end('total 1\r\n-rw one\r\n-rw two\r\n'))
    expect(await check({ PASV: `227 go to (192,0,2,1,${ofPort(port)})` })).toMatchObject({ outcome: 'up', facts: { entries: 2 } })
    expect(await check({ EPSV: `229 go to (|||${port}|)` })).toMatchObject({ outcome: 'up', facts: { entries: 2 } })
  })

  test('obeys the rules for ports', async () => {
    expect(await check({ EPSV: '229 go to (|||25|)' })).toMatchObject({
      outcome: 'down',
      error: { code: 'blocked', message: expect.stringMatching(/^the data connection: /) },
    })
  })

  test.each([
    [{}, /^the server answered PASV with 502 no$/],
    [{ PASV: '227 go nowhere' }, /named no port/],
    [{ EPSV: '229 (|||0|)' }, /named no port/],
    [{ EPSV: '229 (|||99999|)' }, /named no port/],
  ])('%j has no port', async (answers, message) => {
    expect((await check(answers)).error).toEqual({ code: 'protocol', message: expect.stringMatching(message) })
  })

  test('without end is not read to its end, and one that is silent ends with the timeout', async () => {
    const endless = await start((socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, 'a\n')));
        if (!socket.destroyed) socket.once('drain', more)
      }
      more()
    })
    expect((await check({ EPSV: `229 (|||${endless}|)` })).error?.message).toMatch(/brought more than 1048576 bytes/)
    let isClosed = false
    const silent = await start((socket) => void socket.on('end', () => (isClosed = true)).resume())
    expect((await check({ EPSV: `229 (|||${silent}|)` }, 1)).error?.code).toBe('timeout')
    await expect.poll(() => isClosed).toBe(true)
  })

  test('that is closed by its reset is down', async () => {
    const port = await start((socket) => void socket.resetAndDestroy())
    expect((await check({ EPSV: `229 (|||${port}|)` })).error?.code).toMatch(/protocol|connect/)
  })

  test('is not begun where the server refuses the list', async () => {
    const port = await start(() => {})
    expect((await check({ EPSV: `229 (|||${port}|)`, LIST: '550 no' })).error?.message).toBe(
      'the server answered LIST with 550 no',
    )
    expect((await check({ EPSV: `229 (|||${port}|)`, USER: '332 account' })).error?.message).toMatch(/asks for an account/)
  })
})

test.each([
  ['', {}, {}, []],
  ['/', {}, {}, []],
  ['/pub/a%20b', {}, { username: 'a' }, []],
  ['/pub', {}, {}, ['credentials.username']],
  ['', { list: true }, {}, ['credentials.username']],
  ['', {}, { password: 'a' }, ['credentials.username']],
  ['/a%0d%0aDELE%20b', {}, { username: 'a' }, ['url']],
  ['/a?b', {}, { username: 'a' }, ['url']],
  ['', {}, { username: 'a\r\nDELE b' }, ['credentials.username']],
])('the path %j with the options %j and the credentials %j has faults at %j', (path, options, credentials, paths) => {
  const faults = faultsOf('ftp', `ftp://files.test${path}`, { options, credentials })
  expect(faults).toEqual(paths.map((fault) => expect.stringMatching(`^${fault}: `)))
})
