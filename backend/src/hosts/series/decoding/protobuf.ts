import { isUtf8 } from 'node:buffer'
import { DecodingFault } from './received.ts'

/** Wire types of fields. */
export const VARINT = 0
export const FIXED64 = 1
export const BYTES = 2
const FIXED32 = 5

const HIGH = 2 ** 32
const CUT_OFF = 'the message is cut off'

/** A tag as the decoders compare it: number and wire type in one. */
export const tagOf = (field: number, wireType: number): number => (field << 3) | wireType

/**
 * Reads protobuf messages in place. All reads stay before `end`, which `enter` moves to the end of a message within and `leave` back.
 * Total: any bytes are read or throw DecodingFault.
 */
export class ProtobufReader {
  readonly bytes: Buffer
  readonly view: DataView
  at: number
  end: number
  /** The last value of `varint64` and `fixed64`, in two unsigned halves. */
  low = 0
  high = 0

  constructor(body: Uint8Array) {
    this.bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    this.view = new DataView(body.buffer, body.byteOffset, body.byteLength)
    this.at = 0
    this.end = body.byteLength
  }

  /** The next tag, 0 at the end of the message. */
  tag(): number {
    if (this.at >= this.end) return 0
    const byte = this.bytes[this.at] as number
    if (byte < 128 && byte >= 8) {
      this.at += 1
      return byte
    }
    const tag = this.uint32()
    if (tag < 8) throw new DecodingFault('field 0 does not exist')
    return tag
  }

  /** Less than 2^32: of tags, lengths, enums, references. Larger values are faults: a length of 2^63 is one. */
  uint32(): number {
    const { bytes } = this
    let value = 0
    let weight = 1
    for (let count = 0; count < 5; count++) {
      if (this.at >= this.end) throw new DecodingFault(CUT_OFF)
      const byte = bytes[this.at++] as number
      value += (byte & 127) * weight
      if (byte < 128) {
        if (value >= HIGH) break
        return value
      }
      weight *= 128
    }
    throw new DecodingFault('a number is above 4294967295')
  }

  /** Any varint, into `low` and `high`. */
  varint64(): void {
    let low = 0
    let middle = 0
    let high = 0
    for (let count = 0; count < 10; count++) {
      if (this.at >= this.end) throw new DecodingFault(CUT_OFF)
      const byte = this.bytes[this.at++] as number
      // Of 28, 28 and 8 bits.
      if (count < 4) low |= (byte & 127) << (7 * count)
      else if (count < 8) middle |= (byte & 127) << (7 * (count - 4))
      else high |= (byte & 127) << (7 * (count - 8))
      if (byte < 128) {
        this.low = (low | (middle << 28)) >>> 0
        this.high = ((middle >>> 4) | (high << 24)) >>> 0
        return
      }
    }
    throw new DecodingFault('a number has more than 64 bits')
  }

  /** An int64 that a double holds. */
  safeInteger(): number {
    this.varint64()
    const value = (this.high | 0) * HIGH + this.low
    if (Number.isSafeInteger(value)) return value
    throw new DecodingFault('an integer is beyond 2^53')
  }

  /** Eight bytes, into `low` and `high`. */
  fixed64(): void {
    const at = this.#take(8)
    this.low = this.view.getUint32(at, true)
    this.high = this.view.getUint32(at + 4, true)
  }

  double(): number {
    return this.view.getFloat64(this.#take(8), true)
  }

  /** Goes into the message that comes next; returns what `leave` needs. */
  enter(): number {
    const outer = this.end
    const length = this.#length()
    this.end = this.at + length
    return outer
  }

  leave(outer: number): void {
    this.at = this.end
    this.end = outer
  }

  /** Where the bytes that come next begin; they end at `at`. */
  skipBytes(): number {
    return this.#take(this.#length())
  }

  text(): string {
    const start = this.skipBytes()
    return textOf(this.bytes, start, this.at)
  }

  /** Steps over the value of a field of this tag. */
  skip(tag: number): void {
    const wireType = tag & 7
    if (wireType === BYTES) this.skipBytes()
    else if (wireType === VARINT) this.varint64()
    else if (wireType === FIXED64) this.#take(8)
    else if (wireType === FIXED32) this.#take(4)
    else throw new DecodingFault('groups are not taken')
  }

  #length(): number {
    const length = this.uint32()
    if (length > this.end - this.at) throw new DecodingFault(CUT_OFF)
    return length
  }

  #take(length: number): number {
    const start = this.at
    if (length > this.end - start) throw new DecodingFault(CUT_OFF)
    this.at = start + length
    return start
  }
}

/** Throws DecodingFault for bytes that are no UTF-8. */
function textOf(bytes: Buffer, start: number, end: number): string {
  let at = start
  while (at < end && (bytes[at] as number) < 128) at += 1
  if (at === end) return bytes.toString('latin1', start, end)
  if (!isUtf8(bytes.subarray(at, end))) throw new DecodingFault('the text is no UTF-8')
  return bytes.toString('utf8', start, end)
}
