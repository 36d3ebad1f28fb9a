import { BlockError } from '../block/index.ts'

/**
 * Postgres keeps what stands outside of a row in chunks of 1,996 bytes, four to a page, and a last one that is not full still
 * takes the room of one: half a chunk for each value, a tenth of an hour. So that such a rest stands in the row, in the header:
 *
 *   version 2   1 byte
 *   length      2 bytes, lowest first
 *   rest        the last bytes of the data
 *   …           what follows the version in a header of version 1
 */
export const WITH_TAIL = 2
const PREFIX = 3
const CHUNK = 1_996
/** With its other columns a row stays below the 2,032 bytes above which Postgres looks for what else could go out of it. */
const MOST_IN_ROW = 1_900

export interface Stored {
  header: Uint8Array
  data: Uint8Array
}

/** Header and data as they are stored. What is small stands in the row anyway. */
export function moveTail({ header, data }: Stored): Stored {
  const length = data.length % CHUNK
  if (data.length < CHUNK || length === 0 || header.length + PREFIX + length > MOST_IN_ROW) return { header, data }
  const prefix = Uint8Array.of(WITH_TAIL, length & 255, length >> 8)
  const rest = data.subarray(data.length - length)
  return { header: Buffer.concat([prefix, rest, header.subarray(1)]), data: data.subarray(0, data.length - length) }
}

/** Where a stored header goes on behind its version and rest. Throws BlockError. */
export function endOfTail(header: Uint8Array): number {
  if (header[0] !== WITH_TAIL) return 1
  const end = PREFIX + (header[1] ?? 0) + (header[2] ?? 0) * 256
  if (end > header.length) throw new BlockError('header is cut off')
  return end
}

/** The data as it was before `moveTail`. Throws BlockError. */
export function joinTail({ header, data }: Stored): Uint8Array {
  return header[0] === WITH_TAIL ? Buffer.concat([data, header.subarray(PREFIX, endOfTail(header))]) : data
}
