import type { Piece } from './lines.ts'
import { readMail } from './read-mail.ts'
import type { ReceivedAlert } from '../formats/format.ts'

/** What became of an alert: stored for good, for a token that nobody has, or over the rate of its source. */
export type Delivered = 'stored' | 'unknown' | 'limited'
export type Deliver = (token: string, alert: ReceivedAlert) => Promise<Delivered>

/** Of a mail, attachments included: the beginning is read, the rest only counted. */
export const MAX_MAIL_BYTES = 26_214_400
const MAX_READ_BYTES = 1_048_576
export const MAX_RECIPIENTS = 100
const MAX_COMMAND_BYTES = 2_048
/** Commands that are none, before the connection ends. */
const MAX_ERRORS = 20

/** `alerts+vdt_in_…@`: the part after the plus is the token. */
const RECIPIENT = /^to:\s{0,10}<alerts\+([\w-]{8,120})@[^\s<>@]{1,255}>(?:\s.*)?$/i
const SENDER = /^from:\s{0,10}<[^\s<>]{0,320}>(?:\s.*)?$/i
const DOT = 0x2e
const LINE_END = Buffer.from('\r\n')
const TOO_LARGE = '552 5.3.4 The mail must have at most 26,214,400 bytes'
const EXTENSIONS = [
  '250-vedette',
  '250-PIPELINING',
  '250-ENHANCEDSTATUSCODES',
  '250-8BITMIME',
  '250-SMTPUTF8',
  `250 SIZE ${MAX_MAIL_BYTES}`,
] as const

const REPLIES: Readonly<Record<Delivered | 'failed', string>> = {
  stored: '250 2.0.0 The alert is stored',
  unknown: '550 5.1.1 No alert source has this address',
  limited: '452 4.3.1 Too many alerts for this address, try again later',
  failed: '451 4.3.0 The alert could not be stored, try again later',
}

interface Mail {
  tokens: string[]
  /** Undefined until DATA. */
  data?: { kept: Buffer; keptBytes: number; bytes: number; startsLine: boolean }
}

interface Session {
  deliver: Deliver
  isGreeted: boolean
  mail: Mail | undefined
  errors: number
}

/**
 * LMTP (RFC 2033) from the view of the server: each piece that a client sends gives the replies to it, without their ends. A recipient
 * is accepted once its alert is stored, and each has a reply of its own. The connection ends after one that begins with 221 or 421.
 */
export function createConversation({ deliver }: { deliver: Deliver }): (piece: Piece) => Promise<string[]> {
  const session: Session = { deliver, isGreeted: false, mail: undefined, errors: 0 }
  return async (piece) => {
    if (session.mail?.data) return receive(session, { ...session.mail, data: session.mail.data }, piece)
    if (!piece.ends || piece.bytes.length > MAX_COMMAND_BYTES) return ['421 4.5.2 The line is too long']
    return command(session, piece.bytes.toString('utf8'))
  }
}

function command(session: Session, line: string): string[] {
  const [, verb = '', argument = ''] = /^(\S{1,20})(?:\s+(.*))?$/.exec(line.trimEnd()) ?? []
  switch (verb.toUpperCase()) {
    case 'LHLO':
      session.isGreeted = true
      session.mail = undefined
      return [...EXTENSIONS]
    case 'MAIL':
      return startMail(session, argument)
    case 'RCPT':
      return addRecipient(session, argument)
    case 'DATA':
      return startData(session)
    case 'RSET':
      session.mail = undefined
      return ['250 2.0.0 OK']
    case 'NOOP':
      return ['250 2.0.0 OK']
    case 'VRFY':
      return ['252 2.5.0 Send a mail to find out']
    case 'QUIT':
      return ['221 2.0.0 Bye']
    default:
      return refuse(session, '500 5.5.1 This server speaks LMTP: LHLO, MAIL, RCPT, DATA, RSET, NOOP, VRFY, QUIT')
  }
}

function refuse(session: Session, reply: string): string[] {
  session.errors += 1
  return session.errors > MAX_ERRORS ? [reply, '421 4.7.0 Too many errors'] : [reply]
}

function startMail(session: Session, argument: string): string[] {
  if (!session.isGreeted) return refuse(session, '503 5.5.1 LHLO first')
  if (session.mail) return refuse(session, '503 5.5.1 One mail at a time')
  if (!SENDER.test(argument)) return refuse(session, '501 5.5.4 MAIL FROM:<address>')
  const size = /\ssize=(\d{1,20})/i.exec(argument)?.[1]
  if (Number(size ?? 0) > MAX_MAIL_BYTES) return [TOO_LARGE]
  session.mail = { tokens: [] }
  return ['250 2.1.0 OK']
}

function addRecipient(session: Session, argument: string): string[] {
  const { mail } = session
  if (!mail) return refuse(session, '503 5.5.1 MAIL first')
  const token = RECIPIENT.exec(argument)?.[1]
  if (token === undefined) return refuse(session, '550 5.1.1 The address must be alerts+TOKEN@')
  if (mail.tokens.length === MAX_RECIPIENTS) return ['452 4.5.3 Too many recipients: 100 at most']
  mail.tokens.push(token)
  return ['250 2.1.5 OK']
}

function startData(session: Session): string[] {
  const { mail } = session
  if (!mail || mail.tokens.length === 0) return refuse(session, '503 5.5.1 No valid recipients')
  mail.data = { kept: Buffer.allocUnsafe(MAX_READ_BYTES), keptBytes: 0, bytes: 0, startsLine: true }
  return ['354 End with a line of one dot']
}

async function receive(session: Session, mail: Required<Mail>, { bytes, ends }: Piece): Promise<string[]> {
  const { data } = mail
  const isDotted = data.startsLine && bytes[0] === DOT
  if (isDotted && ends && bytes.length === 1) {
    session.mail = undefined
    return endMail(session.deliver, mail)
  }
  // A line that begins with a dot has a second one in front (RFC 5321, 4.5.2).
  const content = isDotted ? bytes.subarray(1) : bytes
  data.bytes += content.length + (ends ? LINE_END.length : 0)
  data.keptBytes += content.copy(data.kept, data.keptBytes)
  if (ends) data.keptBytes += LINE_END.copy(data.kept, data.keptBytes)
  data.startsLine = ends
  return []
}

async function endMail(deliver: Deliver, { tokens, data }: Required<Mail>): Promise<string[]> {
  if (data.bytes > MAX_MAIL_BYTES) return tokens.map(() => TOO_LARGE)
  const alert = readMail(data.kept.subarray(0, data.keptBytes))
  const replies: string[] = []
  for (const token of tokens) replies.push(REPLIES[await deliver(token, alert).catch(() => 'failed' as const)])
  return replies
}
