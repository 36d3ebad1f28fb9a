import type { SampleValues } from '@vedette/shared'
import { ALL_FIELDS, type NamedField, UNIT_DECIMALS } from '@vedette/shared/metrics/fields'

/** One sample and the instant it belongs to, ms since the epoch. */
export interface TimedSample {
  atMs: number
  values: SampleValues
}

/** A sample with its number in its segment, by which batch headers refer to it. */
export interface NumberedSample extends TimedSample {
  number: number
}

const BY_ID: (NamedField | undefined)[] = []
for (const field of ALL_FIELDS) BY_ID[field.id] = field
const BITMAP_BYTES = Math.ceil(BY_ID.length / 8)
/** Number, instant, bitmap with its length, and at most 8 bytes per field. */
const buffer = Buffer.alloc(32 + BITMAP_BYTES + BY_ID.length * 8)
/** Doubled to make room for the sign bit, a value must stay exact. */
const MAX_INTEGER = 2 ** 52

const scaleOf = (field: NamedField): number => 10 ** UNIT_DECIMALS[field.unit]

/**
 * Number, instant, a bitmap of the field ids, and each value as an integer in the wire's precision: about 100 bytes. Field ids
 * instead of positions let an agent of another version read the samples.
 */
export function encodeSample({ number, atMs, values }: NumberedSample): Buffer {
  let end = writeInteger(0, number)
  end = writeInteger(end, Math.round(atMs))
  buffer.writeUInt8(BITMAP_BYTES, end)
  const bitmap = end + 1
  end = bitmap + BITMAP_BYTES
  buffer.fill(0, bitmap, end)
  for (let id = 1; id < BY_ID.length; id++) {
    const field = BY_ID[id]
    const value = field && (values[field.group] as Record<string, number | null> | undefined)?.[field.name]
    if (field === undefined || typeof value !== 'number') continue
    const scaled = Math.round(value * scaleOf(field))
    if (!(Math.abs(scaled) < MAX_INTEGER)) continue
    buffer[bitmap + (id >> 3)] = (buffer[bitmap + (id >> 3)] ?? 0) | (1 << (id & 7))
    end = writeInteger(end, scaled)
  }
  return Buffer.from(buffer.subarray(0, end))
}

/** Undefined for bytes that are no sample. Fields that this version does not have are left out. */
export function decodeSample(payload: Buffer): NumberedSample | undefined {
  const reader = { bytes: payload, position: 0 }
  const number = readInteger(reader)
  const atMs = readInteger(reader)
  const bitmapBytes = payload[reader.position++]
  if (number === undefined || atMs === undefined || bitmapBytes === undefined) return undefined
  const bitmap = payload.subarray(reader.position, reader.position + bitmapBytes)
  reader.position += bitmapBytes
  const values: Record<string, Record<string, number>> = {}
  for (let id = 0; id < bitmap.length * 8; id++) {
    if (((bitmap[id >> 3] ?? 0) & (1 << (id & 7))) === 0) continue
    const scaled = readInteger(reader)
    if (scaled === undefined) return undefined
    const field = BY_ID[id]
    if (field) (values[field.group] ??= {})[field.name] = scaled / scaleOf(field)
  }
  return { number, atMs, values }
}

/** Seven bits per byte, the sign in the lowest bit; with arithmetic, because bit operators are limited to 32 bits. */
function writeInteger(position: number, value: number): number {
  let rest = value >= 0 ? value * 2 : -value * 2 - 1
  let end = position
  while (rest >= 128) {
    buffer[end++] = (rest % 128) + 128
    rest = Math.floor(rest / 128)
  }
  buffer[end++] = rest
  return end
}

function readInteger(reader: { bytes: Buffer; position: number }): number | undefined {
  let value = 0
  for (let factor = 1; factor <= 2 ** 49; factor *= 128) {
    const byte = reader.bytes[reader.position++]
    if (byte === undefined) return undefined
    value += (byte % 128) * factor
    if (byte < 128) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
  return undefined
}
