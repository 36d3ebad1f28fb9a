import type { Connection } from '../../connect/connection.ts'
import { codeOf, type Fault } from '../../phases/fault.ts'
import type { Timeline } from '../../phases/timeline.ts'

/**
 * What a server's bytes mean, from the first one that has not been used: undefined while more are needed. Without `next` the server is
 * ready for TLS.
 */
type Step = (received: Buffer) => { used: number; send?: string | Buffer; next?: Step } | { fault: string } | undefined

interface Protocol {
  port: number
  /** Sent once the connection is open. */
  first?: Buffer
  step: Step
}

/** A server that sends more before TLS is none of these. */
const MAX_BYTES = 16_384
const REFUSED = 'the server does not offer STARTTLS'

/** The first complete reply of a line protocol: its lines, and where it ends. `isLast` decides by a line. */
function readLines(received: Buffer, isLast: (line: string) => boolean): { lines: string[]; used: number } | undefined {
  const lines: string[] = []
  for (let at = 0; ; ) {
    const end = received.indexOf('\n', at)
    if (end < 0) return undefined
    const line = received.toString('latin1', at, end).replace(/\r$/, '')
    lines.push(line)
    at = end + 1
    if (isLast(line)) return { lines, used: at }
  }
}

const anyLine = () => true

/** Sends a line when a reply is as expected. */
const dialog =
  (isLast: (line: string) => boolean, expected: RegExp, send?: string, next?: Step): Step =>
  (received) => {
    const reply = readLines(received, isLast)
    if (!reply) return undefined
    if (!reply.lines.some((line) => expected.test(line))) return { fault: REFUSED }
    return { used: reply.used, ...(send !== undefined && { send }), ...(next && { next }) }
  }

const smtpEnd = (line: string) => !/^\d{3}-/.test(line)
const smtp = dialog(
  smtpEnd,
  /^220/,
  'EHLO vedette.invalid\r\n',
  dialog(smtpEnd, /^250[ -]STARTTLS\b/i, 'STARTTLS\r\n', dialog(smtpEnd, /^220/)),
)
const imapEnd = (line: string) => !line.startsWith('* ')
const imap = dialog(anyLine, /^\* OK\b/i, 'a STARTTLS\r\n', dialog(imapEnd, /^a OK\b/i))
const pop3 = dialog(anyLine, /^\+OK/, 'STLS\r\n', dialog(anyLine, /^\+OK/))

/** RFC 4511: an extended request for 1.3.6.1.4.1.1466.20037, as message 1. */
const LDAP_REQUEST = Buffer.concat([Buffer.from('301d02010177188016', 'hex'), Buffer.from('1.3.6.1.4.1.1466.20037')])

const ldap: Step = (received) => {
  if (received.length < 2) return undefined
  const size = received.readUInt8(1)
  const lengthBytes = size < 0x80 ? 0 : size - 0x80
  if (received[0] !== 0x30 || lengthBytes > 2) return { fault: 'the server does not speak LDAP' }
  if (received.length < 2 + lengthBytes) return undefined
  const from = 2 + lengthBytes
  const used = from + (lengthBytes === 0 ? size : received.readUIntBE(2, lengthBytes))
  if (received.length < used) return undefined
  // Message 1, an extended response whose result code is success.
  const isSuccess = /^02010178(?:81)?..0a0100/.test(received.toString('hex', from, used))
  return isSuccess ? { used } : { fault: REFUSED }
}

/** Length 8, and the number that stands for TLS. */
const POSTGRES_REQUEST = Buffer.from('0000000804d2162f', 'hex')

const postgres: Step = (received) =>
  received.length === 0 ? undefined : received[0] === 0x53 ? { used: 1 } : { fault: 'the server does not offer TLS' }

const MYSQL_SSL = 0x0800
/** A packet of 32 bytes: protocol 4.1, TLS and its kind of login. */
const MYSQL_REQUEST = Buffer.concat([Buffer.from('20000001008a00000000000121', 'hex'), Buffer.alloc(23)])

const mysql: Step = (received) => {
  if (received.length < 4) return undefined
  const used = 4 + received.readUIntLE(0, 3)
  if (used > MAX_BYTES) return { fault: 'the server does not speak MySQL' }
  if (received.length < used) return undefined
  const endOfVersion = received.indexOf(0, 5)
  const capabilitiesAt = endOfVersion + 1 + 4 + 8 + 1
  if (received[4] !== 10 || endOfVersion < 0 || capabilitiesAt + 2 > used) return { fault: 'the server refused the connection' }
  const isOffered = (received.readUInt16LE(capabilitiesAt) & MYSQL_SSL) !== 0
  return isOffered ? { used, send: MYSQL_REQUEST } : { fault: 'the server does not offer TLS' }
}

export const STARTTLS = {
  smtp: { port: 587, step: smtp },
  imap: { port: 143, step: imap },
  pop3: { port: 110, step: pop3 },
  ldap: { port: 389, first: LDAP_REQUEST, step: ldap },
  postgres: { port: 5_432, first: POSTGRES_REQUEST, step: postgres },
  mysql: { port: 3_306, step: mysql },
} as const satisfies Record<string, Protocol>

/**
 * Speaks in plain text until the server is ready for TLS; the time is part of the phase `tls`. Bytes that come with its last reply are
 * refused: somebody on the way may have injected them. Calls `done` once, unless the connection is closed before.
 */
export function negotiate(
  { first, step }: Protocol,
  connection: Connection,
  timeline: Timeline,
  done: (fault?: Fault) => void,
): void {
  let received: Buffer = Buffer.alloc(0)
  let current: Step = step
  const finish = (message?: string) => {
    timeline.endByEvent()
    connection.onBytes = () => {}
    connection.onEnd = () => {}
    done(message === undefined ? undefined : { code: 'protocol', message })
  }
  const advance = (): void => {
    const progress = current(received)
    if (!progress) return received.length >= MAX_BYTES ? finish('the server sends too much before TLS') : undefined
    if ('fault' in progress) return finish(progress.fault)
    received = received.subarray(progress.used)
    // Nothing may follow a reply that this side has to answer first, nor the last one.
    if (received.length > 0) return finish('the server sent bytes that nobody requested before TLS')
    if (progress.send !== undefined) connection.socket.write(progress.send)
    if (!progress.next) return finish()
    current = progress.next
  }
  connection.onBytes = (bytes) => {
    received = Buffer.concat([received, bytes.subarray(0, MAX_BYTES - received.length)])
    advance()
  }
  connection.onEnd = () => finish('the server closed the connection before TLS')
  connection.onError = (error) => finish(`the connection failed before TLS (${codeOf(error) || error.message})`)
  timeline.begin('tls')
  if (first) connection.socket.write(first)
}
