import { BlockError } from '../block/index.ts'

/**
 * Postgres keeps what stands outside of a row in chunks of 1,996 bytes, four to a page, and a last one that is not full still
 * takes the room of one: half a chunk for each value, a tenth of an hour. So that such a rest stands in the row, in the header:
 *
 *   version 2   1 byte
 *   length      2 bytes, lowest first
 *   rest        the last bytes of the data
 *   …           what follows the version in a header of version 1
 *
 * Where half hours stand in the header as well (`halves.ts`), it is
 *
 *   version 4   1 byte; 3 when it is older and the half hours are as in `parts.ts`
 *   lengths     2 bytes each, lowest first: of the totals, and of the half hours
 *   totals      what follows the version in a header of version 1
 *   half hours
 *   rest        the last bytes of the data, if any
 */
export const WITH_TAIL = 2
export const WITH_OLDER_HALVES = 3
export const WITH_HALVES = 4
const PREFIX = 3
const HALVES_PREFIX = 5
const MAX_PART = 65_535
const CHUNK = 1_996
/** Above some 2,000 bytes Postgres looks for what could go out of a row: that is the data, which is out, and all else fits a page. */
const MOST_IN_ROW = 2_800

export interface Stored {
  header: Uint8Array
  data: Uint8Array
}

/** A header of version 1 with half hours; without them where there are none, or too many. */
export function addHalves(header: Uint8Array, halves: Uint8Array | undefined): Uint8Array {
  const totals = header.subarray(1)
  if (halves === undefined || halves.length > MAX_PART || totals.length > MAX_PART) return header
  const lengths = [totals.length, halves.length].flatMap((length) => [length & 255, length >> 8])
  return Buffer.concat([Uint8Array.of(WITH_HALVES, ...lengths), totals, halves])
}

/** What stands in a stored header, behind its version. */
export interface OpenHeader {
  totals: Uint8Array
  /** As `halves.ts` has them. */
  halves: Uint8Array | undefined
  /** As `parts.ts` has them. */
  olderHalves: Uint8Array | undefined
  /** The last bytes of the data. */
  rest: Uint8Array
}

/** Throws BlockError. */
export function openHeader(header: Uint8Array): OpenHeader {
  const [version] = header
  if (version === WITH_HALVES || version === WITH_OLDER_HALVES) {
    const { totals, halves, rest } = openWithHalves(header)
    const isOlder = version === WITH_OLDER_HALVES
    return { totals, halves: isOlder ? undefined : halves, olderHalves: isOlder ? halves : undefined, rest }
  }
  if (version !== 1 && version !== WITH_TAIL) throw new BlockError(`header version ${version ?? 'missing'} is unknown`)
  const end = endOfTail(header)
  const rest = header.subarray(Math.min(PREFIX, end), end)
  return { totals: header.subarray(end), halves: undefined, olderHalves: undefined, rest }
}

function openWithHalves(header: Uint8Array): { totals: Uint8Array; halves: Uint8Array; rest: Uint8Array } {
  const lengthAt = (index: number) => (header[index] ?? 0) + (header[index + 1] ?? 0) * 256
  const [middle, end] = [HALVES_PREFIX + lengthAt(1), HALVES_PREFIX + lengthAt(1) + lengthAt(3)]
  if (end > header.length) throw new BlockError('header is cut off')
  return { totals: header.subarray(HALVES_PREFIX, middle), halves: header.subarray(middle, end), rest: header.subarray(end) }
}

/** Header and data as they are stored. What is small stands in the row anyway. */
export function moveTail({ header, data }: Stored): Stored {
  const length = data.length % CHUNK
  if (data.length < CHUNK || length === 0 || header.length + PREFIX + length > MOST_IN_ROW) return { header, data }
  const rest = data.subarray(data.length - length)
  const outside = data.subarray(0, data.length - length)
  if (header[0] === WITH_HALVES) return { header: Buffer.concat([header, rest]), data: outside }
  return { header: Buffer.concat([Uint8Array.of(WITH_TAIL, length & 255, length >> 8), rest, header.subarray(1)]), data: outside }
}

/** Where a header without half hours goes on behind its version and rest. Throws BlockError. */
export function endOfTail(header: Uint8Array): number {
  if (header[0] !== WITH_TAIL) return 1
  const end = PREFIX + (header[1] ?? 0) + (header[2] ?? 0) * 256
  if (end > header.length) throw new BlockError('header is cut off')
  return end
}

/** The data as it was before `moveTail`. Throws BlockError. */
export function joinTail({ header, data }: Stored): Uint8Array {
  const { rest } = openHeader(header)
  return rest.length > 0 ? Buffer.concat([data, rest]) : data
}
