import { derLengthBytes, derLengthIn, unsignedIn } from '@vedette/shared/der'
import { ByteReader } from './byte-reader.ts'
import { protocolFault } from './check-fault.ts'

/** An element of BER (X.690) with its contents. */
export interface Element {
  tag: number
  contents: ByteReader
}

/** The next element within another one, or within a message. */
export function elementIn(fields: ByteReader): Element {
  const [tag, first] = [fields.uint8(), fields.uint8()]
  const count = derLengthBytes(first)
  if (count === undefined) throw malformed()
  return { tag, contents: new ByteReader(fields.bytes(count === 0 ? first : lengthIn(fields.bytes(count)))) }
}

/** The length in the bytes that follow its first one. */
export function lengthIn(bytes: Buffer): number {
  const length = derLengthIn(bytes)
  if (length === undefined) throw protocolFault('the target sent a message that is too large')
  return length
}

/** The contents of the next element, which must have this tag. */
export function contentsIn(fields: ByteReader, wanted: number): ByteReader {
  const { tag, contents } = elementIn(fields)
  if (tag !== wanted) throw malformed()
  return contents
}

export const malformed = () => protocolFault('the answer is malformed')

/** More than a protocol has it. */
const MAX_NUMBER_BYTES = 4

/** The value of an integer or an enumeration; undefined where it is larger than a protocol has it. */
export const numberOf = ({ contents }: Element): number | undefined => unsignedIn(contents.rest(), MAX_NUMBER_BYTES)
