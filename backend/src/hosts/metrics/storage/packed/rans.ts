import { BlockError } from '@vedette/shared/metrics/block'
import { TOKENS } from './tokens.ts'

/**
 * Entropy coding of tokens by range asymmetric numeral systems (rANS): a token that makes up the share p of its column takes
 * −log2(p) bits. The shares of a column are counted before and stored with it, in 2^scale parts, so that any stretch of tokens
 * can be decoded alone.
 */
export interface Shares {
  scale: number
  /** By token, up to the last that has some: how many parts, and the parts before it. */
  parts: Int32Array
  before: Int32Array
}

/** The least state; a state is below 2^31. */
const LEAST = 2 ** 23
const STATE_BYTES = 4

/** Shares of tokens that occur so often. Each that occurs has one part at least. */
export function sharesOf(counts: Uint32Array, scale: number): Shares {
  const whole = 2 ** scale
  let total = 0
  for (let token = 0; token < TOKENS; token++) total += counts[token] as number
  const parts = new Int32Array(TOKENS)
  let left = whole
  for (let token = 0; token < TOKENS; token++) {
    const count = counts[token] as number
    if (count === 0) continue
    const part = Math.max(1, Math.round((count * whole) / total))
    parts[token] = part
    left -= part
  }
  // Rounding is made good by the greatest shares, which it changes least.
  while (left !== 0) {
    let greatest = 0
    for (let token = 1; token < TOKENS; token++) if ((parts[token] as number) > (parts[greatest] as number)) greatest = token
    const change = left > 0 ? left : Math.max(left, -Math.ceil((parts[greatest] as number) / 8))
    parts[greatest] = (parts[greatest] as number) + change
    left -= change
  }
  const before = new Int32Array(TOKENS)
  for (let token = 1; token < TOKENS; token++) before[token] = (before[token - 1] as number) + (parts[token - 1] as number)
  return { scale, parts, before }
}

/** Tokens [from, to) of one column. */
export interface TokenRun {
  shares: Shares
  tokens: Uint8Array
  from: number
  to: number
}

/** Encodes tokens, the last first, because decoding goes the other way. */
export function encodeTokens(runs: readonly TokenRun[]): Uint8Array {
  // A token takes `scale` bits at most, and 12 are the most.
  const size = 2 * runs.reduce((sum, { from, to }) => sum + to - from, 0) + STATE_BYTES
  if (coded.length < size) coded = new Uint8Array(2 * size)
  const out = coded
  let at = out.length
  let state = LEAST
  for (let run = runs.length - 1; run >= 0; run--) {
    const { shares, tokens, from, to } = runs[run] as TokenRun
    const { scale, parts, before } = shares
    const shift = 31 - scale
    for (let index = to - 1; index >= from; index--) {
      const token = tokens[index] as number
      const part = parts[token] as number
      // Lower bytes go out until the state is below part << shift: none, one or two, without a branch, which would be guessed wrong.
      const most = ((part << shift) - 1) | 0
      const bytes = ((most - state) >>> 31) + ((most - (state >>> 8)) >>> 31)
      out[at - 1] = state
      out[at - 2] = state >>> 8
      at -= bytes
      state >>>= 8 * bytes
      const quotient = (state / part) | 0
      state = (quotient << scale) + (state - quotient * part) + (before[token] as number)
    }
  }
  for (let index = 0; index < STATE_BYTES; index++) out[--at] = state >>> (8 * index)
  return out.subarray(at)
}

/** Used again. */
let coded = new Uint8Array(16_384)

/**
 * Shares as they are decoded, of all columns of a head. The token of a part is searched from the first one that has a part of the same
 * upper bits: a table of all parts takes longer to make than an hour to decode.
 */
export interface LookupTables {
  scale: number
  /** Of each column: the parts before each token, and all. */
  starts: Int32Array
  /** Of each column: by the upper bits of a part, the first token. */
  first: Uint8Array
}
export const FIRST_BITS = 6

/** Where those of a column are, and how many tokens it has. */
export interface Lookup {
  startsAt: number
  firstAt: number
  length: number
  /** The first tokens are made when the column is read: of many columns few are. */
  isReady: boolean
}

function prepare({ scale, starts, first }: LookupTables, lookup: Lookup): void {
  const { startsAt, firstAt, length } = lookup
  const step = 2 ** (scale - FIRST_BITS)
  for (let at = firstAt, token = 0, part = 0; at < firstAt + (1 << FIRST_BITS); at++, part += step) {
    while (token < length && (starts[startsAt + token + 1] as number) <= part) token++
    first[at] = token
  }
  lookup.isReady = true
}

/** Decodes them. Any bytes give tokens; `end` returns whether they were written by the encoder. */
export class TokenReader {
  readonly #bytes: Uint8Array
  #at: number
  readonly #end: number
  #state = 0

  constructor(bytes: Uint8Array, start: number, end: number) {
    if (end - start < STATE_BYTES || end > bytes.length) throw new BlockError('bytes are cut off')
    this.#bytes = bytes
    this.#at = start
    this.#end = end
    for (let index = 0; index < STATE_BYTES; index++) this.#state = this.#state * 256 + (bytes[this.#at++] as number)
    if (this.#state < LEAST || this.#state >= 2 ** 31) throw new BlockError('state is out of range')
  }

  /** The next tokens of one column. Throws BlockError past the end. */
  read(tables: LookupTables, lookup: Lookup, into: Uint8Array, length: number): void {
    if (!lookup.isReady) prepare(tables, lookup)
    const { scale, starts, first } = tables
    const { startsAt, firstAt } = lookup
    const bytes = this.#bytes
    const mask = 2 ** scale - 1
    const shift = scale - FIRST_BITS
    let [state, at] = [this.#state, this.#at]
    for (let index = 0; index < length; index++) {
      const part = state & mask
      let start = startsAt + (first[firstAt + (part >>> shift)] as number)
      let end = starts[start + 1] as number
      while (end <= part) end = starts[++start + 1] as number
      into[index] = start - startsAt
      const before = starts[start] as number
      state = (end - before) * (state >>> scale) + part - before
      while (state < LEAST) state = (state << 8) | (bytes[at++] as number)
    }
    if (at > this.#end) throw new BlockError('bytes are cut off')
    this.#state = state
    this.#at = at
  }

  /** Throws BlockError. */
  end(): void {
    if (this.#at !== this.#end || this.#state !== LEAST) throw new BlockError('tokens are damaged')
  }
}
