import { crc32 } from './checksum.ts'

/**
 * A segment is a row of records: magic (2 bytes), type (1), length of the payload (3), CRC-32 of type, length and payload (4),
 * payload. The magic is there for the reader that has to find its way again behind a damaged record.
 */
const MAGIC = Buffer.from([0xd7, 0x5e])
const HEADER_BYTES = 10
/** Above any record of ours: a length beyond it is a damaged one. */
const MAX_PAYLOAD_BYTES = 1_048_576

export const RECORD = { totals: 1, sample: 2, cut: 3, ack: 4 } as const
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

export interface FoundRecord {
  type: number
  payload: Buffer
  /** Where it starts and ends in what was scanned. */
  start: number
  end: number
}

/** Every sound record in order; answers how many damaged ones were stepped over. Total: any bytes may be given. */
export function scanRecords(bytes: Buffer, found: (record: FoundRecord) => void): number {
  let damaged = 0
  let isLost = false
  let position = 0
  while (position < bytes.length) {
    const end = endOf(bytes, position)
    if (end !== undefined && checksumOf(bytes, position, end) === bytes.readUInt32LE(position + 6)) {
      found({ type: bytes.readUInt8(position + 2), payload: bytes.subarray(position + HEADER_BYTES, end), start: position, end })
      position = end
      isLost = false
      continue
    }
    if (!isLost) damaged++
    // Where the length still leads to another record, this one alone is damaged; else every magic may be the next start.
    const isStep = end !== undefined && (end === bytes.length || startsRecord(bytes, end))
    isLost = !isStep
    const next = isStep ? end : bytes.indexOf(MAGIC, position + 1)
    position = next === -1 ? bytes.length : next
  }
  return damaged
}

function startsRecord(bytes: Buffer, position: number): boolean {
  return bytes[position] === MAGIC[0] && bytes[position + 1] === MAGIC[1]
}

/** Undefined when no whole record can start here. */
function endOf(bytes: Buffer, position: number): number | undefined {
  if (position + HEADER_BYTES > bytes.length || !startsRecord(bytes, position)) return undefined
  const length = bytes.readUIntLE(position + 3, 3)
  const end = position + HEADER_BYTES + length
  return length > MAX_PAYLOAD_BYTES || end > bytes.length ? undefined : end
}

function checksumOf(bytes: Buffer, start: number, end: number): number {
  return crc32(bytes, start + HEADER_BYTES, end, crc32(bytes, start + 2, start + 6))
}
