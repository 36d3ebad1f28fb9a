import { BlockError } from './columns.ts'
import { type Cursor, readSigned, readVarint } from './cursor.ts'
import { readField } from './field.ts'
import { CONSTANT, FLAGS_RADIX, KIBI, KIBI_SIZE, PLAIN, SPARSE } from './format.ts'
import { readFieldCount } from './open.ts'
import type { Rows } from './rows.ts'

/**
 * The fields of a push (a block of version 1), each to where its samples belong. The same as reading them one by one, but without an
 * object and hardly a call for each: a push has some forty, of six values, and 60 of them are read for every hour. Reading past the
 * end of the bytes gives undefined, which ends every number; that it was done is seen behind the last field. Throws BlockError.
 */
export function readPushFields(cursor: Cursor, rows: Rows, start: number, length: number): void {
  const { bytes } = cursor
  const fieldCount = readFieldCount(cursor)
  let row = -1
  let id = -1
  for (let index = 0; index < fieldCount; index++) {
    let head = bytes[cursor.at] as number
    if (head < 128) cursor.at++
    else head = readVarint(cursor)
    const flags = head % FLAGS_RADIX
    id += Math.floor(head / FLAGS_RADIX) + 1
    if (id >= 2 ** 32) throw new BlockError('field id out of range')
    row = rows.open(id, row + 1, start, length)
    const from = row * rows.count + start
    const { values } = rows
    if ((flags & (SPARSE | PLAIN)) === 0 && (flags & CONSTANT) !== 0) fill(values, from, length, readConstant(cursor, flags))
    else if ((flags & (SPARSE | PLAIN)) !== 0) {
      if ((flags & ~KIBI) === SPARSE + CONSTANT && length < 8) spreadConstant(cursor, flags, values, from, length)
      else readField({ cursor, flags, low: undefined, hasApart: false }, values, from, length)
    } else readDeltas(cursor, (flags & KIBI) === 0 ? 1 : KIBI_SIZE, values, from, from + length)
  }
  if (cursor.at !== bytes.length) throw new BlockError('bytes after the end of the block')
}

function readConstant(cursor: Cursor, flags: number): number {
  const value = readSigned(cursor) * ((flags & KIBI) === 0 ? 1 : KIBI_SIZE)
  if (!Number.isSafeInteger(value)) throw new BlockError('value is out of range')
  return value
}

function fill(values: Float64Array, from: number, count: number, value: number): void {
  for (let index = from; index < from + count; index++) values[index] = value
}

/** As those of filesystems and interfaces, which only the last sample has. */
function spreadConstant(cursor: Cursor, flags: number, values: Float64Array, from: number, count: number): void {
  const bitmap = cursor.bytes[cursor.at++] ?? 0
  const all = (1 << count) - 1
  if (bitmap === 0 || bitmap >= all) throw new BlockError('bitmap is not one of a sparse field')
  const value = readConstant(cursor, flags)
  for (let index = 0; index < count; index++) values[from + index] = (bitmap >> index) & 1 ? value : Number.NaN
}

/** The hot loop: up to four bytes without a call. */
function readDeltas(cursor: Cursor, factor: number, values: Float64Array, from: number, to: number): void {
  const { bytes } = cursor
  let at = cursor.at
  let value = 0
  let least = 0
  let greatest = 0
  for (let index = from; index < to; index++) {
    let zigzag = bytes[at] as number
    if (zigzag < 128) at++
    else {
      const second = bytes[at + 1] as number
      zigzag = (zigzag & 127) | ((second & 127) << 7)
      if (second < 128) at += 2
      else {
        const third = bytes[at + 2] as number
        zigzag |= (third & 127) << 14
        if (third < 128) at += 3
        else {
          const fourth = bytes[at + 3] as number
          if (fourth < 128) {
            zigzag |= fourth << 21
            at += 4
          } else {
            cursor.at = at
            value += readSigned(cursor)
            at = cursor.at
            zigzag = 0
          }
        }
      }
    }
    value += (zigzag >>> 1) ^ -(zigzag & 1)
    if (value > greatest) greatest = value
    else if (value < least) least = value
    values[index] = value * factor
  }
  // A number that passed 2^53 − 1 may be rounded, but never back below it.
  if (greatest * factor > Number.MAX_SAFE_INTEGER || least * factor < Number.MIN_SAFE_INTEGER)
    throw new BlockError('value is out of range')
  cursor.at = at
}
