import { BlockError } from './columns.ts'
import { LOW_PADDING } from './format.ts'
import { Room } from './room.ts'

const room = new Room(131_072)

/** Writes numbers of some bits each, one after the other. One at a time: the next one writes over what this one has not finished. */
export class LowBitsWriter {
  readonly #bytes: Uint8Array
  #end = 0
  #held = 0
  #heldBits = 0

  /** Room for so many bits. */
  constructor(bits: number) {
    this.#bytes = room.of(Math.ceil(bits / 8) + LOW_PADDING)
  }

  /** The lowest `count` bits, 24 at most, of each of the first so many numbers. */
  write(numbers: Int32Array, length: number, count: number): void {
    const bytes = this.#bytes
    const mask = (1 << count) - 1
    let [end, held, heldBits] = [this.#end, this.#held, this.#heldBits]
    for (let index = 0; index < length; index++) {
      held |= ((numbers[index] as number) & mask) << heldBits
      heldBits += count
      while (heldBits >= 8) {
        bytes[end++] = held
        held >>>= 8
        heldBits -= 8
      }
    }
    this.#end = end
    this.#held = held
    this.#heldBits = heldBits
  }

  /** All that was written, with zeros behind it; until another one writes. */
  finish(): Uint8Array {
    if (this.#heldBits > 0) this.#bytes[this.#end++] = this.#held
    const length = this.#end + LOW_PADDING
    this.#bytes.fill(0, this.#end, length)
    return this.#bytes.subarray(0, length)
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

  /** The number of `count` bits at a bit offset that was passed. */
  at(bitOffset: number, count: number): number {
    const bytes = this.#bytes
    const index = bitOffset >>> 3
    const word =
      (bytes[index] as number) |
      ((bytes[index + 1] as number) << 8) |
      ((bytes[index + 2] as number) << 16) |
      ((bytes[index + 3] as number) << 24)
    return (word >>> (bitOffset & 7)) & ((1 << count) - 1)
  }

  /** Whether all was passed. */
  isAtEnd(): boolean {
    return Math.ceil(this.#at / 8) + LOW_PADDING === this.#bytes.length
  }
}
