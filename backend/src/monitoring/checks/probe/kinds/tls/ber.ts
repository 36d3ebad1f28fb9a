import { ByteReader } from '../conversation/byte-reader.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import type { Conversation } from '../conversation/conversation.ts'

/** An element of BER (X.690) with its contents. */
export interface Element {
  tag: number
  contents: ByteReader
}

/** The first byte of a length in the long form has this bit, and the number of the bytes that follow. */
const LONG_FORM = 0x80
/** More than anybody reads; the length itself may begin with any number of zeros. */
const MAX_LENGTH = 0xffffff

/** The contents of the next element of a connection. Throws for another tag. */
export async function nextElement(conversation: Conversation, wanted: number): Promise<ByteReader> {
  const [tag, first = 0] = await conversation.read(2)
  if (tag !== wanted) throw protocolFault('the server does not speak LDAP')
  const length = first < LONG_FORM ? first : lengthIn(await conversation.read(lengthBytesOf(first)))
  return new ByteReader(await conversation.read(length))
}

/** The next element within another one. */
export function elementIn(fields: ByteReader): Element {
  const [tag, first] = [fields.uint8(), fields.uint8()]
  const length = first < LONG_FORM ? first : lengthIn(fields.bytes(lengthBytesOf(first)))
  return { tag, contents: new ByteReader(fields.bytes(length)) }
}

/** The value of an integer or an enumeration; undefined where it is larger than a protocol has it. */
export function numberOf({ contents }: Element): number | undefined {
  const bytes = contents.rest()
  const from = bytes.findIndex((byte) => byte !== 0)
  const significant = from === -1 ? 1 : bytes.length - from
  return bytes.length === 0 || significant > 4 ? undefined : bytes.readUIntBE(bytes.length - significant, significant)
}

/** LDAP has no indefinite lengths (RFC 4511, section 5.1). */
function lengthBytesOf(first: number): number {
  const count = first - LONG_FORM
  if (count === 0 || count === 0x7f) throw protocolFault('the server does not speak LDAP')
  return count
}

function lengthIn(bytes: Buffer): number {
  let length = 0
  for (const byte of bytes) {
    length = length * 0x100 + byte
    if (length > MAX_LENGTH) throw protocolFault('the target sent a message that is too large')
  }
  return length
}
