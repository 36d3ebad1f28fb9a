import { ByteReader } from './byte-reader.ts'
import { protocolFault } from './check-fault.ts'

/** An element of BER (X.690) with its contents. */
export interface Element {
  tag: number
  contents: ByteReader
}

/** The first byte of a length in the long form has this bit, and the number of the bytes that follow. */
const LONG_FORM = 0x80
/** More than anybody reads; the length itself may begin with any number of zeros. */
const MAX_LENGTH = 0xffffff

/** The next element within another one, or within a message. */
export function elementIn(fields: ByteReader): Element {
  const [tag, first] = [fields.uint8(), fields.uint8()]
  const count = lengthBytesOf(first)
  if (count === undefined) throw malformed()
  return { tag, contents: new ByteReader(fields.bytes(count === 0 ? first : lengthIn(fields.bytes(count)))) }
}

/** The contents of the next element, which must have this tag. */
export function contentsIn(fields: ByteReader, wanted: number): ByteReader {
  const { tag, contents } = elementIn(fields)
  if (tag !== wanted) throw malformed()
  return contents
}

export const malformed = () => protocolFault('the answer is malformed')

/** The value of an integer or an enumeration; undefined where it is larger than a protocol has it. */
export function numberOf({ contents }: Element): number | undefined {
  const bytes = contents.rest()
  const from = bytes.findIndex((byte) => byte !== 0)
  const significant = from === -1 ? 1 : bytes.length - from
  return bytes.length === 0 || significant > 4 ? undefined : bytes.readUIntBE(bytes.length - significant, significant)
}

/** How many bytes with a length follow this first one; undefined for an indefinite length, which SNMP and LDAP do not have. */
export function lengthBytesOf(first: number): number | undefined {
  const count = first < LONG_FORM ? 0 : first - LONG_FORM
  return first >= LONG_FORM && (count === 0 || count === 0x7f) ? undefined : count
}

export function lengthIn(bytes: Buffer): number {
  let length = 0
  for (const byte of bytes) {
    length = length * 0x100 + byte
    if (length > MAX_LENGTH) throw protocolFault('the target sent a message that is too large')
  }
  return length
}
