/** The head of a response: status line and fields. */
export interface Head {
  minorVersion: 0 | 1
  statusCode: number
  statusLine: string
  /** By lower-case name; repeated fields are joined by `, `. */
  headers: Map<string, string>
}

/** A violation of HTTP by the response. */
export class ProtocolFault extends Error {}

/** Limit of a head, and of the trailers: more than browsers accept, and harmless for memory. */
export const MAX_HEAD_BYTES = 65_536

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/**
 * Parses a head up to its empty line. Lenient where browsers are: bare line feeds, folded lines, lines that are not fields.
 * Strict where leniency would change the end of the body.
 */
export function parseHead(text: string): Head {
  const lines = text.split('\n')
  const statusLine = withoutReturn(lines[0] as string)
  const [, minor, status] = STATUS_LINE.exec(statusLine) ?? []
  if (status === undefined) throw new ProtocolFault(notHttp(text))
  return { minorVersion: minor === '0' ? 0 : 1, statusCode: Number(status), statusLine, headers: parseFields(lines) }
}

function parseFields(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  let last: string | undefined
  for (let index = 1; index < lines.length; index++) {
    const line = withoutReturn(lines[index] as string)
    if (line === '') continue
    if (line.startsWith(' ') || line.startsWith('\t')) {
      if (last !== undefined) headers.set(last, `${headers.get(last)} ${line.trim()}`)
      continue
    }
    last = addField(headers, line)
  }
  return headers
}

function addField(headers: Map<string, string>, line: string): string | undefined {
  const colon = line.indexOf(':')
  const name = line.slice(0, colon === -1 ? line.length : colon).toLowerCase()
  if (colon === -1 || !TOKEN.test(name)) {
    // `Content-Length : 5` is read differently by different parsers, which then see different bodies.
    if (/^\s*(?:content-length|transfer-encoding)\b/.test(name)) throw new ProtocolFault(`the answer has a broken ${name.trim()}`)
    return undefined
  }
  const value = line.slice(colon + 1).trim()
  const before = headers.get(name)
  headers.set(name, before === undefined ? value : `${before}, ${value}`)
  return name
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)

/** Guesses the protocol on that port, for the message. */
export function notHttp(start: string): string {
  // A TLS alert or handshake record.
  if (start.startsWith('\x15\x03') || start.startsWith('\x16\x03'))
    return 'the target answers in TLS: the URL should begin with https'
  if (start.startsWith('SSH-')) return 'the target answers in SSH, not in HTTP'
  if (/^\d{3}[ -]/.test(start)) return 'the target answers like a mail or file server, not in HTTP'
  return 'the target does not answer in HTTP/1.1'
}

const HTTP = Buffer.from('HTTP/1.')

/** True while these bytes may begin a response: other protocols fail before a complete head. */
export function mayBeHttp(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, HTTP.length)
  return bytes.compare(HTTP, 0, length, 0, length) === 0
}

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
