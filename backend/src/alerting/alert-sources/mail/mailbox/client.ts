import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { readable } from '../../../../monitoring/checks/index.ts'
import type { Mailbox } from '../../../../platform/mailbox-url.ts'

/** What a server of mailboxes does that is no IMAP, or what it refuses. It never has the password. */
export class MailboxFault extends Error {}

/** A line that is no completion; what it had as literals follows, in their order. */
export interface Data {
  line: string
  literals: Buffer[]
}

export interface ImapClient {
  /** Sends a command and waits for its end. `continuation` follows where the server asks for more. Throws MailboxFault. */
  command(line: string, continuation?: string): Promise<Data[]>
  end(): void
}

export interface ClientOptions {
  signal: AbortSignal
  /** Certificates to trust in addition to those of the machine. */
  authorities?: readonly string[] | undefined
}

const SILENCE_MS = 30_000
/** An answer to SEARCH names all mails in one line. */
const MAX_LINE_BYTES = 1_048_576
export const MAX_LITERAL_BYTES = 1_048_576
const MAX_DATA = 1_000
const LITERAL = /\{(\d{1,10})\}$/

/** A login at a mailbox (IMAP4rev1, RFC 3501). Throws MailboxFault. */
export async function openMailbox(mailbox: Mailbox, options: ClientOptions): Promise<ImapClient> {
  const client = createClient(connect(mailbox, options), options.signal)
  try {
    await client.greet()
    await logIn(client, mailbox)
    return client
  } catch (error) {
    client.end()
    throw error
  }
}

function connect({ host, port, isTls }: Mailbox, { authorities }: ClientOptions): Socket {
  if (!isTls) return connectPlain({ host, port })
  return connectTls({
    host,
    port,
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    ...(authorities && { ca: [...authorities] }),
  })
}

function createClient(socket: Socket, signal: AbortSignal): ImapClient & { greet(): Promise<void> } {
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new MailboxFault(`the server said nothing for ${SILENCE_MS / 1000} s`)))
  const abort = () => void socket.destroy()
  signal.addEventListener('abort', abort, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', abort))
  if (signal.aborted) abort()
  // Who reads gets it; one that comes while an alert is stored must not end the process.
  socket.on('error', () => undefined)
  const read = createReader(socket)
  let number = 0
  return {
    async greet() {
      const line = await read.line()
      if (!/^\* (OK|PREAUTH)\b/i.test(line))
        throw new MailboxFault(`the server does not greet as IMAP: ${readable(line.slice(0, 200))}`)
    },
    async command(line, continuation) {
      const tag = `v${++number}`
      socket.write(`${tag} ${line}\r\n`)
      const all: Data[] = []
      let more = continuation
      for (;;) {
        const data = await readData(read)
        if (data.line.startsWith('*')) all.push(data)
        else if (data.line.startsWith('+') && more !== undefined) {
          socket.write(`${more}\r\n`)
          more = undefined
        } else if (data.line.startsWith(`${tag} `)) {
          const [, status = '', text = ''] = /^\S+ (\S*) ?(.*)$/s.exec(data.line) ?? []
          if (status.toUpperCase() === 'OK') return all
          const name = line
            .split(' ', 2)
            .join(' ')
            .replace(/^LOGIN.*/, 'LOGIN')
          throw new MailboxFault(`the server answered ${name} with ${readable(`${status} ${text}`.slice(0, 200))}`)
        } else throw new MailboxFault('the server does not speak IMAP')
        if (all.length > MAX_DATA) throw new MailboxFault(`the server sent an answer of more than ${MAX_DATA} lines`)
      }
    },
    end: () => void socket.destroy(),
  }
}

/** A line with its literals in place. */
async function readData(read: Reader): Promise<Data> {
  const data: Data = { line: '', literals: [] }
  for (;;) {
    data.line += await read.line()
    const length = LITERAL.exec(data.line)?.[1]
    if (length === undefined) return data
    data.literals.push(await read.bytes(Number(length)))
    data.line = data.line.replace(LITERAL, '{}')
  }
}

interface Reader {
  line(): Promise<string>
  bytes(count: number): Promise<Buffer>
}

function createReader(socket: Socket): Reader {
  const chunks = (socket.iterator() as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  async function more(): Promise<void> {
    const { done, value } = await chunks.next()
    if (done) throw new MailboxFault('the server ended the connection')
    rest = rest.length === 0 ? value : Buffer.concat([rest, value])
  }
  return {
    async line() {
      let end = rest.indexOf('\r\n')
      for (; end < 0; end = rest.indexOf('\r\n')) {
        if (rest.length > MAX_LINE_BYTES) throw new MailboxFault(`the server sent a line of more than ${MAX_LINE_BYTES} bytes`)
        await more()
      }
      const line = rest.subarray(0, end).toString()
      rest = rest.subarray(end + 2)
      return line
    },
    async bytes(count) {
      if (count > MAX_LITERAL_BYTES) throw new MailboxFault(`the server sent more than ${MAX_LITERAL_BYTES} bytes at once`)
      while (rest.length < count) await more()
      const bytes = Buffer.from(rest.subarray(0, count))
      rest = rest.subarray(count)
      return bytes
    },
  }
}

/** By AUTHENTICATE PLAIN, which takes any text, else by LOGIN. */
async function logIn(client: ImapClient, { user, password }: Mailbox): Promise<void> {
  const capabilities = await client.command('CAPABILITY')
  const offered = new Set(capabilities.flatMap(({ line }) => line.toUpperCase().split(' ')))
  if (offered.has('AUTH=PLAIN'))
    await client.command('AUTHENTICATE PLAIN', Buffer.from(`\0${user}\0${password}`).toString('base64'))
  else await client.command(`LOGIN ${quoted(user)} ${quoted(password)}`)
}

/** Without control characters, which the address may not have. */
export const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
