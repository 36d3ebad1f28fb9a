import { randomBytes } from '../../../../../platform/crypto/random.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'

/** Frames of RFC 6455, without extensions. */

const CONTINUATION = 0
export const TEXT = 1
const BINARY = 2
const CLOSE = 8
export const PING = 9
export const PONG = 10

const FINAL = 0x80
const MASKED = 0x80
const MAX_CONTROL_BYTES = 125

/** A frame of a client: final, and masked as the protocol wants it. */
export function encodeFrame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload
  const size = length < 126 ? [length] : [126, length >> 8, length & 0xff]
  const mask = randomBytes(4)
  const head = [FINAL | opcode, MASKED | (size[0] as number), ...size.slice(1)]
  return Buffer.concat([Buffer.from(head), mask, payload.map((byte, index) => byte ^ (mask[index % 4] as number))])
}

/** The end of a conversation: status 1000. */
export const closeFrame = (): Buffer => encodeFrame(CLOSE, Buffer.from([0x03, 0xe8]))

export interface Received {
  opcode: number
  payload: Buffer
}

/** Returns the next whole message or pong, and answers pings. Throws when the target closes. */
export async function nextMessage(conversation: Conversation): Promise<Received> {
  let begun: { opcode: number; parts: Buffer[] } | undefined
  for (;;) {
    const { isFinal, opcode, payload } = await readFrame(conversation)
    if (opcode === CLOSE) throw protocolFault(closedBy(payload))
    if (opcode === PING) conversation.write(encodeFrame(PONG, payload))
    else if (opcode === PONG) return { opcode, payload }
    else {
      if ((opcode === CONTINUATION) !== (begun !== undefined)) throw protocolFault('the target mixes the parts of messages')
      begun ??= { opcode, parts: [] }
      begun.parts.push(payload)
      if (isFinal) return { opcode: begun.opcode, payload: Buffer.concat(begun.parts) }
    }
  }
}

async function readFrame(conversation: Conversation): Promise<Received & { isFinal: boolean }> {
  const [first = 0, second = 0] = await conversation.read(2)
  const opcode = first & 0x0f
  const isFinal = (first & FINAL) !== 0
  const isControl = opcode >= CLOSE
  if ((first & 0x70) !== 0 || ![CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG].includes(opcode))
    throw protocolFault('the target sent a frame that WebSockets do not have')
  if ((second & MASKED) !== 0) throw protocolFault('the target sent a masked frame')
  if (isControl && (!isFinal || second > MAX_CONTROL_BYTES)) throw protocolFault('the target sent an invalid control frame')
  return { isFinal, opcode, payload: await conversation.read(await lengthOf(conversation, second)) }
}

async function lengthOf(conversation: Conversation, short: number): Promise<number> {
  if (short < 126) return short
  if (short === 126) return (await conversation.read(2)).readUInt16BE()
  return Number((await conversation.read(8)).readBigUInt64BE())
}

function closedBy(payload: Buffer): string {
  const why = payload.length < 2 ? '' : ` (${readable(`${payload.readUInt16BE()} ${payload.toString('utf8', 2)}`)})`
  return `the target closed the WebSocket${why}`
}
