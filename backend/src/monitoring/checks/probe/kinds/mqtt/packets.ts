import { ByteReader } from '../conversation/byte-reader.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import type { Conversation } from '../conversation/conversation.ts'

/** Control packets of MQTT 3.1.1 and 5.0, as far as a client needs them that subscribes with QoS 0. */
export const CONNACK = 2
export const PUBLISH = 3
export const SUBACK = 9
export const DISCONNECT = 14
export const GOODBYE = Buffer.from([DISCONNECT << 4, 0])

/** The number of the protocol in CONNECT. */
export type Level = 4 | 5

export interface Packet {
  type: number
  flags: number
  fields: ByteReader
}

export const NO_MQTT = 'the target does not speak the protocol of MQTT'

/** The next packet, of one of these types. Its length has seven bits in each byte, at most four of them (5.0, 1.5.5). */
export async function nextPacket(conversation: Conversation, ...types: readonly number[]): Promise<Packet> {
  const start = await conversation.read(2)
  const head = start.readUInt8()
  if (!types.includes(head >> 4)) throw protocolFault(NO_MQTT)
  let byte = start.readUInt8(1)
  let length = byte & 0x7f
  for (let shift = 7; byte >= 0x80; shift += 7) {
    if (shift > 21) throw protocolFault(NO_MQTT)
    byte = (await conversation.read(1)).readUInt8()
    length |= (byte & 0x7f) << shift
  }
  return { type: head >> 4, flags: head & 0x0f, fields: new ByteReader(await conversation.read(length)) }
}

/** In version 5.0 there are properties in front of the payload of most packets, which are skipped. */
export function skipProperties(fields: ByteReader, level: Level): void {
  if (level === 4) return
  let length = 0
  for (let shift = 0; ; shift += 7) {
    const byte = fields.uint8()
    length |= (byte & 0x7f) << shift
    if (byte < 0x80) break
    if (shift === 21) throw protocolFault(NO_MQTT)
  }
  fields.bytes(length)
}

const NO_PROPERTIES: Record<Level, Buffer> = { 4: Buffer.alloc(0), 5: Buffer.alloc(1) }

function encode(head: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const length: number[] = []
  for (let left = body.length; ; left >>= 7) {
    length.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0))
    if (left <= 0x7f) break
  }
  return Buffer.concat([Buffer.from([head, ...length]), body])
}

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])
const binary = (text: string): Buffer => Buffer.concat([uint16(Buffer.byteLength(text)), Buffer.from(text)])

interface Client {
  id: string
  username: string
  password: string
  keepAliveSeconds: number
}

const CLEAN_SESSION = 0x02

export function connect(level: Level, { id, username, password, keepAliveSeconds }: Client): Buffer {
  const flags = CLEAN_SESSION | (username === '' ? 0 : 0x80) | (password === '' ? 0 : 0x40)
  return encode(
    0x10,
    binary('MQTT'),
    Buffer.from([level, flags]),
    uint16(keepAliveSeconds),
    NO_PROPERTIES[level],
    ...[id, ...[username, password].filter((text) => text !== '')].map(binary),
  )
}

/** With QoS 0: the broker need not keep anything for a client that leaves. */
export const subscribe = (level: Level, topic: string): Buffer =>
  encode(0x82, uint16(1), NO_PROPERTIES[level], binary(topic), Buffer.alloc(1))

export interface Message {
  topic: string
  isRetained: boolean
  payload: Buffer
}

export function messageOf({ flags, fields }: Packet, level: Level): Message {
  const topic = fields.bytes(fields.uint16Be()).toString()
  // An alias may stand for it (5.0, 3.3.2.3.4), which this client does not allow.
  if (topic === '') throw protocolFault(NO_MQTT)
  if ((flags & 0x06) !== 0) fields.uint16Be()
  skipProperties(fields, level)
  return { topic, isRetained: (flags & 1) === 1, payload: fields.rest() }
}
