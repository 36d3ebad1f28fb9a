import { ByteReader } from '../conversation/byte-reader.ts'
import { protocolFault } from '../conversation/check-fault.ts'

/** Messages of `grpc.health.v1`, each in a frame of gRPC: a flag, and the length in four bytes. */

export const SERVING = 'SERVING'
const STATUSES = ['UNKNOWN', SERVING, 'NOT_SERVING', 'SERVICE_UNKNOWN']
const SERVICE = 0x0a
const STATUS = 1

export function encodeRequest(service: string): Buffer {
  const name = Buffer.from(service)
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([SERVICE]), varint(name.length), name])
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left >>>= 7) {
    if (left < 0x80) return Buffer.from([...bytes, left])
    bytes.push((left & 0x7f) | 0x80)
  }
}

/** The serving status. Throws a `CheckFault` for anything but one response. */
export function decodeResponse(bytes: Buffer): string {
  const frame = new ByteReader(bytes)
  if (frame.uint8() !== 0) throw protocolFault('the target compressed its answer, which was not offered')
  if (frame.uint32Be() !== frame.left) throw protocolFault('the target sent a message of another length')
  let status = 0
  while (frame.left > 0) {
    const tag = readVarint(frame)
    const [field, type] = [tag >>> 3, tag & 7]
    if (type === 0) {
      const value = readVarint(frame)
      if (field === STATUS) status = value
    } else if (type === 1) frame.bytes(8)
    else if (type === 2) frame.bytes(readVarint(frame))
    else if (type === 5) frame.bytes(4)
    else throw protocolFault('the target sent an invalid message')
  }
  return STATUSES[status] ?? String(status)
}

/** At most 32 bits: nothing larger has a meaning here. */
function readVarint(fields: ByteReader): number {
  let value = 0
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = fields.uint8()
    value += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) return value
  }
  throw protocolFault('the target sent an invalid message')
}
