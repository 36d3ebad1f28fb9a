/** Elements of BER (X.690) with definite lengths. */

export const SEQUENCE = 0x30
export const INTEGER = 0x02
export const OCTETS = 0x04
export const ENUMERATED = 0x0a
export const BOOLEAN = 0x01

/** An element with these contents. */
export function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  if (length < 0x100) return Buffer.from([0x81, length])
  return length < 0x1_0000
    ? Buffer.from([0x82, length >> 8, length & 0xff])
    : Buffer.from([0x83, length >> 16, (length >> 8) & 0xff, length & 0xff])
}

/** A whole number from 0 to 2^31 - 1. */
export function integer(value: number, tag = INTEGER): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  let from = 0
  // The first byte of a positive number has no sign bit.
  while (from < 3 && bytes[from] === 0 && (bytes[from + 1] as number) < 0x80) from += 1
  return element(tag, bytes.subarray(from))
}

/** `bytes`, or a text in UTF-8. */
export const octets = (bytes: string | Uint8Array, tag = OCTETS): Buffer =>
  element(tag, typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
