import { ByteReader } from '../conversation/byte-reader.ts'
import { CheckFault, loginRefused, protocolFault } from '../conversation/check-fault.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'

/** Packets of the client/server protocol of MySQL and MariaDB: length in three bytes, sequence number, payload. */
export interface Packets {
  /** Sends a packet within an exchange. */
  send(payload: Buffer): void
  /** Begins an exchange. */
  command(code: number, text?: string): void
  /** The payload of the next packet; throws for an ERR packet. */
  next(during: string): Promise<Buffer>
}

export const OK = 0x00
export const EOF = 0xfe
const ERR = 0xff
/** A longer payload continues in the next packet; no answer that a check reads is that long. */
const MAX_PAYLOAD = 0xffffff

export function createPackets(conversation: Conversation): Packets {
  let sequence = 0
  const send = (payload: Buffer) => {
    const head = Buffer.alloc(4)
    head.writeUIntLE(payload.length, 0, 3)
    head[3] = sequence++ & 0xff
    conversation.write(Buffer.concat([head, payload]))
  }
  return {
    send,
    command(code, text = '') {
      sequence = 0
      send(Buffer.concat([Buffer.from([code]), Buffer.from(text)]))
    },
    async next(during) {
      const head = await conversation.read(4)
      const length = head.readUIntLE(0, 3)
      if (length === 0 || length === MAX_PAYLOAD || head[3] !== (sequence & 0xff))
        throw protocolFault('the target does not speak the protocol of MySQL')
      sequence++
      const payload = await conversation.read(length)
      if (payload[0] === ERR) throw errorOf(payload, during)
      return payload
    },
  }
}

/** Access denied: by password, to a database, by the account's rules, and an account that is locked or without a password. */
const REFUSED_LOGINS = new Set([1044, 1045, 1698, 3118, 4151])

/** An ERR packet, with its number. */
export class ServerError extends CheckFault {
  readonly number: number
  constructor(number: number, message: string) {
    super('protocol', message)
    this.number = number
  }
}

/** `#` and a state of five characters come before the message, except in the first packet of a connection. */
function errorOf(payload: Buffer, during: string): CheckFault {
  const fields = new ByteReader(payload.subarray(1))
  const number = fields.uint16Le()
  if (REFUSED_LOGINS.has(number)) return loginRefused(String(number))
  const text = fields
    .rest()
    .toString()
    .replace(/^#.{5}/, '')
  return new ServerError(number, `${during}: ${readable(text)} (${number})`)
}

/** A length-encoded integer; undefined for NULL, which stands in its place in a row. */
export function readLength(fields: ByteReader): number | undefined {
  const first = fields.uint8()
  if (first < 0xfb) return first
  if (first === 0xfb) return undefined
  if (first === 0xfc) return fields.uint16Le()
  if (first === 0xfd) return fields.uint16Le() + fields.uint8() * 65_536
  // Eight bytes: longer than any answer that is read.
  throw protocolFault('the target sent a message that is too large')
}

/** A length-encoded text. */
export function readBytes(fields: ByteReader): Buffer | undefined {
  const length = readLength(fields)
  return length === undefined ? undefined : fields.bytes(length)
}
