import { hash, randomFillSync } from 'node:crypto'
import { ID_PREFIX, type IdKind } from '@vedette/shared'
import { fromString, fromUUID, toUUID } from 'typeid-js'
import { v4, v7 } from 'uuid'
import { notFound } from './errors.ts'

const RANDOM_BYTES = 16
/** Random bytes for 256 ids: to get those of each id by themselves takes longer than all else of it. */
const pool = Buffer.alloc(256 * RANDOM_BYTES)
let taken = pool.length
let [lastMs, sequence] = [0, 0]

/**
 * A new id as it is stored: a UUIDv7, ordered by time. Those of a process are in the order in which they were made: within a
 * millisecond, and while the clock goes back, they count on (RFC 9562, 6.2, method 1).
 */
export function newId(): string {
  if (taken === pool.length) {
    randomFillSync(pool)
    taken = 0
  }
  const random = pool.subarray(taken, taken + RANDOM_BYTES)
  taken += RANDOM_BYTES
  const nowMs = Date.now()
  // Half of all numbers are left to count on.
  if (nowMs > lastMs) [lastMs, sequence] = [nowMs, random.readUInt32BE(6) >>> 1]
  else sequence += 1
  return v7({ msecs: lastMs, seq: sequence, random })
}

/** Lower than every id that is created at this instant or later. */
export function lowestIdOf(atMs: number): string {
  const time = Math.max(0, Math.floor(atMs)).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

/** A new id that does not reveal its creation time. */
export const newRandomId = (): string => v4()

const UUID_VERSION = '8'
/** The variant of RFC 9562 leaves two bits of this digit. */
const VARIANTS = '89ab'

/** The same id for the same text, with the bits of a UUID of version 8, whose others are free. */
export function idOfText(text: string): string {
  const hex = hash('sha256', text, 'hex')
  const variant = VARIANTS[Number.parseInt(hex[16] as string, 16) & 3] as string
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${UUID_VERSION}${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The same id for the same text and instant: a UUIDv7 of that instant, as what is created then would have. */
export const idOfTextAt = (text: string, atMs: number): string =>
  v7({ msecs: atMs, random: hash('sha256', text, 'buffer').subarray(0, RANDOM_BYTES) })

/** `srv_…` of a stored id. */
export function encodeId(kind: IdKind, uuid: string): string {
  return fromUUID(uuid, ID_PREFIX[kind])
}

/** The stored id behind `srv_…`, undefined for whatever is not one of this kind: other prefixes, upper case, over-long text. */
export function parseId(kind: IdKind, text: string): string | undefined {
  if (text.length !== ID_PREFIX[kind].length + 27) return undefined
  try {
    const uuid = toUUID(fromString(text, ID_PREFIX[kind]))
    // The library reads some spellings leniently; an id has one spelling only.
    return encodeId(kind, uuid) === text ? uuid : undefined
  } catch {
    return undefined
  }
}

/** As `parseId`; a malformed id is answered like an unknown one. Throws not_found. */
export function decodeId(kind: IdKind, text: string): string {
  const uuid = parseId(kind, text)
  if (uuid === undefined) throw notFound()
  return uuid
}
