import type { Buckets, FieldBuckets, FieldTotals, Parts } from '../aggregate.ts'
import {
  BlockError,
  type Cursor,
  KIBI_SIZE,
  readSigned,
  readVarint,
  Room,
  type Wanted,
  writeSigned,
  writeVarint,
} from '../block/index.ts'
import type { Totals } from './header.ts'

/**
 * What the two halves of an hour add up to, by what the whole hour does, which stands before it in the header: what one half has is
 * what the other one lacks. Varints as in a block:
 *
 *   first     varint: samples in the first half, of a field that no sample lacks
 *   others    varint: how many fields have another number than their share of that, and for each of them
 *             varint: how many fields, by id, lie between it and the one before; varint: samples in the first half
 *   per field, by id, that has samples in both halves which are not all the same
 *             varint: how far the smaller maximum is below the larger one, times 4; and 2 when the first half has the larger one, and
 *             1 when sums and maxima are divided by 1,024
 *             the sum of the first half above its share of the whole (signed)
 *
 * Nothing follows the last field.
 */
const SECOND_IS_LESS = 2
const KIBI = 1
const FLAGS_RADIX = 4
/** Twice four varints, and what stands once. */
const MAX_FIELD_BYTES = 32

/** For some fields more than there are. */
const room = new Room(16_384)

/** A field of an hour. */
interface Field {
  id: number
  totals: FieldTotals
}

/** Undefined where a number passes 2^53 − 1: then only the samples can tell. */
export function encodeHalves(totals: Totals, { fields }: Pick<Buckets, 'fields'>): Uint8Array | undefined {
  const all = inOrder(totals)
  const out = room.of(2 * MAX_FIELD_BYTES + all.length * MAX_FIELD_BYTES)
  const firsts = all.map(({ id }) => fields.get(id)?.counts[0] ?? 0)
  const most = Math.max(0, ...all.map(({ totals: { count } }) => count))
  const first = firsts[all.findIndex(({ totals: { count } }) => count === most)] ?? 0
  let end = writeOthers(out, writeVarint(out, 0, first), firsts, sharesOf(all, first, most))
  for (const { id, totals: whole } of all) {
    const field = fields.get(id)
    if (field === undefined || field.high.size > 0 || typeof whole.sum === 'bigint') return undefined
    if (!isSplit(whole, field.counts[0] as number)) continue
    const next = writeField(out, end, whole.sum, whole.count, field)
    if (next === undefined) return undefined
    end = next
  }
  return out.slice(0, end)
}

const inOrder = (totals: Totals): Field[] =>
  [...totals].map(([id, whole]) => ({ id, totals: whole })).sort((left, right) => left.id - right.id)

/** Samples in the first half as far as the counts of the hour tell. */
const sharesOf = (all: readonly Field[], first: number, most: number): number[] =>
  all.map(({ totals: { count } }) => Math.floor((count * first) / most))

function writeOthers(out: Uint8Array, start: number, firsts: readonly number[], shares: readonly number[]): number {
  const others = [...firsts.keys()].filter((place) => firsts[place] !== shares[place])
  let end = writeVarint(out, start, others.length)
  let previous = -1
  for (const place of others) {
    end = writeVarint(out, writeVarint(out, end, place - previous - 1), firsts[place] as number)
    previous = place
  }
  return end
}

/** Whether both halves have samples that differ: else the whole tells all. */
const isSplit = ({ count, sum, max, last }: FieldTotals, first: number): boolean =>
  first > 0 && first < count && !(last === max && sum === max * count)

function writeField(out: Uint8Array, start: number, sum: number, count: number, field: FieldBuckets): number | undefined {
  const [first, firstMax, secondMax] = [field.low[0], field.maxima[0], field.maxima[1]] as [number, number, number]
  const isKibi = [sum, first, firstMax, secondMax].every((value) => value % KIBI_SIZE === 0)
  const unit = isKibi ? KIBI_SIZE : 1
  const apart = (Math.abs(firstMax - secondMax) / unit) * FLAGS_RADIX
  const above = first / unit - shareOf(sum / unit, field.counts[0] as number, count)
  if (!Number.isSafeInteger(apart + FLAGS_RADIX) || !Number.isSafeInteger(above)) return undefined
  const end = writeVarint(out, start, apart + (secondMax < firstMax ? SECOND_IS_LESS : 0) + (isKibi ? KIBI : 0))
  return writeSigned(out, end, above)
}

const shareOf = (sum: number, first: number, count: number): number => Math.floor((sum / count) * first)

/**
 * Hands on the wanted fields of an hour that adds up to `totals`, which are all that it has; what is handed on is overwritten by the
 * next one. Total: any bytes either decode or throw BlockError.
 */
export function takeHalves(bytes: Uint8Array, totals: Totals, wanted: Wanted, take: (id: number, parts: Parts) => void): void {
  const cursor: Cursor = { bytes, at: 0 }
  const all = inOrder(totals)
  const firsts = readFirsts(cursor, all)
  const parts = { counts: new Float64Array(2), sums: new Float64Array(2), maxima: new Float64Array(2) }
  for (const [place, { id, totals: whole }] of all.entries()) {
    const first = firsts[place] as number
    if (first > whole.count) throw new BlockError('half of an hour has more than all of it')
    readField(cursor, whole, first, parts)
    if (wanted.has(id)) take(id, parts)
  }
  if (cursor.at !== bytes.length) throw new BlockError('bytes after the end of the halves')
}

function readFirsts(cursor: Cursor, all: readonly Field[]): number[] {
  const most = Math.max(0, ...all.map(({ totals: { count } }) => count))
  const firsts = sharesOf(all, readVarint(cursor), most)
  const others = readVarint(cursor)
  let place = -1
  for (let index = 0; index < others; index++) {
    place += readVarint(cursor) + 1
    if (place >= firsts.length) throw new BlockError('halves of a field that there is not')
    firsts[place] = readVarint(cursor)
  }
  return firsts
}

/** NaN where a half has no samples, as the means of days have it. */
function readField(cursor: Cursor, whole: FieldTotals, first: number, { counts, sums, maxima }: Parts): void {
  const { count, sum, max } = whole
  if (typeof sum === 'bigint') throw new BlockError('halves of a sum that has none')
  counts[0] = first || Number.NaN
  counts[1] = count - first || Number.NaN
  maxima[0] = maxima[1] = max
  if (!isSplit(whole, first)) {
    sums[0] = first === count ? sum : max * first
    sums[1] = first === 0 ? sum : max * (count - first)
    return
  }
  const head = readVarint(cursor)
  const unit = head & KIBI ? KIBI_SIZE : 1
  const less = max - Math.floor(head / FLAGS_RADIX) * unit
  if (head & SECOND_IS_LESS) maxima[1] = less
  else maxima[0] = less
  sums[0] = (shareOf(sum / unit, first, count) + readSigned(cursor)) * unit
  sums[1] = sum - sums[0]
  if (!Number.isSafeInteger(sums[0]) || !Number.isSafeInteger(sums[1]) || !Number.isSafeInteger(less))
    throw new BlockError('sum out of range')
}
