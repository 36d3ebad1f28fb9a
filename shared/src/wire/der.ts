/**
 * An element of DER, or of BER with a definite length (X.690), within some bytes: its contents are [from, to). One reader for certificates,
 * OCSP, PKCS#12, LDAP and SNMP.
 */
export interface DerElement {
  /** The first byte; elements whose tags have more bytes are not read. */
  tag: number
  /** Where the element begins. */
  at: number
  from: number
  to: number
}

export const DER = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  sequence: 0x30,
  set: 0x31,
} as const
/** A context-specific tag, of a structure. */
export const contextTag = (number: number): number => 0xa0 + number

/** The first byte of a length in the long form has this bit, and the number of the bytes that follow. */
const LONG_FORM = 0x80
/** Less than 16 MiB: more than anybody reads. The length itself may begin with any number of zeros, as some agents of SNMP write it. */
const MAX_LENGTH_BYTES = 3

/** How many bytes with a length follow this first one; undefined for an indefinite length, and for one that X.690 reserves. Pure. */
export function derLengthBytes(first: number): number | undefined {
  const count = first < LONG_FORM ? 0 : first - LONG_FORM
  return first >= LONG_FORM && (count === 0 || count === 0x7f) ? undefined : count
}

/** The length in the bytes that follow the first one; undefined where it is beyond 16 MiB. Pure. */
export const derLengthIn = (bytes: Uint8Array): number | undefined => unsignedIn(bytes, MAX_LENGTH_BYTES)

/** The element at `at`; undefined where there is none that ends by `before`, or one with a tag of several bytes. Pure. */
export function derElementAt(bytes: Uint8Array, at: number, before = bytes.length): DerElement | undefined {
  const end = Math.min(before, bytes.length)
  const [tag, first] = [bytes[at], bytes[at + 1]]
  const count = first === undefined ? undefined : derLengthBytes(first)
  if (tag === undefined || first === undefined || count === undefined || (tag & 0x1f) === 0x1f) return undefined
  const from = at + 2 + count
  if (from > end) return undefined
  const length = count === 0 ? first : derLengthIn(bytes.subarray(at + 2, from))
  return length !== undefined && from + length <= end ? { tag, at, from, to: from + length } : undefined
}

/** The elements of a structure, at most `most`; undefined where it is malformed or has more. Pure. */
export function derElementsIn(
  bytes: Uint8Array,
  { from, to }: Pick<DerElement, 'from' | 'to'>,
  most = 1_000,
): DerElement[] | undefined {
  const elements: DerElement[] = []
  for (let at = from; at < to; ) {
    const element = derElementAt(bytes, at, to)
    if (!element || elements.length >= most) return undefined
    elements.push(element)
    at = element.to
  }
  return elements
}

/** `1.2.840.113549.1.7.1`; undefined for another element, or one too long to be known. Pure. */
export function oidOf(bytes: Uint8Array, element: DerElement | undefined): string | undefined {
  if (element?.tag !== DER.oid || element.to === element.from || element.to - element.from > 32) return undefined
  const numbers: number[] = []
  let value = 0
  for (let at = element.from; at < element.to; at++) {
    const byte = bytes[at] ?? 0
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) {
      numbers.push(value)
      value = 0
    }
  }
  const [first = 0, ...rest] = numbers
  const top = Math.min(2, Math.floor(first / 40))
  return [top, first - 40 * top, ...rest].join('.')
}

/** A small integer that is not negative; undefined for another element. Pure. */
export const derIntegerOf = (bytes: Uint8Array, element: DerElement | undefined): number | undefined =>
  element?.tag === DER.integer && (bytes[element.from] ?? 0) < LONG_FORM
    ? unsignedIn(bytes.subarray(element.from, element.to), 4)
    : undefined

/** The number that these bytes are, the most significant first; undefined for none, and for one of more than `most` bytes without zeros. */
export function unsignedIn(bytes: Uint8Array, most: number): number | undefined {
  const from = bytes.findIndex((byte) => byte !== 0)
  if (bytes.length === 0 || (from !== -1 && bytes.length - from > most)) return undefined
  return from === -1 ? 0 : bytes.subarray(from).reduce((value, byte) => value * 0x100 + byte, 0)
}
