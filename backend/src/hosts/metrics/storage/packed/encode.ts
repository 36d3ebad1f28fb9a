import { writeSigned, writeVarint } from '@vedette/shared/metrics/block'
import { BitWriter } from './bits.ts'
import { chooseForm, type Values } from './choose-form.ts'
import { CONSTANT, type Column, FEW_SCALE, FLAGS_RADIX, INSTANTS, MANY, MANY_SCALE, SPARSE, VERSION } from './format.ts'
import { toNumbers } from './numbers.ts'
import { encodeTokens, type Shares, sharesOf, type TokenRun } from './rans.ts'
import { TOKENS, tokenOf } from './tokens.ts'

/** Samples of one part of time, by columns: a number for each sample, NaN where it has none. */
export interface Part {
  count: number
  columns: ReadonlyMap<number, Float64Array>
}

/** A column over all parts, while it is written. */
interface Written extends Column {
  /** Where its numbers and tokens of each part begin in the rooms, and all end. */
  starts: Int32Array
  /** How often each token is there; absent with CONSTANT. */
  counts: Uint32Array | undefined
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
  const samples = parts.reduce((sum, { count }) => sum + count, 0)
  const columns: Written[] = []
  let end = 0
  for (const id of ids) {
    makeRoom(end + samples)
    const column = writtenOf(parts, id, samples, end)
    if (!column) continue
    columns.push(column)
    end = column.starts[parts.length] as number
  }
  const gaps = gapsOf(parts, columns)
  const scale = samples < MANY ? FEW_SCALE : MANY_SCALE
  for (const column of columns) if (column.counts) column.shares = sharesOf(column.counts, scale)
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

/**
 * Rooms that are used again, since memory of its own for each column is a tenth of the work: the values of all columns, which their
 * numbers replace, and the tokens of these numbers.
 */
let numbers = new Float64Array(131_072)
let tokens = new Uint8Array(131_072)

function makeRoom(size: number): void {
  if (size <= numbers.length) return
  const [fewer, fewerTokens] = [numbers, tokens]
  numbers = new Float64Array(2 * size)
  tokens = new Uint8Array(2 * size)
  numbers.set(fewer)
  tokens.set(fewerTokens)
}

/** The column with its values at `start` in the room, or undefined when it has none. */
function writtenOf(parts: readonly Part[], id: number, samples: number, start: number): Written | undefined {
  const values = collect(parts, id, start)
  const { starts } = values
  const present = (starts[parts.length] as number) - start
  if (present === 0) return undefined
  const column = { id, isSparse: present < samples, ...chooseForm(values, id === INSTANTS), shares: undefined, starts }
  if (column.form === CONSTANT) return { ...column, counts: undefined }
  const counts = new Uint32Array(TOKENS)
  for (let part = 0; part < parts.length; part++) {
    const [from, to] = [starts[part] as number, starts[part + 1] as number]
    toNumbers(column, numbers, from, to, numbers, tokens, from, counts)
  }
  return { ...column, counts }
}

/** Puts the values of the column, without gaps, into the room. Throws RangeError on one that is no safe integer. The hot loop. */
function collect(parts: readonly Part[], id: number, start: number): Values {
  const room = numbers
  const starts = new Int32Array(parts.length + 1)
  let [least, greatest, sum, isWhole] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, true]
  let end = start
  for (let part = 0; part < parts.length; part++) {
    starts[part] = end
    const values = (parts[part] as Part).columns.get(id) ?? EMPTY
    for (let sample = 0; sample < values.length; sample++) {
      const value = values[sample] as number
      if (Number.isNaN(value)) continue
      room[end++] = value
      if (value < least) least = value
      if (value > greatest) greatest = value
      sum += value
      if (Math.floor(value) !== value) isWhole = false
    }
  }
  starts[parts.length] = end
  const isSafe = end === start || (least >= Number.MIN_SAFE_INTEGER && greatest <= Number.MAX_SAFE_INTEGER)
  if (!isWhole || !isSafe) throw new RangeError('a value is no safe integer')
  return { room, starts, least, greatest, sum }
}

const EMPTY = new Float64Array(0)

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
    let previous: Float64Array | undefined
    for (const { id } of sparse) {
      const values = own.get(id) ?? EMPTY
      const isSame = previous !== undefined && hasSameGaps(values, previous)
      const before = found.numbers.length
      if (!isSame) addGaps(values, found.numbers)
      const length = found.numbers.length - before
      found.codes.push(isSame ? 0 : length + 1)
      found.lengths.push(length)
      previous = values
    }
    found.tokens = Uint8Array.from(found.numbers, tokenOf)
    return found
  })
}

function hasSameGaps(one: Float64Array, other: Float64Array): boolean {
  if (one.length !== other.length) return false
  for (let sample = 0; sample < one.length; sample++) if (Number.isNaN(one[sample]) !== Number.isNaN(other[sample])) return false
  return true
}

function addGaps(values: Float64Array, gaps: number[]): void {
  let passed = 0
  for (let sample = 0; sample < values.length; sample++) {
    if (Number.isNaN(values[sample])) passed += 1
    else {
      gaps.push(passed)
      passed = 0
    }
  }
}

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
  const put = (run: TokenRun, own: ArrayLike<number>) => {
    runs.push(run)
    bits.writeNumbers(run.tokens, own, run.from, run.to)
  }
  let [sparse, gapsAt] = [0, 0]
  for (const { isSparse, shares, starts } of columns) {
    if (isSparse) {
      const to = gapsAt + (gaps.lengths[sparse++] as number)
      if (gapShares) put({ shares: gapShares, tokens: gaps.tokens, from: gapsAt, to }, gaps.numbers)
      gapsAt = to
    }
    if (shares) put({ shares, tokens, from: starts[part] as number, to: starts[part + 1] as number }, numbers)
  }
  const coding = encodeTokens(runs)
  const head = new Uint8Array(16 + gaps.codes.length * 3)
  let end = writeVarint(head, 0, count)
  for (const code of gaps.codes) end = writeVarint(head, end, code)
  end = writeVarint(head, end, coding.length)
  return Buffer.concat([head.subarray(0, end), coding, bits.take()])
}
