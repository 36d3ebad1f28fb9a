/** An element of DER (X.690) within some bytes: its contents are [from, to). */
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

const LONG_FORM = 0x80
/** Bytes of a length; three are 16 MiB. */
const MAX_LENGTH_BYTES = 3

/** The element at `at`; undefined where there is none that ends before `end`. Lengths that DER does not have are not read. Pure. */
export function derElementAt(bytes: Uint8Array, at: number, end = bytes.length): DerElement | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f || first === LONG_FORM) return undefined
  const count = first < LONG_FORM ? 0 : first - LONG_FORM
  const from = at + 2 + count
  if (count > MAX_LENGTH_BYTES || from > end) return undefined
  let length = count === 0 ? first : 0
  for (let index = at + 2; index < from; index++) length = length * 0x100 + (bytes[index] ?? 0)
  return from + length <= end ? { tag, at, from, to: from + length } : undefined
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
export function derIntegerOf(bytes: Uint8Array, element: DerElement | undefined): number | undefined {
  if (element?.tag !== DER.integer || element.to === element.from || element.to - element.from > 5) return undefined
  let value = 0
  for (let at = element.from; at < element.to; at++) value = value * 256 + (bytes[at] ?? 0)
  return (bytes[element.from] ?? 0) < 0x80 ? value : undefined
}
