import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../../scripts/test-tools.ts'
import { startTestSmtp } from '../../../test/smtp.ts'
import type { Mail } from '../mail.ts'
import { createMailer } from '../smtp.ts'
import { defaultSender, parseSmtpUrl } from '../smtp-url.ts'

const FROM = 'Vedette <vedette@example.org>'
const mail: Mail = { to: 'ada@example.com', subject: 'Hello', text: 'Hello Ada', html: '<p>Hello Ada</p>' }
const LOGIN: SMTPServerOptions = {
  authOptional: false,
  allowInsecureAuth: true,
  onAuth: ({ username, password }, _session, done) =>
    password === 'p@ss/word' ? done(null, { user: username as string }) : done(new Error(`no: ${String(password)}`)),
}

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function smtp(options?: SMTPServerOptions) {
  const server = await startTestSmtp(options)
  closers.push(server.close)
  return server
}

/** A TCP server that does with each connection what the test says. */
async function listener(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  closers.push(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  )
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function failure(sending: Promise<void>): Promise<string> {
  return sending.then(
    () => 'sent',
    (error: unknown) =>
      error instanceof Error ? `${error.message} ${JSON.stringify(error)} ${error.stack ?? ''}` : String(error),
  )
}

describe('mail', () => {
  it('reaches the server as text and as HTML, from the sender that was set up [START-33]', async () => {
    const { url, mails } = await smtp()
    await createMailer(url, FROM).send(mail)
    expect(mails).toHaveLength(1)
    expect(mails[0]).toMatchObject({ from: 'vedette@example.org', to: ['ada@example.com'], text: 'Hello Ada', login: undefined })
    expect(mails[0]?.raw).toContain('<p>Hello Ada</p>')
    await createMailer(`${url}?from=Alerts%20%3Calerts@example.net%3E`, FROM).send(mail)
    expect(mails[1]?.from).toBe('alerts@example.net')
    expect(mails[1]?.raw).toMatch(/^From: Alerts <alerts@example.net>/m)
  })

  it('is not sent where no server is set up', async () => {
    const mailer = createMailer(undefined, FROM)
    expect(mailer.isSetUp).toBe(false)
    expect(await failure(mailer.send(mail))).toContain('No mail server is set up')
  })

  it('keeps a line break in its subject or address from becoming a header', async () => {
    const { url, mails } = await smtp()
    const mailer = createMailer(url, FROM)
    await mailer.send({ ...mail, subject: 'Hello\r\nBcc: eve@example.com' })
    expect(mails[0]?.to).toEqual(['ada@example.com'])
    expect(mails[0]?.raw).not.toMatch(/^Bcc:/m)
    await failure(mailer.send({ ...mail, to: 'ada@example.com\r\nRCPT TO:<eve@example.com>' }))
    await failure(mailer.send({ ...mail, to: 'ada@example.com, eve@example.com' }))
    for (const { to } of mails) expect(to).not.toContain('eve@example.com')
  })

  it('signs in with the login of the URL, in any characters', async () => {
    const { port, mails } = await smtp(LOGIN)
    await createMailer(`smtp://vedette%40example.org:p%40ss%2Fword@127.0.0.1:${port}`, FROM).send(mail)
    expect(mails[0]?.login).toBe('vedette@example.org')
  })

  it('reports a refused login without the password', async () => {
    const { port } = await smtp(LOGIN)
    const message = await failure(createMailer(`smtp://vedette:hunter2hunter2@127.0.0.1:${port}`, FROM).send(mail))
    expect(message).toContain('refused the login')
    expect(message).not.toContain('hunter2')
  })

  it('does not send a login in the clear over a network when STARTTLS is absent', async () => {
    const { port, mails } = await smtp(LOGIN)
    const address = `vedette:p%40ss%2Fword@127.0.0.1:${port}`
    expect(await failure(createMailer(`smtp://${address}?tls=required`, FROM).send(mail))).toContain('offers no TLS')
    expect(mails).toEqual([])
    await createMailer(`smtp://${address}?tls=off`, FROM).send(mail)
    expect(mails).toHaveLength(1)
  })

  it('does not trust a certificate that nobody vouches for', async () => {
    const { url, mails } = await smtp({ disabledCommands: [] })
    expect(await failure(createMailer(`${url}?tls=required`, FROM).send(mail))).toMatch(/TLS|ESOCKET/)
    expect(mails).toEqual([])
  })

  it.each([
    ['the sender', { onMailFrom: (_a, _s, done) => done(new Error('go away')) } satisfies SMTPServerOptions],
    ['the recipient', { onRcptTo: (_a, _s, done) => done(new Error('no such user')) } satisfies SMTPServerOptions],
    ['the connection', { onConnect: (_s, done) => done(new Error('blocked')) } satisfies SMTPServerOptions],
  ])('throws when the server refuses %s', async (_what, options) => {
    const { url, mails } = await smtp(options)
    expect(await failure(createMailer(url, FROM).send(mail))).toContain('did not accept the message')
    expect(mails).toEqual([])
  })

  it('throws when nothing listens or the server closes the connection', async () => {
    const gone = `smtp://127.0.0.1:${await freePort()}`
    expect(await failure(createMailer(gone, FROM).send(mail))).toContain('did not accept the message')
    const rude = await listener((socket) => socket.destroy())
    expect(await failure(createMailer(rude, FROM).send(mail))).toContain('did not accept the message')
  })

  it.each<[string, (socket: Socket) => void]>([
    ['never greets', () => undefined],
    [
      'greets a letter at a time',
      (socket) => {
        const timer = setInterval(() => socket.write('2'), 50)
        socket.on('close', () => clearInterval(timer))
      },
    ],
    ['greets and then is silent', (socket) => void socket.write('220 mail.example.org\r\n')],
    ['answers each command with a promise of more', (socket) => void socket.on('data', () => void socket.write('250-wait\r\n'))],
  ])('gives up in bounded time on a server that %s', async (_what, onConnection) => {
    const url = await listener(onConnection)
    const started = performance.now()
    expect(await failure(createMailer(url, FROM, { limitMs: 400 }).send(mail))).toContain('did not answer in time')
    // Without the limit of this test it would be 20 s.
    expect(performance.now() - started).toBeLessThan(15_000)
  })
})

describe('the URL of the mail server', () => {
  it.each([
    ['smtp://mail.example.org', { port: 587, isTls: false, startTls: 'offered', login: undefined }],
    ['smtps://mail.example.org/', { port: 465, isTls: true }],
    ['smtp://me:secret@mail.example.org:25', { port: 25, startTls: 'required', login: { user: 'me', password: 'secret' } }],
    ['smtp://me:secret@mail.example.org?tls=off', { startTls: 'never' }],
    ['smtp://me:secret@localhost', { startTls: 'never' }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525, startTls: 'never' }],
    ['smtp://relay?tls=required&from=a%2Bb@example.org', { startTls: 'required', from: 'a+b@example.org' }],
    ['smtp://me:p%25%C3%A9@relay', { login: { user: 'me', password: 'p%é' } }],
  ])('%s is understood', (url, expected) => expect(parseSmtpUrl(url)).toMatchObject(expected))

  it.each([
    'mail.example.org:587',
    'http://mail.example.org',
    'smtp://',
    'smtp:///path',
    'smtp://relay/path',
    'smtp://relay#x',
    'smtp://relay?pool=true',
    'smtp://relay?tls=maybe',
    'smtp://relay?tls=off&tls=required',
    'smtp://relay?from=',
    'smtp://relay?from=nobody',
    'smtp://relay?from=a@example.org,b@example.org',
    'smtp://relay?from=a@example.org%0D%0ABcc:b@example.org',
    'smtp://me:100%@relay',
    'smtp://relay:99999',
  ])('%s is not', (url) => expect(parseSmtpUrl(url)).toBeUndefined())

  it('has a sender under the host that people know', () => {
    expect(defaultSender('https://status.example.org')).toBe('Vedette <vedette@status.example.org>')
    for (const url of [undefined, 'http://127.0.0.1:8080', 'http://[::1]:8080'])
      expect(defaultSender(url)).toBe('Vedette <vedette@localhost>')
  })
})
