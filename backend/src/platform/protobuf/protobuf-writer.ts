const FIRST_BYTES = 65_536
const [VARINT, FIXED64, BYTES] = [0, 1, 2]

/** Writes protobuf messages into one piece of memory, which grows. */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES)
  #end = 0

  /** A message within; its length is known, and put before it, once it is written. */
  message(field: number, write: () => void): void {
    this.#tag(field, BYTES)
    const start = this.#end
    write()
    const length = this.#end - start
    const room = varintLength(length)
    this.#reserve(room)
    this.#bytes.copyWithin(start + room, start, this.#end)
    this.#end = start
    this.#varint(length)
    this.#end += length
  }

  text(field: number, text: string): void {
    const length = Buffer.byteLength(text)
    this.#tag(field, BYTES)
    this.#varint(length)
    this.#reserve(length)
    this.#end += this.#bytes.write(text, this.#end)
  }

  double(field: number, value: number): void {
    this.#tag(field, FIXED64)
    this.#reserve(8)
    this.#end = this.#bytes.writeDoubleLE(value, this.#end)
  }

  /** A number from 0 to 2^53. */
  integer(field: number, value: number): void {
    this.#tag(field, VARINT)
    this.#varint(value)
  }

  fixed64(field: number, value: bigint): void {
    this.#tag(field, FIXED64)
    this.#reserve(8)
    this.#end = this.#bytes.writeBigUInt64LE(value, this.#end)
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#end)
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType)
  }

  #varint(value: number): void {
    this.#reserve(10)
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#end++] = (rest % 128) + 128
    this.#bytes[this.#end++] = rest
  }

  #reserve(length: number): void {
    if (this.#end + length <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#end + length, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }
}

function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length += 1
  return length
}
