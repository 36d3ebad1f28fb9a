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
import { FIRST_BITS, type Lookup, type LookupTables, TokenReader } from './rans.ts'
import { TOKENS } from './tokens.ts'

/** The head of packed columns, read. */
export interface PackedHead {
  columns: ReadColumn[]
  gapLookup: Lookup | undefined
  tables: LookupTables
  /** Where the head ends. */
  end: number
}

interface ReadColumn extends Omit<Column, 'shares'> {
  /** Absent with CONSTANT. */
  lookup: Lookup | undefined
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
  const columns: ReadColumn[] = []
  let id = -1
  let coded = 1
  for (let index = 0; index < count; index++) {
    const head = readVarint(cursor)
    id += Math.floor(head / FLAGS_RADIX) + 1
    const form = bytes[cursor.at++] ?? CONSTANT + 1
    if (form > CONSTANT || id >= 2 ** 32) throw new BlockError('column is out of range')
    if (form !== CONSTANT) coded += 1
    const isSparse = (head & SPARSE) !== 0
    const unit = readVarint(cursor)
    columns.push({ id, isSparse, unit, form, base: readSigned(cursor), drift: readSigned(cursor), lookup: undefined })
  }
  const bits = new BitReader(bytes, cursor.at, bytes.length)
  const first = new Uint8Array(coded << FIRST_BITS)
  const next = { startsAt: 0, firstAt: 0 }
  for (const column of columns) if (column.form !== CONSTANT) column.lookup = readShares(bits, scale, next)
  const gapLookup = columns.some(({ isSparse }) => isSparse) ? readShares(bits, scale, next) : undefined
  const tables = { scale, starts: room.slice(0, next.startsAt), first }
  return { columns, gapLookup, tables, end: bits.end() }
}

/** The starts of the head that is read: arrays of their own for each of a hundred columns took a third of the time of a read. */
let room = new Int32Array(16_384)

/** Puts the shares of a column where `next` is, and moves it behind them. */
function readShares(bits: BitReader, scale: number, next: Pick<Lookup, 'startsAt' | 'firstAt'>): Lookup {
  const length = bits.read(8)
  if (length > TOKENS) throw new BlockError('too many tokens')
  const own = { ...next, length, isReady: false }
  next.startsAt += length + 1
  next.firstAt += 1 << FIRST_BITS
  if (next.startsAt > room.length) {
    const wider = new Int32Array(2 * next.startsAt)
    wider.set(room)
    room = wider
  }
  const start = own.startsAt
  room[start] = 0
  bits.readGammaSums(room, start + 1, next.startsAt)
  if (room[start + length] !== 2 ** scale) throw new BlockError('shares do not make a whole')
  return own
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

/** The part in the bytes [start, end), no further than its last wanted column: what is behind that may be anything. Total, as `readHead`. */
export function readPart(head: PackedHead, bytes: Uint8Array, start: number, end: number, wanted: Wanted): UnpackedPart {
  if (start === end) return { count: 0, ids: [], values: new Float64Array(0) }
  const { columns, gapLookup, tables } = head
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
  const last = columns.findLastIndex(({ id }) => wanted.has(id))
  for (let index = 0; index <= last; index++) {
    const column = columns[index] as ReadColumn
    const code = codes[index]
    if (code !== undefined && code !== 0) places = readPlaces(coding, tables, gapLookup as Lookup, bits, code - 1, count)
    if (code !== undefined && !places) throw new BlockError('a column is as none before')
    const own = code === undefined ? undefined : places
    const present = own ? own.length : count
    const isWanted = wanted.has(column.id)
    if (column.lookup) {
      coding.read(tables, column.lookup, tokens, present)
      if (isWanted) bits.readNumbers(tokens, numbers, present)
      else bits.skipNumbers(tokens, present)
    }
    if (present === 0 || !isWanted) continue
    const at = ids.length * count
    if (own) {
      fill(column, numbers, 0, present)
      spread(own, values, at, count)
    } else fill(column, values, at, count)
    ids.push(column.id)
  }
  if (last === columns.length - 1) {
    coding.end()
    if (bits.end() !== end) throw new BlockError('bytes after the end')
  }
  return { count, ids, values: values.subarray(0, ids.length * count) }
}

/** The samples that have a value. */
function readPlaces(
  coding: TokenReader,
  tables: LookupTables,
  lookup: Lookup,
  bits: BitReader,
  length: number,
  count: number,
): Int32Array {
  if (length > count) throw new BlockError('more values than samples')
  coding.read(tables, lookup, tokens, length)
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

/** From the numbers of a column to its values. The hot loops: a value waits for the previous one as briefly as possible. */
function fill({ form, base, drift, unit }: Omit<Column, 'shares'>, values: Float64Array, at: number, length: number): void {
  if (form === CONSTANT) values.fill(inRange(base * unit), at, at + length)
  else if (form === FROM_LEAST)
    for (let index = 0; index < length; index++) values[at + index] = inRange((base + (numbers[index] as number)) * unit)
  else if (form === DELTA) {
    let previous = base
    for (let index = 0; index < length; index++) {
      previous += drift + distanceOf(numbers[index] as number)
      values[at + index] = inRange(previous * unit)
    }
  } else {
    const share = form / 8
    let above = 0
    for (let index = 0; index < length; index++) {
      above = Math.floor(above * share) + distanceOf(numbers[index] as number)
      values[at + index] = inRange((base + above) * unit)
    }
  }
}

const SMALL = 2 ** 31
const distanceOf = (number: number): number =>
  number < SMALL ? (number >>> 1) ^ -(number & 1) : number % 2 === 0 ? number / 2 : -(number + 1) / 2

/** Throws BlockError, also for what is no number. */
function inRange(value: number): number {
  if (!(value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER)) throw new BlockError('value is out of range')
  return value
}

function spread(places: Int32Array, values: Float64Array, at: number, count: number): void {
  values.fill(Number.NaN, at, at + count)
  for (let index = 0; index < places.length; index++) values[at + (places[index] as number)] = numbers[index] as number
}
