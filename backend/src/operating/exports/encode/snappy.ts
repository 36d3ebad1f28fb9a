/** Copies reach back so far: blocks of this length are made shorter one by one. */
const BLOCK = 65_536
const TABLE_BITS = 14
const LEAST_COPY = 4
const MOST_COPY = 64
/** A literal of more bytes has its length in two bytes of its own. */
const SHORT_LITERAL = 60

/** The block format of snappy (not the framed one), as remote write 1.0 wants it. */
export function snappy(bytes: Buffer): Buffer {
  const blocks = Math.ceil(bytes.length / BLOCK)
  const out = new Output(Buffer.allocUnsafe(10 + bytes.length + 3 * blocks + Math.ceil(bytes.length / SHORT_LITERAL)))
  out.varint(bytes.length)
  const table = new Uint16Array(2 ** TABLE_BITS)
  for (let start = 0; start < bytes.length; start += BLOCK) compress(bytes.subarray(start, start + BLOCK), table, out)
  return out.finish()
}

/** Finds what was there before by the last place of each four bytes. */
function compress(block: Buffer, table: Uint16Array, out: Output): void {
  table.fill(0)
  let literal = 0
  for (let at = 1; at + LEAST_COPY <= block.length; ) {
    const four = block.readUInt32LE(at)
    const slot = Math.imul(four, 0x1e35a7bd) >>> (32 - TABLE_BITS)
    const earlier = table[slot] as number
    table[slot] = at
    if (earlier >= at || block.readUInt32LE(earlier) !== four) {
      at += 1
      continue
    }
    let length = LEAST_COPY
    while (at + length < block.length && block[earlier + length] === block[at + length]) length += 1
    out.literal(block.subarray(literal, at))
    out.copy(at - earlier, length)
    at += length
    literal = at
  }
  out.literal(block.subarray(literal))
}

class Output {
  readonly #bytes: Buffer
  #end = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  varint(value: number): void {
    let rest = value
    for (; rest >= 128; rest >>>= 7) this.#bytes[this.#end++] = (rest & 127) | 128
    this.#bytes[this.#end++] = rest
  }

  literal(bytes: Buffer): void {
    if (bytes.length === 0) return
    if (bytes.length <= SHORT_LITERAL) this.#bytes[this.#end++] = (bytes.length - 1) << 2
    else {
      this.#bytes[this.#end++] = 61 << 2
      this.#end = this.#bytes.writeUInt16LE(bytes.length - 1, this.#end)
    }
    this.#end += bytes.copy(this.#bytes, this.#end)
  }

  copy(distance: number, length: number): void {
    for (let rest = length; rest > 0; ) {
      const part = Math.min(rest, MOST_COPY)
      this.#bytes[this.#end++] = ((part - 1) << 2) | 2
      this.#end = this.#bytes.writeUInt16LE(distance, this.#end)
      rest -= part
    }
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#end)
  }
}
