import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { makeCertificate } from '../src/monitoring/checks/probe/test/certificates.ts'
import { type Dovecot, PASSWORD, startDovecot, USERNAME } from '../src/monitoring/checks/probe/test/mail-servers.ts'
import type { Delivered } from '../src/alerting/alert-sources/mail/conversation.ts'
import { pollMailbox } from '../src/alerting/alert-sources/mail/mailbox/poll.ts'
import { tokensOf } from '../src/alerting/alert-sources/mail/mailbox/tokens.ts'
import { type Mailbox, parseMailboxUrl } from '../src/platform/mailbox-url.ts'

const TOKEN = 'vdt_in_abcdefghijklmnopqrstuvwxyz0123456789'

it.each([
  [
    'imaps://ada%40example.com:p%40ss@mail.example.com',
    { port: 993, isTls: true, user: 'ada@example.com', password: 'p@ss', folder: 'INBOX' },
  ],
  ['imaps://ada:x@mail.example.com:1993/Alerts%20of%20us', { port: 1993, folder: 'Alerts of us' }],
  ['imap://ada:x@127.0.0.1/INBOX', { host: '127.0.0.1', port: 143, isTls: false }],
  ['imap://ada:x@[::1]:1143', { host: '::1', port: 1143 }],
])('the mailbox %s is read from its address', (url, expected) => expect(parseMailboxUrl(url)).toMatchObject(expected))

it.each([
  'imap://ada:x@mail.example.com',
  'imaps://mail.example.com',
  'imaps://ada:a%0d%0ab@mail.example.com',
  'imaps://ada:x@mail.example.com/a%22b',
  'imaps://ada:%@mail.example.com',
  'imaps://ada:x@mail.example.com/?x=1',
])('%s is no mailbox: a password needs TLS, and no part ends a line', (url) => expect(parseMailboxUrl(url)).toBeUndefined())

describe('the tokens of a mail', () => {
  const mail = (...lines: string[]) => Buffer.from(`${lines.join('\r\n')}\r\n\r\nTo: a+${TOKEN}9@example.com\r\n`)
  it('are those of the headers that name recipients, each once, folded lines included', () =>
    expect(
      tokensOf(
        mail(
          `To: Ada <ada@example.com>,`,
          ` alerts+${TOKEN}1@example.com`,
          `Delivered-To: us+${TOKEN}1@example.com`,
          `CC: x+${TOKEN}2@example.com`,
        ),
      ),
    ).toEqual([`${TOKEN}1`, `${TOKEN}2`]))
  it('are none of the subject, of the body, and of other headers', () =>
    expect(tokensOf(mail(`Subject: alerts+${TOKEN}1@example.com`, `From: a+${TOKEN}1@example.com`))).toEqual([]))
})

describe.skipIf(isMissing('dovecot', 'root'))('a mailbox', () => {
  const authority = makeCertificate({ name: 'authority', isAuthority: true })
  const certificate = makeCertificate({ name: 'mail', names: ['localhost'], issuer: authority })
  let dovecot: Dovecot
  let inbox: string
  let mailbox: Mailbox
  let count = 0
  beforeAll(async () => {
    dovecot = await startDovecot(certificate)
    inbox = join(dovecot.folder, 'mail', USERNAME)
    mailbox = { host: 'localhost', port: dovecot.imaps, isTls: true, user: USERNAME, password: PASSWORD, folder: 'INBOX' }
    // The mailbox belongs to another user, and is made by the first login.
    chmodSync(join(dovecot.folder, 'mail'), 0o777)
    await poll()
  })
  afterAll(() => dovecot.stop())

  const arrive = (to: string, subject: string, text = 'Look at it') => {
    const head = [`From: NAS <nas@example.test>`, `To: ${to}`, `Subject: ${subject}`, 'Content-Type: text/plain; charset=utf-8']
    writeFileSync(
      join(inbox, 'new', `17000000${String(count++).padStart(2, '0')}.M1P1.host`),
      `${head.join('\n')}\n\n${text}\n`,
      { mode: 0o666 },
    )
  }
  async function poll(answer: (subject: string) => Delivered = () => 'stored', other: Partial<Mailbox> = {}) {
    const taken: [string, string, string | null][] = []
    const stored = await pollMailbox(
      {
        signal: new AbortController().signal,
        authorities: [authority.cert],
        deliver: async (token, alert) => {
          taken.push([token, alert.title, alert.text])
          return answer(alert.title)
        },
      },
      { ...mailbox, ...other },
    )
    return { stored, taken }
  }

  it('gives each mail to the sources that it names, oldest first, and marks it', async () => {
    arrive(`alerts+${TOKEN}@example.test`, 'ALARM: pool tank', 'größer')
    arrive(`x@example.test, y+${TOKEN}1@example.test`, 'OK: pool tank')
    arrive('x@example.test', 'no source')
    expect(await poll()).toEqual({
      stored: 2,
      taken: [
        [TOKEN, 'ALARM: pool tank', 'größer'],
        [`${TOKEN}1`, 'OK: pool tank', 'Look at it'],
      ],
    })
    expect(await poll()).toEqual({ stored: 0, taken: [] })
    expect(readdirSync(join(inbox, 'cur')).every((name) => name.endsWith(':2,S'))).toBe(true)
  })

  it('keeps what is over the rate of its source, and what could not be stored', async () => {
    arrive(`a+${TOKEN}@example.test`, 'first')
    arrive(`a+${TOKEN}@example.test`, 'second')
    arrive(`a+${TOKEN}@example.test`, 'third')
    expect((await poll((title) => (title === 'second' ? 'limited' : 'stored'))).taken).toHaveLength(2)
    const away = () => {
      throw new Error('the database is away')
    }
    await expect(poll(away)).rejects.toThrow('the database is away')
    expect((await poll((title) => (title === 'second' ? 'unknown' : 'stored'))).taken.map(([, title]) => title)).toEqual([
      'second',
      'third',
    ])
    expect((await poll()).taken).toEqual([])
  })

  it('reads the first MiB of a large mail', async () => {
    arrive(`a+${TOKEN}@example.test`, 'large', 'x'.repeat(3_000_000))
    expect((await poll()).taken).toMatchObject([[TOKEN, 'large', expect.stringMatching(/^x{1000,262144}$/)]])
  })

  it.each([
    ['a wrong password', { password: 'secret of mine' }, /^the server answered AUTHENTICATE PLAIN with NO/],
    ['a folder that is not there', { folder: 'Nowhere' }, /^the server answered SELECT "Nowhere" with NO/],
    ['a certificate of another host', { host: '127.0.0.1' }, /altnames/],
  ])('with %s is an error without the password', async (_, other, message) => {
    const error = (await poll(undefined, other).catch((fault: unknown) => fault)) as Error
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('secret')
  })
})

describe('a server of mailboxes that is none', () => {
  it.each([
    ['does not greet', '220 mail.test ESMTP\r\n', 'the server does not greet as IMAP: 220 mail.test ESMTP'],
    ['ends the connection', '', 'the server ended the connection'],
    ['sends an endless literal', '* OK\r\n* X {99999999}\r\n', 'the server sent more than 1048576 bytes at once'],
    ['has more and more to say', `* OK\r\n${'* X\r\n'.repeat(2000)}`, 'the server sent an answer of more than 1000 lines'],
    ['asks for more', '* OK\r\n+ go on\r\n', 'the server does not speak IMAP'],
  ])('that %s is an error', async (_, bytes, message) => {
    const server = createServer((socket) => void socket.on('error', () => undefined).end(bytes))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const mailbox = { host: '127.0.0.1', port, isTls: false, user: 'a', password: 'b', folder: 'INBOX' }
    const polled = pollMailbox({ signal: new AbortController().signal, deliver: async () => 'stored' }, mailbox)
    await expect(polled).rejects.toThrow(message)
    server.close()
  })
})
