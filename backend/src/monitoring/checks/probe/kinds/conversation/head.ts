import { readFields } from '../../http/fields.ts'
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

/** Of each of at most MAX_LINE_BYTES (conversation.ts). */
const MAX_HEAD_LINES = 200

/** Reads the lines of a head, without the empty one after them. `versions` begins the first one, as `SIP/2.0`. */
export function parseHead(lines: readonly string[], version: RegExp, protocol: string): Head {
  const [first = '', ...fields] = lines
  const [name = '', code = ''] = first.split(' ', 2)
  if (!version.test(name) || !/^[1-9]\d\d$/.test(code)) throw protocolFault(`the target does not speak ${protocol}`)
  const { headers } = readFields(fields, (before, hasColon) => {
    if (!hasColon || before === '') throw protocolFault(`the target does not speak ${protocol}`)
    return before.trim().toLowerCase()
  })
  return { status: Number(code), statusLine: readable(first.slice(name.length + 1)), headers }
}

/** Reads a head from lines that arrive one by one. */
export async function readHeadLines(readLine: () => Promise<string>, protocol: string): Promise<string[]> {
  let first = ''
  // Empty lines before a message are skipped (RFC 3261, section 7.5).
  while (first === '') first = await readLine()
  // What another protocol sends may have no end.
  if (!/^[A-Z]+\/\d/.test(first)) throw protocolFault(`the target does not speak ${protocol}`)
  return [first, ...(await readFieldLines(readLine))]
}

/** The lines after the first one of a head, up to its empty line. */
export async function readFieldLines(readLine: () => Promise<string>): Promise<string[]> {
  const lines: string[] = []
  for (let line = await readLine(); line !== ''; line = await readLine()) {
    if (lines.length >= MAX_HEAD_LINES) throw protocolFault(`the head of the answer has more than ${MAX_HEAD_LINES} lines`)
    lines.push(line)
  }
  return lines
}

/** The length of a body; of one that is too long or none a fault. */
export function bodyLengthOf({ headers }: Head, protocol: string, mostBytes = 65_536): number {
  const text = headers.get('content-length') ?? headers.get('l') ?? '0'
  if (!/^\d{1,10}$/.test(text)) throw protocolFault(`the target does not speak ${protocol}`)
  if (Number(text) > mostBytes) throw protocolFault('the target sent a message that is too large')
  return Number(text)
}
