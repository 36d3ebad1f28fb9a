import { DecodingFault } from './received.ts'

/** The best that the format can do: a copy of 64 bytes in three. A longer promise is a lie. */
const MOST_BYTES_PER_BYTE = 22
/** Up to here a loop is faster than a call. */
const SHORT = 24

/**
 * What a block of snappy holds (not the framed form). `largest` is the bound of it, in bytes. Nothing is allocated for a block that
 * promises more than the bound, or more than its own bytes can hold. Throws DecodingFault.
 */
export function unsnappy(body: Uint8Array, largest: number): Uint8Array {
  const { length, start } = readLength(body)
  if (length > largest) throw new DecodingFault(`snappy: the block holds ${length} bytes, more than ${largest}`)
  if (length > (body.length - start) * MOST_BYTES_PER_BYTE) throw damaged()
  const out = Buffer.allocUnsafeSlow(length)
  if (decompress(body, start, out) !== length) throw damaged()
  return out
}

const damaged = (): DecodingFault => new DecodingFault('snappy: the block is damaged')

function readLength(body: Uint8Array): { length: number; start: number } {
  let length = 0
  for (let start = 0; start < 5; start++) {
    const byte = body[start]
    if (byte === undefined) break
    length += (byte & 127) * 128 ** start
    if (byte < 128) return { length, start: start + 1 }
  }
  throw damaged()
}

/** Writes into `out` and returns the end of what it wrote. */
function decompress(body: Uint8Array, start: number, out: Buffer): number {
  let at = start
  let end = 0
  while (at < body.length) {
    const tag = body[at++] as number
    let length: number
    let distance: number
    if ((tag & 3) === 0) {
      const extra = Math.max(0, (tag >> 2) - 59)
      length = 1 + (extra === 0 ? tag >> 2 : littleEndian(body, at, extra))
      at += extra
      if (length > body.length - at || length > out.length - end) throw damaged()
      if (length <= SHORT) for (let index = 0; index < length; index++) out[end + index] = body[at + index] as number
      else out.set(body.subarray(at, at + length), end)
      at += length
      end += length
      continue
    }
    if ((tag & 3) === 1) {
      length = 4 + ((tag >> 2) & 7)
      distance = ((tag >> 5) << 8) | littleEndian(body, at, 1)
      at += 1
    } else {
      const size = (tag & 3) === 2 ? 2 : 4
      length = 1 + (tag >> 2)
      distance = littleEndian(body, at, size)
      at += size
    }
    if (distance === 0 || distance > end || length > out.length - end) throw damaged()
    // A copy may overlap what it writes: it then repeats.
    if (length <= SHORT || distance < length)
      for (let index = 0; index < length; index++) out[end + index] = out[end + index - distance] as number
    else out.copyWithin(end, end - distance, end - distance + length)
    end += length
  }
  return end
}

function littleEndian(body: Uint8Array, at: number, size: number): number {
  if (size > body.length - at) throw damaged()
  let value = 0
  for (let index = size - 1; index >= 0; index--) value = value * 256 + (body[at + index] as number)
  return value
}
