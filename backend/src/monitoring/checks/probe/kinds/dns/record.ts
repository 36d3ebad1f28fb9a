import ipaddr from 'ipaddr.js'
import { presentation, readName } from './name.ts'

export interface DnsRecord {
  /** In lower case. */
  owner: string
  type: number
  ttl: number
  /** Its data as in zone files, without quotation marks; empty for types that no check requests. */
  value: string
  /** Of SOA. */
  serial?: number
}

/** Throws RangeError for a malformed record. */
export function readRecord(message: Buffer, start: number): { record: DnsRecord; end: number } {
  const { name, end: at } = readName(message, start)
  const type = message.readUInt16BE(at)
  // RFC 2181: a value with its highest bit set counts as zero.
  const ttl = message.readInt32BE(at + 4)
  const from = at + 10
  const end = from + message.readUInt16BE(at + 8)
  if (end > message.length) throw new RangeError('a record is cut short')
  const data = READERS[type]?.(message, from, end) ?? { value: '', next: end }
  if (data.next !== end) throw new RangeError('a record has another length than it says')
  const { value, serial } = data
  return {
    record: { owner: name.toLowerCase(), type, ttl: Math.max(0, ttl), value, ...(serial !== undefined && { serial }) },
    end,
  }
}

type Reader = (message: Buffer, from: number, end: number) => { value: string; next: number; serial?: number }

const address =
  (bytes: number): Reader =>
  (message, from, end) => {
    if (end - from !== bytes) throw new RangeError('an address has another length')
    return { value: ipaddr.fromByteArray([...message.subarray(from, end)]).toString(), next: end }
  }

/** A server may repeat the random case of the question in any name. */
const nameOf = (text: string): string => (text === '' ? '.' : text.toLowerCase())

/** So many numbers of 16 bits, and a name. */
const numbersAndName =
  (count: number): Reader =>
  (message, from) => {
    const numbers = Array.from({ length: count }, (_, index) => message.readUInt16BE(from + 2 * index))
    const { name, end } = readName(message, from + 2 * count)
    return { value: [...numbers, nameOf(name)].join(' '), next: end }
  }

const name: Reader = (message, from) => {
  const target = readName(message, from)
  return { value: nameOf(target.name), next: target.end }
}

const UNPRINTABLE = /[^ -~]|[\\"]/g

const text: Reader = (message, from, end) => {
  const parts: Buffer[] = []
  let at = from
  while (at < end) {
    const next = at + 1 + message.readUInt8(at)
    parts.push(message.subarray(at + 1, Math.min(next, end)))
    at = next
  }
  return { value: presentation(Buffer.concat(parts), UNPRINTABLE), next: at }
}

const soa: Reader = (message, from) => {
  const primary = readName(message, from)
  const mailbox = readName(message, primary.end)
  const numbers = Array.from({ length: 5 }, (_, index) => message.readUInt32BE(mailbox.end + 4 * index))
  return {
    value: [nameOf(primary.name), nameOf(mailbox.name), ...numbers].join(' '),
    next: mailbox.end + 20,
    serial: numbers[0] as number,
  }
}

const caa: Reader = (message, from, end) => {
  const tagEnd = from + 2 + message.readUInt8(from + 1)
  if (tagEnd > end) throw new RangeError('a tag is cut short')
  const tag = presentation(message.subarray(from + 2, tagEnd), UNPRINTABLE)
  return { value: `${message.readUInt8(from)} ${tag} "${presentation(message.subarray(tagEnd, end), UNPRINTABLE)}"`, next: end }
}

/** By type. */
const READERS: Partial<Record<number, Reader>> = {
  1: address(4),
  2: name,
  5: name,
  6: soa,
  12: name,
  15: numbersAndName(1),
  16: text,
  28: address(16),
  33: numbersAndName(3),
  257: caa,
}
