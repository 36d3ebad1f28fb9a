import { type Fields, readFields } from './fields.ts'

/** The head of a response: status line and fields. */
export interface Head extends Fields {
  minorVersion: 0 | 1
  statusCode: number
  statusLine: string
}

/** A violation of HTTP by the response. */
export class ProtocolFault extends Error {}

/** Limit of a head, and of the trailers: more than browsers accept, and harmless for memory. */
export const MAX_HEAD_BYTES = 65_536

/** Radio servers (SHOUTcast) write ICY in the place of HTTP/1.0. */
const STATUS_LINE = /^(?:HTTP\/1\.([01])|ICY) ([1-9]\d\d)(?: |$)/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/**
 * Parses a head up to its empty line. Lenient where browsers are: bare line feeds, folded lines, lines that are not fields.
 * Strict where leniency would change the end of the body.
 */
export function parseHead(text: string): Head {
  const [first = '', ...lines] = text.split('\n')
  const statusLine = first.endsWith('\r') ? first.slice(0, -1) : first
  const [, minor, status] = STATUS_LINE.exec(statusLine) ?? []
  if (status === undefined) throw new ProtocolFault(notHttp(text))
  return { minorVersion: minor === '1' ? 1 : 0, statusCode: Number(status), statusLine, ...parseFields(lines) }
}

/** The fields in these lines, for HTTP/1. Throws for a broken field that would change the end of the body. */
export const parseFields = (lines: readonly string[]): Fields => readFields(lines, tokenOf)

function tokenOf(before: string, hasColon: boolean): string | undefined {
  const name = before.toLowerCase()
  if (hasColon && TOKEN.test(name)) return name
  // `Content-Length : 5` is read differently by different parsers, which then see different bodies.
  if (/^\s*(?:content-length|transfer-encoding)\b/.test(name)) throw new ProtocolFault(`the answer has a broken ${name.trim()}`)
  return undefined
}

/** Guesses the protocol on that port, for the message. */
export function notHttp(start: string): string {
  // A TLS alert or handshake record.
  if (start.startsWith('\x15\x03') || start.startsWith('\x16\x03'))
    return 'the target answers in TLS: the URL should begin with https'
  if (start.startsWith('SSH-')) return 'the target answers in SSH, not in HTTP'
  if (/^\d{3}[ -]/.test(start)) return 'the target answers like a mail or file server, not in HTTP'
  return 'the target does not answer in HTTP/1.1'
}

const BEGINNINGS = ['HTTP/1.', 'ICY '].map((text) => Buffer.from(text))

/** True while these bytes may begin a response: other protocols fail before a complete head. */
export const mayBeHttp = (bytes: Buffer): boolean =>
  BEGINNINGS.some((beginning) => {
    const length = Math.min(bytes.length, beginning.length)
    return bytes.compare(beginning, 0, length, 0, length) === 0
  })

/** A radio stream has no end, so its body is not awaited. */
export const isStream = ({ statusLine, headers }: Pick<Head, 'statusLine' | 'headers'>): boolean =>
  !headers.has('content-length') && (statusLine.startsWith('ICY ') || headers.keys().some((name) => name.startsWith('icy-')))

/** HTTP/2 begins with a SETTINGS frame. */
export const isHttp2 = (bytes: Buffer): boolean => bytes.length >= 5 && bytes[0] === 0 && bytes[3] === 4

/** The position after a head's empty line, -1 when it is incomplete. */
export function endOfHead(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(10, from); at !== -1; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at + 2
    if (bytes[at + 1] === 13 && bytes[at + 2] === 10) return at + 3
  }
  return -1
}
