import {
  BlockError,
  type Cursor,
  MAX_BLOCK_FIELDS,
  MAX_BLOCK_SAMPLES,
  readSigned,
  readVarint,
  type Wanted,
} from '@vedette/shared/metrics/block'
import { BitReader } from './bits.ts'
import { CONSTANT, type Column, DELTA, FEW_SCALE, FLAGS_RADIX, FROM_LEAST, MANY_SCALE, SPARSE, VERSION } from './format.ts'
import { type Shares, TokenReader, tokensOf, withBefore } from './rans.ts'
import { TOKENS } from './tokens.ts'

/** The head of packed columns, read. */
export interface PackedHead {
  columns: Column[]
  gapShares: Shares | undefined
  /** Where the head ends. */
  end: number
}

/** Total: any bytes either decode or throw BlockError, and nothing is allocated for a count that the bytes cannot hold. */
export function readHead(bytes: Uint8Array): PackedHead {
  if (bytes[0] !== VERSION) throw new BlockError(`packed columns of version ${bytes[0] ?? 'missing'} are unknown`)
  const scale = bytes[1] ?? 0
  if (scale < FEW_SCALE || scale > MANY_SCALE) throw new BlockError('scale is out of range')
  const cursor: Cursor = { bytes, at: 2 }
  const count = readVarint(cursor)
  // Each takes five bytes at least.
  if (count > MAX_BLOCK_FIELDS || count * 5 > bytes.length - cursor.at) throw new BlockError('too many columns')
  const columns: Column[] = []
  let id = -1
  for (let index = 0; index < count; index++) {
    const head = readVarint(cursor)
    id += Math.floor(head / FLAGS_RADIX) + 1
    const form = bytes[cursor.at++] ?? CONSTANT + 1
    if (form > CONSTANT || id >= 2 ** 32) throw new BlockError('column is out of range')
    const isSparse = (head & SPARSE) !== 0
    const unit = readVarint(cursor)
    columns.push({ id, isSparse, unit, form, base: readSigned(cursor), drift: readSigned(cursor), shares: undefined })
  }
  const bits = new BitReader(bytes, cursor.at, bytes.length)
  for (const column of columns) if (column.form !== CONSTANT) column.shares = readShares(bits, scale)
  const gapShares = columns.some(({ isSparse }) => isSparse) ? readShares(bits, scale) : undefined
  return { columns, gapShares, end: bits.end() }
}

function readShares(bits: BitReader, scale: number): Shares {
  const length = bits.read(8)
  if (length > TOKENS) throw new BlockError('too many tokens')
  const parts = new Int32Array(length)
  for (let token = 0; token < length; token++) parts[token] = bits.readGamma() - 1
  return withBefore(scale, parts)
}

/** A part of packed columns, read: the wanted columns that have a value in it, one after the other. */
export interface UnpackedPart {
  count: number
  ids: number[]
  /** A number for each sample, NaN where it has none. */
  values: Float64Array
}

/** Rooms for the column that is read. */
const tokens = new Uint8Array(MAX_BLOCK_SAMPLES)
const numbers = new Float64Array(MAX_BLOCK_SAMPLES)

/** The part in the bytes [start, end). Total, as `readHead`. */
export function readPart(head: PackedHead, bytes: Uint8Array, start: number, end: number, wanted: Wanted): UnpackedPart {
  if (start === end) return { count: 0, ids: [], values: new Float64Array(0) }
  const { columns, gapShares } = head
  const cursor: Cursor = { bytes: bytes.subarray(0, end), at: start }
  const count = readVarint(cursor)
  if (count < 1 || count > MAX_BLOCK_SAMPLES) throw new BlockError('sample count is out of range')
  const codes = columns.map(({ isSparse }) => (isSparse ? readVarint(cursor) : undefined))
  const length = readVarint(cursor)
  const codeEnd = cursor.at + length
  if (codeEnd > end) throw new BlockError('tokens are cut off')
  const coding = new TokenReader(bytes, cursor.at, codeEnd)
  const bits = new BitReader(bytes, codeEnd, end)
  const values = new Float64Array(count * Math.min(columns.length, wanted.size))
  const ids: number[] = []
  let places: Int32Array | undefined
  for (const [index, column] of columns.entries()) {
    const code = codes[index]
    if (code !== undefined && code !== 0) places = readPlaces(coding, bits, gapShares as Shares, code - 1, count)
    if (code !== undefined && !places) throw new BlockError('a column is as none before')
    const own = code === undefined ? undefined : places
    const present = own ? own.length : count
    if (column.shares) {
      coding.read(column.shares, lookUp(column.shares), tokens, present)
      bits.readNumbers(tokens, numbers, present)
    }
    if (present === 0 || !wanted.has(column.id)) continue
    fill(column, present)
    const at = ids.length * count
    if (own) spread(own, values, at, count)
    else values.set(numbers.subarray(0, count), at)
    ids.push(column.id)
  }
  coding.end()
  if (bits.end() !== end) throw new BlockError('bytes after the end')
  return { count, ids, values: values.subarray(0, ids.length * count) }
}

const tables = new WeakMap<Shares, Uint8Array>()

/** Made when a column is first read. */
function lookUp(shares: Shares): Uint8Array {
  let table = tables.get(shares)
  if (!table) tables.set(shares, (table = tokensOf(shares)))
  return table
}

/** The samples that have a value. */
function readPlaces(coding: TokenReader, bits: BitReader, shares: Shares, length: number, count: number): Int32Array {
  if (length > count) throw new BlockError('more values than samples')
  coding.read(shares, lookUp(shares), tokens, length)
  bits.readNumbers(tokens, numbers, length)
  const places = new Int32Array(length)
  let place = -1
  for (let index = 0; index < length; index++) {
    place += (numbers[index] as number) + 1
    if (place >= count) throw new BlockError('a value without a sample')
    places[index] = place
  }
  return places
}

/** From the numbers of a column to its values, in place. The hot loop. */
function fill({ form, base, drift, unit }: Column, length: number): void {
  let previous = base
  const share = form / 8
  for (let index = 0; index < length; index++) {
    const number = numbers[index] as number
    if (form === CONSTANT) previous = base
    else if (form === FROM_LEAST) previous = base + number
    else {
      const distance = number < SMALL ? (number >>> 1) ^ -(number & 1) : number % 2 === 0 ? number / 2 : -(number + 1) / 2
      previous = (form === DELTA ? previous + drift : base + Math.floor((previous - base) * share)) + distance
    }
    const value = previous * unit
    // Also what is no number.
    if (!(value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER)) throw new BlockError('value is out of range')
    numbers[index] = value
  }
}
const SMALL = 2 ** 31

function spread(places: Int32Array, values: Float64Array, at: number, count: number): void {
  values.fill(Number.NaN, at, at + count)
  for (let index = 0; index < places.length; index++) values[at + (places[index] as number)] = numbers[index] as number
}
