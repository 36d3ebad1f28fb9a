import { BlockError } from './columns.ts'
import { LOW_PADDING } from './format.ts'

/** Writes numbers of some bits each, one after the other. */
export class LowBitsWriter {
  #bytes: Uint8Array
  #end = 0
  #held = 0
  #heldBits = 0

  /** Room for so many bits. */
  constructor(bits: number) {
    this.#bytes = new Uint8Array(Math.ceil(bits / 8) + LOW_PADDING)
  }

  /** The lowest `count` bits of a number, 24 at most. */
  write(value: number, count: number): void {
    this.#held |= (value & ((1 << count) - 1)) << this.#heldBits
    this.#heldBits += count
    while (this.#heldBits >= 8) {
      this.#bytes[this.#end++] = this.#held
      this.#held >>>= 8
      this.#heldBits -= 8
    }
  }

  /** All that was written, with zeros behind it. */
  finish(): Uint8Array {
    if (this.#heldBits > 0) this.#bytes[this.#end++] = this.#held
    return this.#bytes.subarray(0, this.#end + LOW_PADDING)
  }
}

/** Reads them again. */
export class LowBitsReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    if (bytes.length < LOW_PADDING) throw new BlockError('block is cut off')
    this.#bytes = bytes
  }

  /** Goes behind `times` numbers of `count` bits, and gives where the first of them begins. Throws BlockError when they are not there. */
  pass(count: number, times: number): number {
    const from = this.#at
    this.#at += count * times
    if (this.#at > (this.#bytes.length - LOW_PADDING) * 8) throw new BlockError('block is cut off')
    return from
  }

  /** The number of `count` bits at a place that was passed. */
  at(place: number, count: number): number {
    const bytes = this.#bytes
    const index = place >>> 3
    const word =
      (bytes[index] as number) |
      ((bytes[index + 1] as number) << 8) |
      ((bytes[index + 2] as number) << 16) |
      ((bytes[index + 3] as number) << 24)
    return (word >>> (place & 7)) & ((1 << count) - 1)
  }

  /** Whether all was passed. */
  isAtEnd(): boolean {
    return Math.ceil(this.#at / 8) + LOW_PADDING === this.#bytes.length
  }
}
