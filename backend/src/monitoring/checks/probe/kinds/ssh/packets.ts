import { ByteReader } from '../conversation/byte-reader.ts'
import { uint32 } from '../conversation/bytes.ts'
import { type CheckFault, protocolFault } from '../conversation/check-fault.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'

/** The binary packets of RFC 4253, section 6, before any key is in use: neither encrypted nor authenticated. */

export const DISCONNECT = 1
const IGNORE = 2
const DEBUG = 4
export const KEXINIT = 20

export const NO_SSH = 'the target does not speak the protocol of SSH'

/** Of section 6.1, with which every implementation must cope. */
const MAX_PACKET = 35_000
const BLOCK = 8

export const string = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value as string)
  return Buffer.concat([uint32(bytes.length), bytes])
}
/** A number that is not negative, as `mpint` (RFC 4251, section 5). */
export function mpint(value: Buffer): Buffer {
  const from = value.findIndex((byte) => byte !== 0)
  const digits = from === -1 ? Buffer.alloc(0) : value.subarray(from)
  return string((digits[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), digits]) : digits)
}
export const readString = (fields: ByteReader): Buffer => fields.bytes(fields.uint32Be())

export function encode(payload: Buffer): Buffer {
  const padding = BLOCK - ((5 + payload.length) % BLOCK) + (BLOCK - ((5 + payload.length) % BLOCK) < 4 ? BLOCK : 0)
  return Buffer.concat([uint32(1 + payload.length + padding), Buffer.from([padding]), payload, Buffer.alloc(padding)])
}

/** The payload of the next packet that means something here. */
export async function nextPayload(conversation: Conversation): Promise<Buffer> {
  for (;;) {
    const length = (await conversation.read(4)).readUInt32BE()
    if (length < 2 || length > MAX_PACKET) throw protocolFault(NO_SSH)
    const packet = await conversation.read(length)
    const payload = packet.subarray(1, length - packet.readUInt8())
    if (payload.length === 0) throw protocolFault(NO_SSH)
    if (payload[0] === DISCONNECT) throw disconnected(new ByteReader(payload.subarray(1)))
    if (payload[0] !== IGNORE && payload[0] !== DEBUG) return payload
  }
}

function disconnected(fields: ByteReader): CheckFault {
  const reason = fields.uint32Be()
  return protocolFault(`the server ended the connection: ${readable(readString(fields))} (${reason})`)
}

const BY_APPLICATION = 11
/** Section 11.1. */
export const GOODBYE = encode(
  Buffer.concat([Buffer.from([DISCONNECT]), uint32(BY_APPLICATION), string('checked by Vedette'), string('')]),
)
