import { writeSigned, writeVarint } from '@vedette/shared/metrics/block'
import { BitWriter } from './bits.ts'
import { chooseForm } from './choose-form.ts'
import {
  CONSTANT,
  type Column,
  FEW_SCALE,
  FLAGS_RADIX,
  FROM_LEAST,
  INSTANTS,
  MANY,
  MANY_SCALE,
  predict,
  SPARSE,
  VERSION,
  zigzag,
} from './format.ts'
import { encodeTokens, type Shares, sharesOf, type TokenRun } from './rans.ts'
import { TOKENS, tokenOf } from './tokens.ts'

/** Samples of one part of time, by columns: a number for each sample, NaN where it has none. */
export interface Part {
  count: number
  columns: ReadonlyMap<number, Float64Array>
}

/** A column over all parts, while it is written. */
interface Written extends Column {
  /** Distances to what was predicted, of all parts, and the tokens of these numbers. */
  numbers: Float64Array
  tokens: Uint8Array
  /** How often each token is there. */
  counts: Uint32Array
  /** Where the values of each part begin, and all end. */
  starts: Int32Array
}

export interface Packed {
  /** What all parts need to be read. */
  head: Uint8Array
  /** Each part can be read alone, with the head. Empty where there is no sample. */
  parts: Uint8Array[]
}

/**
 * The columns with these ids, ascending; one without any value is left out. Throws RangeError on a value that is no safe integer, and
 * on a column whose range passes 2^53 − 1.
 */
export function pack(parts: readonly Part[], ids: readonly number[]): Packed {
  const columns = ids.flatMap((id) => writtenOf(parts, id) ?? [])
  const gaps = gapsOf(parts, columns)
  const samples = parts.reduce((sum, { count }) => sum + count, 0)
  const scale = samples < MANY ? FEW_SCALE : MANY_SCALE
  for (const column of columns) if (column.form !== CONSTANT) column.shares = sharesOf(column.counts, scale)
  const gapShares = gaps.some(({ tokens }) => tokens.length > 0) ? sharesOf(countGaps(gaps), scale) : undefined
  return {
    head: writeHead(columns, scale, gapShares),
    parts: parts.map((part, index) =>
      part.count === 0 ? NOTHING : writePart(part, index, columns, gaps[index] as Gaps, gapShares),
    ),
  }
}

const NOTHING = new Uint8Array(0)

function countGaps(gaps: readonly Gaps[]): Uint32Array {
  const counts = new Uint32Array(TOKENS)
  for (const { tokens } of gaps) for (const token of tokens) counts[token]!++
  return counts
}

/** Values without gaps of the current column. */
let dense = new Float64Array(16_384)

function writtenOf(parts: readonly Part[], id: number): Written | undefined {
  const samples = parts.reduce((sum, { count }) => sum + count, 0)
  if (dense.length < samples) dense = new Float64Array(samples)
  const starts = new Int32Array(parts.length + 1)
  let end = 0
  for (const [index, { columns }] of parts.entries()) {
    const own = columns.get(id) ?? EMPTY
    for (let sample = 0; sample < own.length; sample++) {
      const value = own[sample] as number
      if (!Number.isNaN(value)) dense[end++] = value
    }
    starts[index + 1] = end
  }
  if (end === 0) return undefined
  const values = dense.subarray(0, end)
  const lengths = starts.subarray(1).map((until, index) => until - (starts[index] as number))
  const column = { id, isSparse: end < samples, ...chooseForm(values, lengths, id === INSTANTS), shares: undefined }
  return { ...column, ...(column.form === CONSTANT ? NO_NUMBERS : numbersOf(column, values, starts)), starts }
}

const EMPTY = new Float64Array(0)
const NO_NUMBERS = { numbers: EMPTY, tokens: NOTHING, counts: new Uint32Array(TOKENS) }

function numbersOf(column: Column, values: Float64Array, starts: Int32Array): Pick<Written, 'numbers' | 'tokens' | 'counts'> {
  const { form, base } = column
  const numbers = new Float64Array(values.length)
  const tokens = new Uint8Array(values.length)
  const counts = new Uint32Array(TOKENS)
  for (let part = 1, index = 0; part < starts.length; part++) {
    let previous = base
    for (const end = starts[part] as number; index < end; index++) {
      const value = values[index] as number
      const number = form === FROM_LEAST ? value - base : zigzag(value - predict(column, previous))
      const token = tokenOf(number)
      numbers[index] = number
      tokens[index] = token
      counts[token] = (counts[token] as number) + 1
      previous = value
    }
  }
  return { numbers, tokens, counts }
}

/** Which samples of a part have a value of each sparse column. */
interface Gaps {
  /** By sparse column in their order: 0 where it equals the previous column, else 1 + how many values it has. */
  codes: number[]
  /** The samples passed before each value, for each column that differs from the previous one. */
  tokens: Uint8Array
  numbers: number[]
  /** How many of the numbers belong to each sparse column. */
  lengths: number[]
}

function gapsOf(parts: readonly Part[], columns: readonly Written[]): Gaps[] {
  const sparse = columns.filter(({ isSparse }) => isSparse)
  return parts.map(({ columns: own }) => {
    const found: Gaps = { codes: [], tokens: NOTHING, numbers: [], lengths: [] }
    let previous: number[] | undefined
    for (const { id } of sparse) {
      const gaps: number[] = []
      let passed = 0
      for (const value of own.get(id) ?? []) {
        if (Number.isNaN(value)) passed += 1
        else {
          gaps.push(passed)
          passed = 0
        }
      }
      const isSame = previous !== undefined && isEqual(gaps, previous)
      found.codes.push(isSame ? 0 : gaps.length + 1)
      found.lengths.push(isSame ? 0 : gaps.length)
      if (!isSame) found.numbers.push(...gaps)
      previous = gaps
    }
    found.tokens = Uint8Array.from(found.numbers, tokenOf)
    return found
  })
}

const isEqual = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((number, index) => number === other[index])

function writeHead(columns: readonly Written[], scale: number, gapShares: Shares | undefined): Uint8Array {
  const out = new Uint8Array(16 + columns.length * 40)
  out[0] = VERSION
  out[1] = scale
  let end = writeVarint(out, 2, columns.length)
  let previousId = -1
  for (const { id, isSparse, unit, form, base, drift } of columns) {
    end = writeVarint(out, end, (id - previousId - 1) * FLAGS_RADIX + (isSparse ? SPARSE : 0))
    out[end++] = form
    end = writeVarint(out, end, unit)
    end = writeSigned(out, end, base)
    end = writeSigned(out, end, drift)
    previousId = id
  }
  for (const shares of [...columns.map(({ shares }) => shares), gapShares]) if (shares) writeShares(bits, shares)
  return Buffer.concat([out.subarray(0, end), bits.take()])
}

/** How many tokens there are shares for, and each share plus 1. */
function writeShares(bits: BitWriter, { parts }: Shares): void {
  let length = TOKENS
  while (parts[length - 1] === 0) length--
  bits.write(length, 8)
  for (let token = 0; token < length; token++) bits.writeGamma((parts[token] as number) + 1)
}

const bits = new BitWriter()

function writePart(
  { count }: Part,
  part: number,
  columns: readonly Written[],
  gaps: Gaps,
  gapShares: Shares | undefined,
): Uint8Array {
  const runs: TokenRun[] = []
  const put = (shares: Shares, tokens: Uint8Array, numbers: ArrayLike<number>, from: number, to: number) => {
    runs.push({ shares, tokens: tokens.subarray(from, to) })
    bits.writeNumbers(tokens, numbers, from, to)
  }
  let [sparse, gapsAt] = [0, 0]
  for (const { isSparse, shares, tokens, numbers, starts } of columns) {
    if (isSparse) {
      const until = gapsAt + (gaps.lengths[sparse++] as number)
      if (gapShares) put(gapShares, gaps.tokens, gaps.numbers, gapsAt, until)
      gapsAt = until
    }
    if (shares) put(shares, tokens, numbers, starts[part] as number, starts[part + 1] as number)
  }
  const coding = encodeTokens(runs)
  const head = new Uint8Array(16 + gaps.codes.length * 3)
  let end = writeVarint(head, 0, count)
  for (const code of gaps.codes) end = writeVarint(head, end, code)
  end = writeVarint(head, end, coding.length)
  return Buffer.concat([head.subarray(0, end), coding, bits.take()])
}
