import { readName } from './name.ts'
import { type DnsRecord, readRecord } from './record.ts'

/** RFC 1035. */
const HEADER_BYTES = 12
const RECURSION_DESIRED = 0x0100
/** In a query: the client understands the AD bit (RFC 6840). */
const AUTHENTIC_DATA = 0x0020
const RESPONSE = 0x8000
const TRUNCATED = 0x0200
const CLASS_INTERNET = 1
const TYPE_OPT = 41
/** What fits into every path without fragments (RFC 9715). */
const UDP_PAYLOAD_BYTES = 1_232
/** A real answer has a few; each record that is read takes time of the thread. */
const MAX_RECORDS = 256

export interface Question {
  id: number
  /** With letters in a random case, which an answer repeats. */
  name: string
  type: number
  recursion: boolean
  /** Whether the query has an OPT record (RFC 6891). */
  hasEdns: boolean
}

export function encodeQuery({ id, name, type, recursion, hasEdns }: Question): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE((recursion ? RECURSION_DESIRED : 0) | AUTHENTIC_DATA, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(hasEdns ? 1 : 0, 10)
  const labels = name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')])
  const question = Buffer.from([0, type >> 8, type & 0xff, 0, CLASS_INTERNET])
  const options = Buffer.from([0, 0, TYPE_OPT, UDP_PAYLOAD_BYTES >> 8, UDP_PAYLOAD_BYTES & 0xff, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([header, ...labels, question, ...(hasEdns ? [options] : [])])
}

/**
 * The question of a query before which so many were not answered. Some servers and firewalls drop queries with EDNS, so each third try
 * has none; one that was only lost is repeated with it. Pure.
 */
export const questionOfTry = (question: Question, tries: number): Question =>
  tries % 3 === 2 ? { ...question, hasEdns: false } : question

export interface DnsAnswer {
  rcode: number
  isTruncated: boolean
  isAuthenticated: boolean
  /** The answer section, in its order. */
  records: readonly DnsRecord[]
  /** False: the question is repeated in another case, which somebody who guesses may do. */
  isSameCase: boolean
}

const FORMERR = 1
const SERVFAIL = 2
const NOTIMP = 4

/**
 * Whether a message says that the server does not know EDNS (RFC 6891, section 7): by its code, or by a header without the question.
 * SERVFAIL says so only without a record in its additional section: a server that knows EDNS puts OPT there. Pure.
 */
export function refusesEdns(message: Buffer, { id, hasEdns }: Question): boolean {
  if (!hasEdns || message.length < HEADER_BYTES || message.readUInt16BE(0) !== id) return false
  const flags = message.readUInt16BE(2)
  if ((flags & RESPONSE) === 0) return false
  const rcode = flags & 0x000f
  const hasQuestion = message.length > HEADER_BYTES && message.readUInt16BE(4) > 0
  const hasOptions = message.readUInt16BE(10) > 0
  return !hasQuestion || rcode === FORMERR || rcode === NOTIMP || (rcode === SERVFAIL && !hasOptions)
}

/**
 * The answer to a question. Undefined for a message that is none: it is ignored, because anyone can send one. Throws RangeError for an
 * answer that is malformed.
 */
export function decodeAnswer(message: Buffer, question: Question): DnsAnswer | undefined {
  if (message.length < HEADER_BYTES || message.readUInt16BE(0) !== question.id) return undefined
  const flags = message.readUInt16BE(2)
  if ((flags & RESPONSE) === 0) return undefined
  const rcode = flags & 0x000f
  const isTruncated = (flags & TRUNCATED) !== 0
  const isAuthenticated = (flags & AUTHENTIC_DATA) !== 0
  // Servers that do not understand a query repeat no question, and some send the header alone.
  if ((message.readUInt16BE(4) === 0 || message.length === HEADER_BYTES) && rcode !== 0)
    return { rcode, isTruncated, isAuthenticated, records: [], isSameCase: false }
  const repeated = readQuestion(message)
  if (repeated?.type !== question.type || repeated.name.toLowerCase() !== question.name.toLowerCase()) return undefined
  const records: DnsRecord[] = []
  const count = isTruncated ? 0 : Math.min(message.readUInt16BE(6), MAX_RECORDS)
  for (let at = repeated.end; records.length < count; ) {
    const { record, end } = readRecord(message, at)
    records.push(record)
    at = end
  }
  return { rcode, isTruncated, isAuthenticated, records, isSameCase: repeated.name === question.name }
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } | undefined {
  if (message.readUInt16BE(4) !== 1) return undefined
  try {
    const { name, end } = readName(message, HEADER_BYTES)
    return message.readUInt16BE(end + 2) === CLASS_INTERNET ? { name, type: message.readUInt16BE(end), end: end + 4 } : undefined
  } catch {
    return undefined
  }
}

const RCODES = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
]

export const rcodeName = (rcode: number): string => RCODES[rcode] ?? `RCODE${rcode}`

/** The records of a type that belong to a name, by way of its aliases (CNAME) unless these are requested. Pure. */
export function answersOf(records: readonly DnsRecord[], name: string, type: number): DnsRecord[] {
  const names = new Set([name.toLowerCase()])
  if (type === TYPE_CNAME) return records.filter((record) => record.type === type && names.has(record.owner))
  // An alias may come after what it leads to; there are as many steps as records at most.
  for (let size = 0; size < names.size; ) {
    size = names.size
    for (const record of records) if (record.type === TYPE_CNAME && names.has(record.owner)) names.add(record.value.toLowerCase())
  }
  return records.filter((record) => record.type === type && names.has(record.owner))
}

const TYPE_CNAME = 5
