import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { BlockError, MAX_BLOCK_SAMPLES, readVarint, writeVarint } from '@vedette/shared/metrics/block'
import { INSTANTS, pack, readHead, readPart } from '../../metrics/index.ts'
import { bitsOf, type Samples } from './samples.ts'

/**
 * Samples of one series as a row stores them:
 *
 *   version   1 byte
 *   decimals  1 byte: the values are packed as integers, multiplied by this power of ten; or AS_BITS
 *   packed    varint of its length, then packed columns: the instants, and the values with DECIMAL forms
 *   rest      what is no such decimal number, 8 bytes each; zstd where there are many
 */
const VERSION = 1
const AS_BITS = 255
const MAX_DECIMALS = 14
const VALUES = INSTANTS + 1
/** Above so many of a hundred values that are no decimal numbers all of them are stored by their bits. */
const MOST_EXCEPTIONS_PERCENT = 10
const POWERS = Float64Array.from({ length: MAX_DECIMALS + 1 }, (_, decimals) => 10 ** decimals)

/** The most samples of one chunk. */
export const MAX_CHUNK_SAMPLES = 8_000

export function encodeChunk({ atMs, values }: Samples): Buffer {
  const count = atMs.length
  const decimals = decimalsOf(values)
  const columns = new Map([[INSTANTS, atMs]])
  let rest: Uint8Array
  if (decimals === AS_BITS) rest = shuffle(values)
  else {
    const { scaled, exceptions } = scale(values, decimals)
    columns.set(VALUES, scaled)
    rest = new Uint8Array(exceptions.buffer)
  }
  const { head, parts } = pack([{ count, columns }], [...columns.keys()])
  const start = new Uint8Array(12)
  start[0] = VERSION
  start[1] = decimals
  const packed = Buffer.concat([head, ...parts])
  const end = writeVarint(start, 2, packed.length)
  return Buffer.concat([start.subarray(0, end), packed, rest.length > 64 ? zstdCompressSync(rest, FAST) : rest])
}
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 3 }, chunkSize: 65_536 }

/** Throws BlockError on other bytes. */
export function decodeChunk(data: Uint8Array): Samples {
  if (data[0] !== VERSION) throw new BlockError(`series of version ${data[0] ?? 'missing'} are unknown`)
  const decimals = data[1] ?? AS_BITS
  if (decimals > MAX_DECIMALS && decimals !== AS_BITS) throw new BlockError('decimals are out of range')
  const cursor = { bytes: data, at: 2 }
  const length = readVarint(cursor)
  const packed = data.subarray(cursor.at, cursor.at + length)
  if (packed.length < length) throw new BlockError('bytes are cut off')
  const head = readHead(packed)
  const { count, ids, values } = readPart(head, packed, head.end, length, ALL)
  const columnOf = (id: number) => {
    const row = ids.indexOf(id)
    return row < 0 ? undefined : values.subarray(row * count, (row + 1) * count)
  }
  const atMs = columnOf(INSTANTS)
  if (!atMs) throw new BlockError('samples without instants')
  const rest = data.subarray(cursor.at + length)
  const restBytes = (bytes: number) => (bytes > 64 ? inflate(rest, bytes) : rest)
  if (decimals === AS_BITS) return { atMs, values: unshuffle(restBytes(8 * count), count) }
  const scaled = columnOf(VALUES) ?? new Float64Array(count).fill(Number.NaN)
  let exceptions = 0
  for (let index = 0; index < count; index++) if (Number.isNaN(scaled[index])) exceptions += 1
  return { atMs, values: unscale(scaled, decimals, restBytes(8 * exceptions)) }
}
const ALL = { size: 2, has: (id: number) => id === INSTANTS || id === VALUES }

/** How many decimals nearly all values have; AS_BITS where they are no decimal numbers. */
function decimalsOf(values: Float64Array): number {
  const allowed = Math.floor((values.length * MOST_EXCEPTIONS_PERCENT) / 100)
  let [decimals, exceptions] = [0, 0]
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number
    let own = decimals
    while (own <= MAX_DECIMALS && !isDecimal(value, own)) own += 1
    if (own <= MAX_DECIMALS) decimals = own
    else if (Number.isFinite(value) && ++exceptions > allowed) return AS_BITS
  }
  return decimals
}

/** Whether the value comes back exactly. */
function isDecimal(value: number, decimals: number): boolean {
  const power = POWERS[decimals] as number
  const scaled = Math.round(value * power)
  return scaled / power === value && scaled <= GREATEST && scaled >= -GREATEST && !Object.is(scaled, -0)
}
/** The range of a packed column must not pass 2^53 − 1. */
const GREATEST = 2 ** 52 - 1

function scale(values: Float64Array, decimals: number): { scaled: Float64Array; exceptions: BigUint64Array<ArrayBuffer> } {
  const power = POWERS[decimals] as number
  const bits = bitsOf(values)
  const exceptions: bigint[] = []
  const scaled = values.map((value, index) => {
    if (isDecimal(value, decimals)) return Math.round(value * power)
    exceptions.push(bits[index] as bigint)
    return Number.NaN
  })
  return { scaled, exceptions: BigUint64Array.from(exceptions) }
}

function unscale(scaled: Float64Array, decimals: number, rest: Uint8Array): Float64Array {
  const power = POWERS[decimals] as number
  const values = new Float64Array(scaled.length)
  const bits = bitsOf(values)
  const view = new DataView(rest.buffer, rest.byteOffset, rest.byteLength)
  let at = 0
  for (let index = 0; index < scaled.length; index++) {
    const value = scaled[index] as number
    if (!Number.isNaN(value)) values[index] = value / power
    else {
      if (at + 8 > rest.length) throw new BlockError('bytes are cut off')
      bits[index] = view.getBigUint64(at, true)
      at += 8
    }
  }
  if (at !== rest.length) throw new BlockError('bytes after the end')
  return values
}

/** The bits of each value without those that it shares with the previous one, all first bytes first. */
function shuffle(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  const count = values.length
  const out = new Uint8Array(bytes.length)
  for (let index = 0; index < bytes.length; index++)
    out[(index & 7) * count + (index >>> 3)] = (bytes[index] as number) ^ (index < 8 ? 0 : (bytes[index - 8] as number))
  return out
}

function unshuffle(bytes: Uint8Array, count: number): Float64Array {
  if (bytes.length !== 8 * count) throw new BlockError('bytes are cut off')
  const values = new Float64Array(count)
  const out = new Uint8Array(values.buffer)
  for (let index = 0; index < out.length; index++)
    out[index] = (bytes[(index & 7) * count + (index >>> 3)] as number) ^ (index < 8 ? 0 : (out[index - 8] as number))
  return values
}

function inflate(data: Uint8Array, bytes: number): Uint8Array {
  if (bytes > 8 * MAX_BLOCK_SAMPLES) throw new BlockError('too many samples')
  try {
    return zstdDecompressSync(data, { maxOutputLength: bytes })
  } catch (error) {
    throw new BlockError('compressed bytes are damaged', { cause: error })
  }
}
