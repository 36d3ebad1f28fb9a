import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import nodemailer from 'nodemailer'
import { silentLog } from '../../../../platform/logging/log.ts'
import type { ReceivedAlert } from '../../formats/format.ts'
import { createConversation, type Delivered, MAX_RECIPIENTS } from '../conversation.ts'
import { linesOf } from '../lines.ts'
import { type MailAddress, mailAddressOf, startMailServer } from '../server.ts'

const TOKEN = 'vdt_in_abcdefghijklmnopqrstuvwxyz0123456789'
const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Alerts {
  token: string
  alert: ReceivedAlert
}

/** A server that answers deliveries with what the test says. */
async function start(answer: (token: string) => Delivered | Promise<Delivered> = () => 'stored', address?: MailAddress) {
  const delivered: Alerts[] = []
  const deliver = async (token: string, alert: ReceivedAlert) => {
    delivered.push({ token, alert })
    return answer(token)
  }
  const server = await startMailServer({ deliver, log: silentLog }, address ?? { host: '127.0.0.1', port: 0 })
  closers.push(server.close)
  return { delivered, port: server.port }
}

/** Sends these bytes at once and returns every reply until the server ends the connection. */
function talk(at: number | string, ...lines: string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = typeof at === 'string' ? connect(at) : connect(at, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    socket.on('error', reject).on('close', () => resolve(text.split('\r\n').slice(0, -1)))
    socket.write(lines.map((line) => `${line}\r\n`).join(''))
  })
}
/** The replies after those of LHLO. */
const afterGreeting = (replies: string[]) => replies.slice(replies.findIndex((line) => line.startsWith('250 SIZE')) + 1)
const to = (token: string) => `RCPT TO:<alerts+${token}@vedette.example>`
const DATA = ['DATA', 'Subject: [FIRING:1] Disk full', '', 'No space', '.']

describe('the mail server', () => {
  it('gives each recipient a reply of its own, once its alert is stored', async () => {
    const outcomes: Record<string, Delivered> = { [`${TOKEN}1`]: 'stored', [`${TOKEN}2`]: 'unknown', [`${TOKEN}3`]: 'limited' }
    const { delivered, port } = await start((token) => {
      const outcome = outcomes[token]
      if (outcome === undefined) throw new Error('the database is away')
      return outcome
    })
    const recipients = ['1', '2', '3', '4'].map((end) => to(`${TOKEN}${end}`))
    const replies = await talk(port, 'LHLO mail.example', 'MAIL FROM:<root@db-1>', ...recipients, ...DATA, 'QUIT')
    expect(afterGreeting(replies).map((line) => line.slice(0, 9))).toEqual([
      '250 2.1.0',
      ...recipients.map(() => '250 2.1.5'),
      '354 End w',
      '250 2.0.0',
      '550 5.1.1',
      '452 4.3.1',
      '451 4.3.0',
      '221 2.0.0',
    ])
    expect(delivered.map(({ token }) => token.slice(TOKEN.length))).toEqual(['1', '2', '3', '4'])
    expect(delivered[0]?.alert).toMatchObject({
      status: 'firing',
      title: '[FIRING:1] Disk full',
      key: 'Disk full',
      text: 'No space',
    })
  })

  it('does not reply before the alert is stored', async () => {
    let store: (outcome: Delivered) => void = () => undefined
    const { delivered, port } = await start(() => new Promise((resolve) => (store = resolve)))
    let isAnswered = false
    const replies = talk(port, 'LHLO a', 'MAIL FROM:<>', to(TOKEN), ...DATA, 'QUIT').finally(() => (isAnswered = true))
    await expect.poll(() => delivered.length).toBe(1)
    expect(isAnswered).toBe(false)
    store('stored')
    expect(afterGreeting(await replies).at(-2)).toBe('250 2.0.0 The alert is stored')
  })

  it.each([
    ['HELO a', '500 5.5.1'],
    ['EHLO a', '500 5.5.1'],
    ['MAIL FROM:<a@b>', '503 5.5.1 LHLO first'],
    ['RCPT TO:<a@b>', '503 5.5.1 MAIL first'],
    ['DATA', '503 5.5.1 No valid recipients'],
    ['', '500 5.5.1'],
    [`NOOP ${'x'.repeat(3_000)}`, '421 4.5.2 The line is too long'],
  ])('%.20s before LHLO is refused', async (line, reply) => {
    const { port } = await start()
    expect((await talk(port, line, 'QUIT'))[1]).toContain(reply)
  })

  it.each([
    'RCPT TO:<root@vedette.example>',
    'RCPT TO:<alerts@vedette.example>',
    `RCPT TO:<alerts+@vedette.example>`,
    `RCPT TO:<alerts+${TOKEN}/../x@vedette.example>`,
    `RCPT TO:alerts+${TOKEN}@vedette.example`,
  ])('%s is no address of a source', async (line) => {
    const { delivered, port } = await start()
    const replies = afterGreeting(await talk(port, 'LHLO a', 'MAIL FROM:<>', line, 'DATA', 'QUIT'))
    expect(replies.slice(1, 3).map((reply) => reply.slice(0, 3))).toEqual(['550', '503'])
    expect(delivered).toEqual([])
  })

  it('takes 100 recipients of a mail, and a mail of 25 MiB', async () => {
    const { delivered, port } = await start()
    const many = Array.from({ length: MAX_RECIPIENTS + 1 }, (_, index) => to(`${TOKEN}${index}`))
    const replies = afterGreeting(await talk(port, 'LHLO a', 'MAIL FROM:<> SIZE=26214400', ...many, ...DATA, 'QUIT'))
    expect(replies[MAX_RECIPIENTS + 1]).toContain('452 4.5.3')
    expect(delivered).toHaveLength(MAX_RECIPIENTS)
    const large = afterGreeting(await talk(port, 'LHLO a', 'MAIL FROM:<> SIZE=26214401', 'QUIT'))
    expect(large[0]).toContain('552 5.3.4')
  })

  it('reads the beginning of a larger mail, and refuses one that is too large after all', async () => {
    const texts: (string | null)[] = []
    const deliver = (_token: string, { text }: ReceivedAlert) =>
      Promise.resolve<Delivered>(texts.push(text) ? 'stored' : 'unknown')
    const converse = createConversation({ deliver })
    const line = 'x'.repeat(65_534)
    const send = async (lines: number) => {
      const sent = [
        'LHLO a',
        'MAIL FROM:<>',
        to(TOKEN),
        'DATA',
        'Subject: Disk full',
        '',
        ...Array<string>(lines).fill(line),
        '.',
      ]
      let replies: string[] = []
      for (const text of sent) replies = await converse({ bytes: Buffer.from(text), ends: true })
      return replies.map((reply) => reply.slice(0, 3))
    }
    expect([await send(64), await send(401)]).toEqual([['250'], ['552']])
    // Four lines, and the ends between them.
    expect(texts.map((text) => text?.length)).toEqual([4 * 65_534 + 3])
  })

  it('ends a mail only at a dot between two whole line ends, and takes the second dot away', async () => {
    const { delivered, port } = await start()
    const smuggled = 'Hi\n.\nMAIL FROM:<evil@x>\r.\rstill the same'
    const replies = await talk(
      port,
      'LHLO a',
      'MAIL FROM:<>',
      to(TOKEN),
      'DATA',
      'Subject: x',
      '',
      smuggled,
      '..dot',
      '.',
      'QUIT',
    )
    expect(afterGreeting(replies).map((reply) => reply.slice(0, 3))).toEqual(['250', '250', '354', '250', '221'])
    expect(delivered[0]?.alert.text).toBe('Hi\n.\nMAIL FROM:<evil@x>\r.\rstill the same\n.dot')
  })

  it('begins again after RSET, and ends after twenty errors', async () => {
    const { delivered, port } = await start()
    const reset = await talk(port, 'LHLO a', 'MAIL FROM:<>', to(TOKEN), 'RSET', 'DATA', 'NOOP', 'VRFY x', 'QUIT')
    expect(afterGreeting(reset).map((reply) => reply.slice(0, 3))).toEqual(['250', '250', '250', '503', '250', '252', '221'])
    const errors = await talk(port, ...Array.from({ length: 30 }, () => 'HELLO'))
    expect(errors.filter((reply) => reply.startsWith('500'))).toHaveLength(21)
    expect(errors.at(-1)).toContain('421 4.7.0')
    expect(delivered).toEqual([])
  })

  it('is spoken to by a client that others wrote', async () => {
    const { delivered, port } = await start()
    const transport = nodemailer.createTransport({ lmtp: true, host: '127.0.0.1', port, ignoreTLS: true } as object)
    const sent = (await transport.sendMail({
      from: 'root@db-1.example',
      to: `alerts+${TOKEN}@vedette.example`,
      subject: 'Sicherung für db-1: ALARM',
      text: 'Es wurde nichts gesichert.\n.\nGrüße',
      attachments: [{ filename: 'log.txt', content: 'secret' }],
    })) as { accepted: string[] }
    expect(sent.accepted).toHaveLength(1)
    expect(delivered[0]?.alert).toMatchObject({
      title: 'Sicherung für db-1: ALARM',
      text: 'Es wurde nichts gesichert.\n.\nGrüße',
      labels: { from: 'root@db-1.example' },
    })
  })

  it('listens on a socket of the file system', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vedette-lmtp-'))
    closers.push(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'lmtp.sock')
    await start(undefined, mailAddressOf(`lmtp://${path}`))
    expect((await talk(path, 'LHLO a', 'QUIT'))[0]).toBe('220 vedette LMTP')
  })
})

describe('lines', () => {
  const split = async (...chunks: (string | Buffer)[]) => {
    const pieces = []
    const source = (async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk)
    })()
    for await (const { bytes, ends } of linesOf(source)) pieces.push([bytes.toString(), ends])
    return pieces
  }

  it('are the same wherever the chunks end', async () => {
    const text = 'one\r\n\r\n.\r\ntwo\nthree\r\r\n'
    const whole = await split(text)
    expect(whole).toEqual([
      ['one', true],
      ['', true],
      ['.', true],
      ['two\nthree\r', true],
    ])
    expect(await split(...text.split(''))).toEqual(whole)
  })

  it('of more than 64 KiB come in pieces, and an end between two chunks is found', async () => {
    expect(await split(`${'x'.repeat(70_000)}\r`, '\n', 'y\r\n')).toEqual([
      ['x'.repeat(70_000), false],
      ['', true],
      ['y', true],
    ])
  })
})

describe('the address of the mail server', () => {
  it.each<[string, MailAddress]>([
    ['lmtp://127.0.0.1:2424', { host: '127.0.0.1', port: 2424 }],
    ['lmtp://[::1]:24', { host: '::1', port: 24 }],
    ['lmtp:///run/vedette/lmtp.sock', { path: '/run/vedette/lmtp.sock' }],
  ])('%s', (setting, address) => {
    expect(mailAddressOf(setting)).toEqual(address)
  })
})
