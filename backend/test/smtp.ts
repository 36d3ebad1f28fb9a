import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface TakenMail {
  from: string
  to: string[]
  /** The message as it came over the wire. */
  raw: string
  /** The plain-text part, decoded. */
  text: string
  login: string | undefined
  isEncrypted: boolean
}

export interface TestSmtp {
  port: number
  url: string
  mails: TakenMail[]
  close(): Promise<void>
}

/** A real SMTP server on loopback that keeps what it takes. Without options: no login, no TLS. */
export async function startTestSmtp(options: SMTPServerOptions = {}): Promise<TestSmtp> {
  const mails: TakenMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    ...options,
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString()
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw,
          text: textOf(raw),
          login: session.user as string | undefined,
          isEncrypted: session.secure,
        })
        done()
      })
    },
  })
  server.on('error', () => undefined) // clients that hang up in the middle
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { port, url: `smtp://127.0.0.1:${port}`, mails, close }
}

/** The first text/plain part; long lines come as quoted-printable. */
function textOf(raw: string): string {
  const part = /content-type: text\/plain[\s\S]*?\r\n\r\n([\s\S]*?)(?:\r\n--|$)/i.exec(raw)
  const head = part?.[0].split('\r\n\r\n', 1)[0] ?? ''
  const body = part?.[1] ?? ''
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString()
  if (!/quoted-printable/i.test(head)) return body
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
