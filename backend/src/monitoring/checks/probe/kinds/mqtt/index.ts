import { counted, type DefinitionOf } from '@vedette/shared'
import { randomBytes } from '../../../../../platform/crypto/random.ts'
import { cellOf } from '../conversation/cell.ts'
import { loginRefused, protocolFault } from '../conversation/check-fault.ts'
import { type Conversation, converse, pathNameOf } from '../conversation/conversation.ts'
import { readable } from '../conversation/readable.ts'
import type { CheckKind, ProbeFacts } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'
import {
  CONNACK,
  connect,
  DISCONNECT,
  GOODBYE,
  type Level,
  type Message,
  messageOf,
  nextPacket,
  PUBLISH,
  skipProperties,
  SUBACK,
  subscribe,
} from './packets.ts'

type MqttCheck = DefinitionOf<'mqtt'>

/** A connection to a broker, and a message of one topic: MQTT 3.1.1 and 5.0. */
export const mqtt: CheckKind<MqttCheck> = {
  type: 'mqtt',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start(definition, attempt, tools) {
    const { url, options } = definition
    const isTls = url.startsWith('mqtts:')
    const target = { url, defaultPort: isTls ? 8883 : 1883, verify: options.verify_tls, tls: isTls ? 'implicit' : 'off' } as const
    converse(attempt, tools, target, async (conversation) => {
      const level = options.protocol_version === '5.0' ? 5 : 4
      const topic = pathNameOf(url)
      // In one segment: a client need not wait for the first answer (5.0, 3.1.4), and a broker that refuses reads nothing more.
      const subscription = topic === '' ? [] : [subscribe(level, topic)]
      conversation.write(Buffer.concat([connectionOf(level, definition), ...subscription]))
      await accepted(conversation)
      attempt.facts.statusLine = 'connected'
      const message = topic === '' ? undefined : await receive(conversation, level, options.message, attempt.facts)
      conversation.write(GOODBYE)
      return message?.payload ?? ''
    })
  },
}

/** Reasons of both versions; those of 3.1.1 are 1 to 5. */
const REASONS: Readonly<Record<number, string>> = {
  1: 'it does not speak this protocol version',
  2: 'it does not take this client id',
  3: 'it is unavailable',
  0x80: 'unspecified',
  0x84: 'it does not speak this protocol version',
  0x85: 'it does not take this client id',
  0x87: 'not authorized',
  0x88: 'it is unavailable',
  0x89: 'it is busy',
  0x8a: 'banned',
  0x8b: 'it shuts down',
  0x8e: 'another client took over the client id',
  0x8f: 'it does not take this topic',
  0x97: 'a quota is exceeded',
  0x9c: 'another server is to be used',
  0x9d: 'it has moved',
  0x9f: 'too many connections in a short time',
  0xa2: 'it has no wildcards',
}
const reasonOf = (code: number): string => REASONS[code] ?? `reason ${code}`
/** Bad user name or password, and not authorized. */
const REFUSED_LOGINS = new Set([4, 5, 0x86, 0x87, 0x8c])

function connectionOf(level: Level, { options, credentials, timeout }: MqttCheck): Buffer {
  const { username = '', password = '' } = credentials
  // 23 letters and digits, which every broker takes (3.1.1, 3.1.3.1).
  const id = options.client_id === '' ? `vedette${randomBytes(8).toString('hex')}` : options.client_id
  return connect(level, { id, username, password, keepAliveSeconds: 2 * timeout })
}

async function accepted(conversation: Conversation): Promise<void> {
  const packet = await nextPacket(conversation, CONNACK)
  packet.fields.uint8()
  const code = packet.fields.uint8()
  if (REFUSED_LOGINS.has(code)) throw loginRefused(String(code))
  if (code !== 0) throw protocolFault(`the broker refused the connection: ${reasonOf(code)}`)
}

/** The first message of the kind that is wanted; the timeout of the check ends the wait. */
async function receive(
  conversation: Conversation,
  level: Level,
  wanted: MqttCheck['options']['message'],
  facts: ProbeFacts,
): Promise<Message> {
  for (;;) {
    const packet = await nextPacket(conversation, SUBACK, PUBLISH, DISCONNECT)
    if (packet.type === SUBACK) {
      packet.fields.uint16Be()
      skipProperties(packet.fields, level)
      const code = packet.fields.uint8()
      if (code >= 0x80) throw protocolFault(`the broker refused the subscription: ${reasonOf(code)}`)
      facts.statusLine = 'subscribed, and no message so far'
    } else if (packet.type === PUBLISH) {
      const message = messageOf(packet, level)
      if (wanted !== 'any' && message.isRetained !== (wanted === 'retained')) continue
      report(message, facts)
      return message
    } else {
      const code = packet.fields.left > 0 ? packet.fields.uint8() : 0
      throw protocolFault(`the broker ended the connection: ${reasonOf(code)}`)
    }
  }
}

const DECIMAL = /^-?\d{1,15}(?:\.\d{1,9})?$/

function report({ topic, isRetained, payload }: Message, facts: ProbeFacts): void {
  const text = payload.toString()
  const shown = readable(topic, 300)
  Object.assign(facts.figures, { cell: cellOf(text, DECIMAL.test(text)), topic: shown, retained: String(isRetained) })
  facts.statusLine = counted`${isRetained ? 'a retained message' : 'a message'} of ${shown}, ${payload.length} bytes`
}
