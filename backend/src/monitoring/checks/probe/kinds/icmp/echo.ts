import { randomBytes } from '../../../../../platform/crypto/random.ts'

/** RFC 792 and RFC 4443. */
const REQUEST = { 4: 8, 6: 128 } as const
const REPLY = { 4: 0, 6: 129 } as const
const HEADER_BYTES = 8
const SEQUENCE_AT = 6
const NUMBER_AT = HEADER_BYTES
const TOKEN_AT = NUMBER_AT + 4
const TOKEN_BYTES = 8
const END_OF_TOKEN = TOKEN_AT + TOKEN_BYTES

/**
 * An echo request with the number by which its reply is found and a token that no one else can know. The kernel fills in checksum and
 * identifier. `payloadBytes` is at least 16.
 */
export function encodeEcho(family: 4 | 6, number: number, payloadBytes: number): Buffer {
  const message = Buffer.alloc(HEADER_BYTES + payloadBytes)
  message[0] = REQUEST[family]
  message.writeUInt16BE(number & 0xffff, SEQUENCE_AT)
  message.writeUInt32BE(number, NUMBER_AT)
  nextToken().copy(message, TOKEN_AT)
  return message
}

/** The number of an echo reply; undefined for any other message. */
export function numberOfReply(family: 4 | 6, message: Buffer): number | undefined {
  return message.length >= END_OF_TOKEN && message[0] === REPLY[family] ? message.readUInt32BE(NUMBER_AT) : undefined
}

/** Whether a reply repeats a request: its sequence, number and token. */
export const isReplyTo = (request: Buffer, reply: Buffer): boolean =>
  reply.compare(request, SEQUENCE_AT, END_OF_TOKEN, SEQUENCE_AT, END_OF_TOKEN) === 0

/** Drawn many at once. */
const POOL_BYTES = 512 * TOKEN_BYTES
let pool = Buffer.alloc(0)

function nextToken(): Buffer {
  if (pool.length === 0) pool = randomBytes(POOL_BYTES)
  const token = pool.subarray(0, TOKEN_BYTES)
  pool = pool.subarray(TOKEN_BYTES)
  return token
}
