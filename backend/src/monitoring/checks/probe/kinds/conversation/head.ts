import { protocolFault } from './check-fault.ts'
import { readable } from './readable.ts'

/** The head of a response in the form of HTTP/1, as SIP and RTSP have it. */
export interface Head {
  status: number
  /** Without the version of the protocol, for people. */
  statusLine: string
  /** By lower-case name; repeated ones are joined by `, `. */
  headers: ReadonlyMap<string, string>
}

export const MAX_HEAD_LINES = 200

/** Reads the lines of a head, without the empty one after them. `versions` begins the first one, as `SIP/2.0`. */
export function parseHead(lines: readonly string[], version: RegExp, protocol: string): Head {
  const [first = '', ...fields] = lines
  const [name = '', code = ''] = first.split(' ', 2)
  if (!version.test(name) || !/^[1-9]\d\d$/.test(code)) throw protocolFault(`the target does not speak ${protocol}`)
  const headers = new Map<string, string>()
  for (const field of unfolded(fields)) {
    const colon = field.indexOf(':')
    if (colon < 1) throw protocolFault(`the target does not speak ${protocol}`)
    const key = field.slice(0, colon).trim().toLowerCase()
    const value = field.slice(colon + 1).trim()
    const before = headers.get(key)
    headers.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  return { status: Number(code), statusLine: readable(first.slice(name.length + 1)), headers }
}

/** A line that begins with a blank continues the previous one. */
function unfolded(lines: readonly string[]): string[] {
  const fields: string[] = []
  for (const line of lines) {
    if (/^[ \t]/.test(line) && fields.length > 0) fields.push(`${fields.pop()} ${line.trim()}`)
    else fields.push(line)
  }
  return fields
}

/** Reads a head from lines that arrive one by one. */
export async function readHeadLines(readLine: () => Promise<string>, protocol: string): Promise<string[]> {
  const lines: string[] = []
  for (;;) {
    const line = await readLine()
    // Empty lines before a message are skipped (RFC 3261, section 7.5).
    if (line === '' && lines.length > 0) return lines
    if (lines.length >= MAX_HEAD_LINES) throw protocolFault(`the target does not speak ${protocol}`)
    if (line !== '') lines.push(line)
    // What another protocol sends may have no end.
    if (lines.length === 1 && !/^[A-Z]+\/\d/.test(lines[0] as string))
      throw protocolFault(`the target does not speak ${protocol}`)
  }
}

/** The length of a body; of one that is too long or none a fault. */
export function bodyLengthOf({ headers }: Head, protocol: string, mostBytes = 65_536): number {
  const text = headers.get('content-length') ?? headers.get('l') ?? '0'
  if (!/^\d{1,10}$/.test(text)) throw protocolFault(`the target does not speak ${protocol}`)
  if (Number(text) > mostBytes) throw protocolFault('the target sent a message that is too large')
  return Number(text)
}
