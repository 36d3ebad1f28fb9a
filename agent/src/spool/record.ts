import { crc32 } from './checksum.ts'

/**
 * A segment is a sequence of records: magic (2 bytes), type (1), length of the payload (3), CRC-32 of type, length and payload
 * (4), payload. A reader uses the magic to find the next record behind a damaged one.
 */
const MAGIC = Buffer.from([0xd7, 0x5e])
const HEADER_BYTES = 10
/** Larger than any record: a greater length is damaged. */
const MAX_PAYLOAD_BYTES = 1_048_576

export const RECORD = { totals: 1, sample: 2, batch: 3, ack: 4, division: 5 } as const
export type RecordType = (typeof RECORD)[keyof typeof RECORD]

export function encodeRecord(type: RecordType, payload: Buffer): Buffer {
  const record = Buffer.allocUnsafe(HEADER_BYTES + payload.length)
  MAGIC.copy(record)
  record.writeUInt8(type, 2)
  record.writeUIntLE(payload.length, 3, 3)
  payload.copy(record, HEADER_BYTES)
  record.writeUInt32LE(checksumOf(record, 0, record.length), 6)
  return record
}

export interface ScannedRecord {
  type: number
  payload: Buffer
  /** Byte offsets in the scanned buffer. */
  start: number
  end: number
}

/** Visits every undamaged record in order and returns the number of damaged ones it skipped. Never throws. */
export function scanRecords(bytes: Buffer, visit: (record: ScannedRecord) => void): number {
  let damaged = 0
  let isSearching = false
  let position = 0
  while (position < bytes.length) {
    const end = endOf(bytes, position)
    if (end !== undefined && checksumOf(bytes, position, end) === bytes.readUInt32LE(position + 6)) {
      visit({ type: bytes.readUInt8(position + 2), payload: bytes.subarray(position + HEADER_BYTES, end), start: position, end })
      position = end
      isSearching = false
      continue
    }
    if (!isSearching) damaged++
    // If the length still leads to another record, only this one is damaged; otherwise any magic may start the next.
    const skipsOne = end !== undefined && (end === bytes.length || startsRecord(bytes, end))
    isSearching = !skipsOne
    const next = skipsOne ? end : bytes.indexOf(MAGIC, position + 1)
    position = next === -1 ? bytes.length : next
  }
  return damaged
}

function startsRecord(bytes: Buffer, position: number): boolean {
  return bytes[position] === MAGIC[0] && bytes[position + 1] === MAGIC[1]
}

/** Undefined if no complete record starts here. */
function endOf(bytes: Buffer, position: number): number | undefined {
  if (position + HEADER_BYTES > bytes.length || !startsRecord(bytes, position)) return undefined
  const length = bytes.readUIntLE(position + 3, 3)
  const end = position + HEADER_BYTES + length
  return length > MAX_PAYLOAD_BYTES || end > bytes.length ? undefined : end
}

function checksumOf(bytes: Buffer, start: number, end: number): number {
  return crc32(bytes, start + HEADER_BYTES, end, crc32(bytes, start + 2, start + 6))
}
