import ipaddr from 'ipaddr.js'
import { presentation, readName } from './name.ts'

export interface DnsRecord {
  /** In lower case. */
  owner: string
  type: number
  ttl: number
  /** Its data as in zone files, without quotation marks; empty for types that no check requests. */
  value: string
  /** In the value. */
  addresses?: readonly string[]
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
  const { next, ...data } = READERS[type]?.(message, from, end) ?? { value: '', next: end }
  if (next !== end) throw new RangeError('a record has another length than it says')
  return { record: { owner: name.toLowerCase(), type, ttl: Math.max(0, ttl), ...data }, end }
}

type RecordData = Pick<DnsRecord, 'value' | 'addresses' | 'serial'> & { next: number }
type Reader = (message: Buffer, from: number, end: number) => RecordData

const address =
  (bytes: number): Reader =>
  (message, from, end) => {
    if (end - from !== bytes) throw new RangeError('an address has another length')
    const value = addressOf(message.subarray(from, end))
    return { value, addresses: [value], next: end }
  }

const addressOf = (bytes: Buffer): string => ipaddr.fromByteArray([...bytes]).toString()

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

/** So many numbers of one byte behind a number of 16 bits if `isTagged`, and a digest in hexadecimal digits. */
const numbersAndDigest =
  (count: number, isTagged = false): Reader =>
  (message, from, end) => {
    const tag = isTagged ? [message.readUInt16BE(from)] : []
    const at = from + 2 * tag.length
    if (at + count > end) throw new RangeError('a digest is cut short')
    const digest = message.toString('hex', at + count, end).toUpperCase()
    return { value: [...tag, ...message.subarray(at, at + count), digest].join(' '), next: end }
  }

/** RFC 9460: a priority, a name and parameters. */
const service: Reader = (message, from, end) => {
  const { value: target, next } = numbersAndName(1)(message, from, end)
  const texts = [target]
  const addresses: string[] = []
  let at = next
  while (at < end) {
    const key = message.readUInt16BE(at)
    const begin = at + 4
    at = begin + message.readUInt16BE(at + 2)
    if (at > end) throw new RangeError('a parameter is cut short')
    const parameter = PARAMETERS[key] ?? { name: `key${key}` }
    const value = message.subarray(begin, at)
    const items = (parameter.items ?? quoted)(value)
    if (parameter.items === ipv4 || parameter.items === ipv6) addresses.push(...items)
    texts.push(items.length === 0 ? parameter.name : `${parameter.name}=${items.join(',')}`)
  }
  return { value: texts.join(' '), ...(addresses.length > 0 && { addresses }), next: at }
}

/** The texts of the value of a parameter. */
type Items = (value: Buffer) => string[]

const pieces = (value: Buffer, bytes: number): Buffer[] => {
  if (value.length % bytes !== 0) throw new RangeError('a parameter has another length')
  return Array.from({ length: value.length / bytes }, (_, index) => value.subarray(index * bytes, (index + 1) * bytes))
}
const quoted: Items = (value) => (value.length === 0 ? [] : [`"${presentation(value, UNPRINTABLE)}"`])
const ipv4: Items = (value) => pieces(value, 4).map(addressOf)
const ipv6: Items = (value) => pieces(value, 16).map(addressOf)
const protocols: Items = (value) => {
  const names: string[] = []
  for (let at = 0; at < value.length; ) {
    const next = at + 1 + value.readUInt8(at)
    if (next > value.length) throw new RangeError('a protocol is cut short')
    names.push(presentation(value.subarray(at + 1, next), UNPRINTABLE))
    at = next
  }
  return [`"${names.join(',')}"`]
}

/** By key. */
const PARAMETERS: Partial<Record<number, { name: string; items?: Items }>> = {
  0: {
    name: 'mandatory',
    items: (value) => pieces(value, 2).map((key) => PARAMETERS[key.readUInt16BE()]?.name ?? `key${key.readUInt16BE()}`),
  },
  1: { name: 'alpn', items: protocols },
  2: { name: 'no-default-alpn' },
  3: { name: 'port', items: (value) => pieces(value, 2).map((port) => String(port.readUInt16BE())) },
  4: { name: 'ipv4hint', items: ipv4 },
  5: { name: 'ech', items: (value) => [value.toString('base64')] },
  6: { name: 'ipv6hint', items: ipv6 },
  7: { name: 'dohpath' },
  8: { name: 'ohttp' },
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
  43: numbersAndDigest(2, true),
  52: numbersAndDigest(3),
  64: service,
  65: service,
  257: caa,
}
