import { ByteReader } from '../conversation/byte-reader.ts'
import { protocolFault } from '../conversation/check-fault.ts'

/** Documents of BSON 1.1 (bsonspec.org), as far as commands need them, and as JSON shows them. */

export type Sent = number | string | boolean | Buffer | { readonly [name: string]: Sent }
export type Read = number | string | boolean | null | Buffer | Read[] | { [name: string]: Read }
export type ReadDocument = Record<string, Read>

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}
const cstring = (text: string): Buffer => Buffer.concat([Buffer.from(text), Buffer.alloc(1)])

function encodeElement(name: string, value: Sent): Buffer {
  const element = (type: number, ...parts: Buffer[]) => Buffer.concat([Buffer.from([type]), cstring(name), ...parts])
  if (typeof value === 'number') return element(0x10, int32(value))
  if (typeof value === 'string') return element(0x02, int32(Buffer.byteLength(value) + 1), cstring(value))
  if (typeof value === 'boolean') return element(0x08, Buffer.from([Number(value)]))
  return Buffer.isBuffer(value)
    ? element(0x05, int32(value.length), Buffer.alloc(1), value)
    : element(0x03, encodeDocument(value))
}

/** Numbers are 32-bit integers. */
export function encodeDocument(document: Readonly<Record<string, Sent>>): Buffer {
  const elements = Buffer.concat(Object.entries(document).map(([name, value]) => encodeElement(name, value)))
  return Buffer.concat([int32(elements.length + 5), elements, Buffer.alloc(1)])
}

/** No answer that is read has that many levels. */
const MAX_DEPTH = 20

export function decodeDocument(fields: ByteReader, depth = 0): ReadDocument {
  return Object.fromEntries(elementsOf(fields, depth))
}

function elementsOf(outer: ByteReader, depth: number): [string, Read][] {
  if (depth > MAX_DEPTH) throw protocolFault('the target sent a document of too many levels')
  const length = outer.uint32Le()
  if (length < 5) throw protocolFault('the target sent a document that is cut short')
  const fields = new ByteReader(outer.bytes(length - 4))
  const elements: [string, Read][] = []
  while (fields.left > 1) {
    const type = fields.uint8()
    const name = fields.text()
    elements.push([name, decodeValue(type, fields, depth)])
  }
  return elements
}

/** Numbers that JSON cannot hold become texts. */
const int64Of = (bytes: Buffer): number | string => {
  const value = bytes.readBigInt64LE()
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

function dateOf(bytes: Buffer): string | number {
  const date = new Date(Number(bytes.readBigInt64LE()))
  return Number.isNaN(date.getTime()) ? int64Of(bytes) : date.toISOString()
}

function withoutNul(fields: ByteReader): string {
  const bytes = fields.bytes(fields.uint32Le())
  return bytes.toString('utf8', 0, bytes.length - 1)
}

function binaryOf(fields: ByteReader): Buffer {
  const length = fields.uint32Le()
  fields.uint8()
  return fields.bytes(length)
}

function numberOf(bytes: Buffer): number | string {
  const value = bytes.readDoubleLE()
  return Number.isFinite(value) ? value : String(value)
}

const nothing = () => null
const hex = (count: number) => (fields: ByteReader) => fields.bytes(count).toString('hex')
const pattern = (fields: ByteReader) => `/${fields.text()}/${fields.text()}`

/** By type; the obsolete pointer and code with scope are in no answer of a command. */
const VALUES: Readonly<Record<number, (fields: ByteReader, depth: number) => Read>> = {
  0x01: (fields) => numberOf(fields.bytes(8)),
  0x02: withoutNul,
  0x03: (fields, depth) => decodeDocument(fields, depth + 1),
  0x04: (fields, depth) => elementsOf(fields, depth + 1).map(([, value]) => value),
  0x05: binaryOf,
  0x06: nothing,
  0x07: hex(12),
  0x08: (fields) => fields.uint8() !== 0,
  0x09: (fields) => dateOf(fields.bytes(8)),
  0x0a: nothing,
  0x0b: pattern,
  0x0d: withoutNul,
  0x0e: withoutNul,
  0x10: (fields) => fields.bytes(4).readInt32LE(),
  0x11: hex(8),
  0x12: (fields) => int64Of(fields.bytes(8)),
  0x13: hex(16),
  0x7f: nothing,
  0xff: nothing,
}

function decodeValue(type: number, fields: ByteReader, depth: number): Read {
  const read = VALUES[type]
  if (!read) throw protocolFault(`the target sent a value of a type that the probe does not have (${type})`)
  return read(fields, depth)
}
