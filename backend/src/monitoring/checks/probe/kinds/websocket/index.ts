import { createHash } from 'node:crypto'
import { type DefinitionOf, needsText } from '@vedette/shared'
import { randomBytes } from '../../../../../platform/crypto/random.ts'
import { parseFields, ProtocolFault } from '../../http/head.ts'
import { pathOf } from '../../http/request.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import { type Conversation, converse } from '../conversation/conversation.ts'
import { readFieldLines } from '../conversation/head.ts'
import { readable } from '../conversation/readable.ts'
import type { CheckKind, ProbeFacts } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'
import { closeFrame, encodeFrame, nextMessage, PING, PONG, TEXT } from './frames.ts'

type WebsocketCheck = DefinitionOf<'websocket'>

/** The handshake of RFC 6455 over HTTP/1.1, then a message or a pong. Redirects are not followed. */
export const websocket: CheckKind<WebsocketCheck> = {
  type: 'websocket',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start(definition, attempt, tools) {
    const { url, options, assertions } = definition
    const isTls = url.toLowerCase().startsWith('wss:')
    const target = { url, defaultPort: isTls ? 443 : 80, verify: options.verify_tls }
    const isReading = options.expect !== '' || needsText(assertions)
    converse(attempt, tools, { ...target, tls: isTls ? 'implicit' : 'off' }, async (conversation) => {
      await upgrade(conversation, definition, attempt.facts)
      if (options.send !== '') conversation.write(encodeFrame(TEXT, Buffer.from(options.send)))
      const body = isReading ? await messageWith(conversation, options.expect) : await pong(conversation)
      conversation.write(closeFrame())
      return body
    })
  },
}

async function upgrade(
  conversation: Conversation,
  { url: address, options, credentials }: WebsocketCheck,
  facts: ProbeFacts,
): Promise<void> {
  const url = new URL(address)
  const key = randomBytes(16).toString('base64')
  const lines = [
    `GET ${pathOf(url)} HTTP/1.1`,
    `Host: ${url.host}`,
    'User-Agent: Vedette',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${key}`,
    ...(options.subprotocol === '' ? [] : [`Sec-WebSocket-Protocol: ${options.subprotocol}`]),
    ...(credentials.bearer_token === undefined ? [] : [`Authorization: Bearer ${credentials.bearer_token}`]),
  ]
  conversation.write(`${lines.join('\r\n')}\r\n\r\n`)
  const fields = await readHead(conversation, facts)
  const has = (name: string, value: string) =>
    (fields.get(name) ?? '')
      .toLowerCase()
      .split(/\s*,\s*/)
      .includes(value)
  if (!has('upgrade', 'websocket') || !has('connection', 'upgrade')) throw protocolFault('the target did not change to WebSocket')
  if (fields.get('sec-websocket-accept') !== acceptOf(key)) throw protocolFault('the target answered to another handshake')
  if (fields.has('sec-websocket-extensions')) throw protocolFault('the target uses an extension that was not offered')
  if ((fields.get('sec-websocket-protocol') ?? '') !== options.subprotocol)
    throw protocolFault(
      options.subprotocol === ''
        ? 'the target chose a subprotocol that was not offered'
        : 'the target did not accept the subprotocol',
    )
}

/** Fields by their names in lower case. Throws unless the target changes its protocol. */
async function readHead(conversation: Conversation, facts: ProbeFacts): Promise<ReadonlyMap<string, string>> {
  const statusLine = await conversation.readLine()
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1]
  if (status === undefined) throw protocolFault('the target does not speak HTTP')
  facts.statusLine = readable(statusLine)
  if (status !== '101') {
    facts.statusCode = Number(status)
    throw protocolFault(`the target answered with status ${status} instead of 101 (Switching Protocols)`)
  }
  const lines = await readFieldLines(conversation.readLine)
  try {
    return parseFields(lines).headers
  } catch (error) {
    throw error instanceof ProtocolFault ? protocolFault(error.message) : error
  }
}

/** Of RFC 6455. */
const acceptOf = (key: string): string => createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

/** The first message that contains a text. */
async function messageWith(conversation: Conversation, text: string): Promise<Buffer> {
  for (;;) {
    const { opcode, payload } = await nextMessage(conversation)
    if (opcode !== PONG && payload.includes(text)) return payload
  }
}

/** Messages that come before it do not matter. */
async function pong(conversation: Conversation): Promise<Buffer> {
  const question = randomBytes(8)
  conversation.write(encodeFrame(PING, question))
  for (;;) {
    const { opcode, payload } = await nextMessage(conversation)
    if (opcode === PONG && payload.equals(question)) return Buffer.alloc(0)
  }
}
