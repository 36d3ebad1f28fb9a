import { BlockError } from '@vedette/shared/metrics/block'
import { BITS_OF, LEAST_OF } from './tokens.ts'

/** Bits that are written and read at once. */
const WORD = 24
const WORD_VALUES = 2 ** WORD
/** Twice that and 1 is what `wordAt` has. */
const MAX_GAMMA_BITS = 12

/** Writes numbers of some bits each, lowest bit first. */
export class BitWriter {
  #bytes = new Uint8Array(4_096)
  #end = 0
  #held = 0
  #heldBits = 0

  /** A number below 2^count, of 53 bits at most. */
  write(value: number, count: number): void {
    if (count > WORD) {
      this.#writeWord(value % WORD_VALUES, WORD)
      this.write(Math.floor(value / WORD_VALUES), count - WORD)
    } else this.#writeWord(value, count)
  }

  /** A number from 1 to 2^13 − 1: as many zeros as it has bits after its first, then 1, then these bits. */
  writeGamma(value: number): void {
    const bits = 31 - Math.clz32(value)
    this.write(2 ** bits + (value - 2 ** bits) * 2 ** (bits + 1), 2 * bits + 1)
  }

  /** The lower bits of the numbers [from, to), whose tokens these are. The hot loop. */
  writeNumbers(tokens: Uint8Array, numbers: ArrayLike<number>, from: number, to: number): void {
    this.#makeRoom(8 * (to - from) + 4)
    const bytes = this.#bytes
    let [end, held, heldBits] = [this.#end, this.#held, this.#heldBits]
    for (let index = from; index < to; index++) {
      const token = tokens[index] as number
      const count = BITS_OF[token] as number
      if (count === 0) continue
      let value = (numbers[index] as number) - (LEAST_OF[token] as number)
      let left = count
      for (; left > WORD; left -= WORD, value = Math.floor(value / WORD_VALUES)) {
        held |= (value % WORD_VALUES) << heldBits
        bytes[end++] = held
        bytes[end++] = held >>> 8
        bytes[end++] = held >>> 16
        held >>>= WORD
      }
      held |= value << heldBits
      heldBits += left
      // Up to three whole bytes, without a branch; what is behind them is written again.
      bytes[end] = held
      bytes[end + 1] = held >>> 8
      bytes[end + 2] = held >>> 16
      end += heldBits >> 3
      held >>>= heldBits & ~7
      heldBits &= 7
    }
    this.#end = end
    this.#held = held
    this.#heldBits = heldBits
  }

  #makeRoom(more: number): void {
    if (this.#end + more <= this.#bytes.length) return
    const wider = new Uint8Array(2 * (this.#end + more))
    wider.set(this.#bytes)
    this.#bytes = wider
  }

  #writeWord(value: number, count: number): void {
    this.#makeRoom(4)
    let held = this.#held | (value << this.#heldBits)
    let heldBits = this.#heldBits + count
    while (heldBits >= 8) {
      this.#bytes[this.#end++] = held
      held >>>= 8
      heldBits -= 8
    }
    this.#held = held
    this.#heldBits = heldBits
  }

  /** All that was written, in whole bytes; the next write begins an empty one. */
  take(): Uint8Array {
    if (this.#heldBits > 0) this.#writeWord(0, 8 - this.#heldBits)
    const bytes = this.#bytes.slice(0, this.#end)
    this.#end = 0
    return bytes
  }
}

/** Reads them again. Throws BlockError past the end. */
export class BitReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at: number
  readonly #end: number

  /** The bytes [start, end). */
  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#at = start * 8
    this.#end = end * 8
  }

  read(count: number): number {
    if (count > WORD) return this.read(WORD) + WORD_VALUES * this.read(count - WORD)
    const from = this.#at
    this.#at += count
    if (this.#at > this.#end) throw new BlockError('bits are cut off')
    return wordAt(this.#bytes, from) & ((1 << count) - 1)
  }

  /** Gamma numbers into `into` from `from` up to `to`: each less 1, added to the previous sum. Numbers end at 2^13 − 1. */
  readGammaSums(into: Int32Array, from: number, to: number): void {
    const bytes = this.#bytes
    let [at, sum] = [this.#at, 0]
    for (let index = from; index < to; index++) {
      const word = wordAt(bytes, at)
      const bits = 31 - Math.clz32(word & -word)
      if (word === 0 || bits > MAX_GAMMA_BITS) throw new BlockError('number is too long')
      at += 2 * bits + 1
      sum += ((1 << bits) | ((word >>> (bits + 1)) & ((1 << bits) - 1))) - 1
      into[index] = sum
    }
    if (at > this.#end) throw new BlockError('bits are cut off')
    this.#at = at
  }

  /** The numbers of these tokens, whose lower bits are next. The hot loop. */
  readNumbers(tokens: Uint8Array, numbers: Float64Array, length: number): void {
    const view = this.#view
    // One load in place of four where the bytes of a word are there.
    const wordsEnd = 8 * (view.byteLength - 3)
    let at = this.#at
    for (let index = 0; index < length; index++) {
      const token = tokens[index] as number
      const count = BITS_OF[token] as number
      const least = LEAST_OF[token] as number
      if (count <= WORD && at < wordsEnd) {
        numbers[index] = least + ((view.getUint32(at >>> 3, true) >>> (at & 7)) & ((1 << count) - 1))
        at += count
      } else {
        this.#at = at
        numbers[index] = least + this.read(count)
        at = this.#at
      }
    }
    if (at > this.#end) throw new BlockError('bits are cut off')
    this.#at = at
  }

  /** Passes over the numbers of these tokens. */
  skipNumbers(tokens: Uint8Array, length: number): void {
    let at = this.#at
    for (let index = 0; index < length; index++) at += BITS_OF[tokens[index] as number] as number
    if (at > this.#end) throw new BlockError('bits are cut off')
    this.#at = at
  }

  /** The byte behind what was read. Throws BlockError unless what fills the last byte is 0. */
  end(): number {
    const rest = -this.#at & 7
    if (rest > 0 && this.read(rest) !== 0) throw new BlockError('bits after the end')
    return this.#at / 8
  }
}

/** 25 bits or more from a bit on; 0 past the end. */
function wordAt(bytes: Uint8Array, at: number): number {
  const index = at >>> 3
  const word =
    (bytes[index] as number) |
    ((bytes[index + 1] as number) << 8) |
    ((bytes[index + 2] as number) << 16) |
    ((bytes[index + 3] as number) << 24)
  return word >>> (at & 7)
}
