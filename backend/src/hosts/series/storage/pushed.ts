import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { BlockError, readSigned, readVarint, writeSigned, writeVarint } from '@vedette/shared/metrics/block'
import { bitsOf, placeOf, SampleList, type Samples } from './samples.ts'

/**
 * What one request brought for one target, as a row stores it until it is compacted: version, varints of the least and the greatest
 * series, so that a read of others need not inflate it, then zstd of
 *
 *   varint   how many samples
 *   for each sample, by series and instant: a varint, how far its series is from that of the previous sample,
 *            and a signed varint, how far its instant is from the previous one
 *   the values, 8 bytes each
 */
const VERSION = 1
const MOST_BYTES = 16 * 1024 * 1024
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize: 65_536 }

/** Samples by series. Instants of a series need not be in order. */
export function encodePushed(series: readonly { number: number; samples: Samples }[]): Buffer {
  const ordered = series.toSorted((one, other) => one.number - other.number)
  const count = ordered.reduce((sum, { samples }) => sum + samples.atMs.length, 0)
  const places = new Uint8Array(10 + count * 20)
  const values = new Float64Array(count)
  const bits = bitsOf(values)
  let [end, number, atMs, index] = [writeVarint(places, 0, count), 0, 0, 0]
  for (const { number: own, samples } of ordered) {
    const ownBits = bitsOf(samples.values)
    for (let sample = 0; sample < samples.atMs.length; sample++, index++) {
      const at = samples.atMs[sample] as number
      end = writeVarint(places, end, own - number)
      end = writeSigned(places, end, at - atMs)
      bits[index] = ownBits[sample] as bigint
      number = own
      atMs = at
    }
  }
  const bytes = Buffer.concat([places.subarray(0, end), new Uint8Array(values.buffer)])
  const head = new Uint8Array(20)
  head[0] = VERSION
  const headEnd = writeVarint(head, writeVarint(head, 1, ordered[0]?.number ?? 0), number)
  return Buffer.concat([head.subarray(0, headEnd), zstdCompressSync(bytes, FAST)])
}

/** Adds the samples of all series to their lists. Throws BlockError on other bytes. */
export function decodePushed(data: Uint8Array, lists: Map<number, SampleList>): void {
  decode(data, { mayHave: () => true, listOf: (series) => lists.get(series) ?? added(lists, series) })
}

/** Adds the samples of the wanted series, in order, to their lists, and returns how many. Throws BlockError on other bytes. */
export function decodeWanted(data: Uint8Array, lists: Map<number, SampleList>, wanted: Float64Array): number {
  const mayHave = (least: number, greatest: number) => (wanted[placeOf(wanted, least)] ?? Number.POSITIVE_INFINITY) <= greatest
  const isWanted = (series: number) => wanted[placeOf(wanted, series)] === series
  return decode(data, {
    mayHave,
    listOf: (series) => lists.get(series) ?? (isWanted(series) ? added(lists, series) : undefined),
  })
}

function added(lists: Map<number, SampleList>, series: number): SampleList {
  const list = new SampleList()
  lists.set(series, list)
  return list
}

interface Reader {
  mayHave(least: number, greatest: number): boolean
  /** Undefined: not wanted. */
  listOf(series: number): SampleList | undefined
}

function decode(data: Uint8Array, { mayHave, listOf }: Reader): number {
  if (data[0] !== VERSION) throw new BlockError(`pushed series of version ${data[0] ?? 'missing'} are unknown`)
  const head = { bytes: data, at: 1 }
  const least = readVarint(head)
  if (!mayHave(least, readVarint(head))) return 0
  const bytes = inflate(data.subarray(head.at))
  const cursor = { bytes, at: 0 }
  const count = readVarint(cursor)
  // Each has two bytes of place at least, and eight of value.
  if (count * 10 > bytes.length) throw new BlockError('bytes are cut off')
  const [numbers, instants] = [new Float64Array(count), new Float64Array(count)]
  let [number, atMs] = [0, 0]
  for (let index = 0; index < count; index++) {
    numbers[index] = number += readVarint(cursor)
    instants[index] = atMs += readSigned(cursor)
  }
  if (bytes.length - cursor.at !== count * 8) throw new BlockError('bytes are cut off')
  const values = new Float64Array(count)
  new Uint8Array(values.buffer).set(bytes.subarray(cursor.at))
  let taken = 0
  for (let from = 0, to = 0; from < count; from = to) {
    const own = numbers[from] as number
    while (to < count && numbers[to] === own) to += 1
    const list = listOf(own)
    if (!list) continue
    list.add(instants.subarray(from, to), values.subarray(from, to))
    taken += to - from
  }
  return taken
}

function inflate(data: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(data, { maxOutputLength: MOST_BYTES })
  } catch (error) {
    throw new BlockError('compressed bytes are damaged', { cause: error })
  }
}
