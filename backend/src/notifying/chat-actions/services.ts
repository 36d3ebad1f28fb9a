import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import { type ChannelConfig, type ChatService, MINUTE_MS, truncateText } from '@vedette/shared'
import { CHAT_FORMATS, type Message, type OutboundRequest, telegramUrl } from '../notifications/index.ts'
import type { ChatUser } from './store.ts'

/** What a service sent. */
export interface ChatRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** As it was signed. */
  body: string
}

/** The press of a button. */
export interface Press {
  /** The same when the service sends it again; of no other press of the person. */
  id: string
  user: Omit<ChatUser, 'credential'>
  /** `acknowledge`, `snooze` or `resolve`, else it is unknown. */
  action: string
  /** `inc_…` */
  incidentId: string
  /** What only the service itself needs for its answer. */
  reply: { url?: string; queryId?: string; message?: { chat_id: number; message_id: number } }
}

/** What came of a press. */
export interface Outcome {
  /** For the person alone. */
  text: string
  /** What the message with the buttons becomes; undefined: it stays as it is. */
  message?: Message
  /** The press did what its button says: where the message shows that, the text need not be shown. */
  isDone: boolean
}

/** How the service learns what came of a press: in the response, and in requests of our own. */
export interface ChatAnswer {
  body: object | undefined
  requests?: OutboundRequest[]
}

export interface ChatKind {
  /** Of the config of a channel: what shows that the service sent a request. */
  credentialOf(config: ChannelConfig): string | undefined
  /** Whether the service sent it, by the config of the channel. */
  isGenuine(config: ChannelConfig, request: ChatRequest, nowMs: number): boolean
  /** The press in it; `pong`: only whether we are there is examined. Undefined: nothing that we handle. Throws where it is malformed. */
  read(request: ChatRequest): Press | 'pong' | undefined
  /** Shows the text as it is. */
  answer(config: ChannelConfig, press: Press, outcome: Outcome): ChatAnswer
}

/** Requests that are older, or from the future, are refused. */
const MAX_AGE_MS = 5 * MINUTE_MS

const headerOf = ({ headers }: ChatRequest, name: string): string => {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

/** Whether a time in seconds since the epoch is near. */
const isRecent = (seconds: string, nowMs: number): boolean =>
  /^\d{1,12}$/.test(seconds) && Math.abs(nowMs - Number(seconds) * 1000) <= MAX_AGE_MS

/** In a time that does not show where they differ. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

const MAX_NAME = 200
type Loose = Readonly<Record<string, unknown>>
const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
/** Of a person, as all services have it; else empty. */
const idOf = (value: unknown): string => (/^\w{1,64}$/.test(textOf(value)) ? textOf(value) : '')
const partOf = (value: unknown, name: string): Loose => {
  const part = typeof value === 'object' && value !== null ? (value as Loose)[name] : undefined
  return typeof part === 'object' && part !== null ? (part as Loose) : {}
}
/** For people: one line, without control characters. */
const nameOf = (...candidates: unknown[]): string =>
  truncateText((candidates.map(textOf).find((name) => name !== '') ?? '').replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim(), MAX_NAME)

const post = (url: string, body: object): OutboundRequest => ({
  url,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** `acknowledge inc_…` of a button. */
function pressed(text: unknown): Pick<Press, 'action' | 'incidentId'> {
  const [action = '', incidentId = ''] = textOf(text).split(' ')
  return { action, incidentId }
}

/** Block actions, https://docs.slack.dev/interactivity/handling-user-interaction/; signatures as in /authentication/verifying-requests-from-slack */
const slack: ChatKind = {
  credentialOf: ({ signing_secret: secret }) => secret,
  isGenuine: ({ signing_secret: secret }, request, nowMs) => {
    const at = headerOf(request, 'x-slack-request-timestamp')
    if (secret === undefined || !isRecent(at, nowMs)) return false
    const signature = `v0=${createHmac('sha256', secret).update(`v0:${at}:${request.body}`).digest('hex')}`
    return isSame(signature, headerOf(request, 'x-slack-signature'))
  },
  read: ({ body }) => {
    const payload = JSON.parse(new URLSearchParams(body).get('payload') ?? '') as Loose
    const user = partOf(payload, 'user')
    const team = idOf(partOf(payload, 'team')['id']) || idOf(user['team_id'])
    const actions = payload['actions']
    const first = (Array.isArray(actions) ? actions[0] : undefined) as Loose | undefined
    if (payload['type'] !== 'block_actions' || !first || !team || !idOf(user['id'])) return undefined
    // The link to the incident is a button too.
    if (first['value'] === undefined) return undefined
    return {
      // When the person pressed.
      id: textOf(first['action_ts']) || body,
      user: { service: 'slack', id: `${team} ${textOf(user['id'])}`, name: nameOf(user['name'], user['username'], user['id']) },
      ...pressed(first['value']),
      reply: { url: textOf(payload['response_url']) },
    }
  },
  // With `replace_original` the message is replaced, https://docs.slack.dev/interactivity/handling-user-interaction#updating_message_response
  answer: ({ url = '' }, { reply }, { text, message, isDone }) => {
    const shown = { text: CHAT_FORMATS.slack.escape(text), mrkdwn: false }
    const bodies = [
      ...(message ? [{ replace_original: true, ...CHAT_FORMATS.slack.toUpdate(message) }] : []),
      ...(message && isDone ? [] : [{ response_type: 'ephemeral', replace_original: false, ...shown }]),
    ]
    // The service that the channel posts to, and no other.
    const isOwn = URL.parse(reply.url ?? '')?.origin === URL.parse(url)?.origin
    return { body: undefined, requests: isOwn ? bodies.map((body) => post(reply.url ?? '', body)) : [] }
  },
}

const PING = 1
const COMPONENT = 3
const PONG = { type: 1 }

/** https://discord.com/developers/docs/interactions/receiving-and-responding */
const discord: ChatKind = {
  credentialOf: ({ public_key: key }) => key?.toLowerCase(),
  isGenuine: ({ public_key: key = '' }, request, nowMs) => {
    const at = headerOf(request, 'x-signature-timestamp')
    const signature = headerOf(request, 'x-signature-ed25519')
    if (!/^[0-9a-f]{64}$/i.test(key) || !/^[0-9a-f]{128}$/i.test(signature) || !isRecent(at, nowMs)) return false
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key, 'hex').toString('base64url') }
    return verify(
      null,
      Buffer.from(at + request.body),
      createPublicKey({ key: jwk, format: 'jwk' }),
      Buffer.from(signature, 'hex'),
    )
  },
  read: ({ body }) => {
    const payload = JSON.parse(body) as Loose
    if (payload['type'] === PING) return 'pong'
    const member = partOf(partOf(payload, 'member'), 'user')
    const user = textOf(member['id']) === '' ? partOf(payload, 'user') : member
    if (payload['type'] !== COMPONENT || !idOf(user['id'])) return undefined
    return {
      id: textOf(payload['id']) || body,
      user: { service: 'discord', id: textOf(user['id']), name: nameOf(user['global_name'], user['username'], user['id']) },
      ...pressed(partOf(payload, 'data')['custom_id']),
      reply: {},
    }
  },
  // Only one response is possible. Type 7: the message becomes this one; type 4: a message; flag 64: for the person alone.
  answer: (_config, _press, { text, message, isDone }) => ({
    body:
      message && isDone
        ? { type: 7, data: CHAT_FORMATS.discord.toUpdate(message) }
        : { type: 4, data: { content: CHAT_FORMATS.discord.escape(text), flags: 64, allowed_mentions: { parse: [] } } },
  }),
}

/** An alert has at most 200 characters. */
const MAX_ALERT = 200

/** https://core.telegram.org/bots/api#setwebhook and #callbackquery; the response is a call of the API. */
const telegram: ChatKind = {
  credentialOf: ({ webhook_secret: secret }) => secret,
  isGenuine: ({ webhook_secret: secret }, request) =>
    secret !== undefined && isSame(secret, headerOf(request, 'x-telegram-bot-api-secret-token')),
  read: ({ body }) => {
    const update = JSON.parse(body) as Loose
    const query = partOf(update, 'callback_query')
    const from = partOf(query, 'from')
    if (!textOf(query['id']) || !idOf(from['id'])) return undefined
    return {
      id: textOf(update['update_id']) || body,
      user: { service: 'telegram', id: textOf(from['id']), name: nameOf(from['username'], from['first_name'], from['id']) },
      ...pressed(query['data']),
      reply: { queryId: textOf(query['id']), ...messageOf(query) },
    }
  },
  // The response is one call, and every query has to be answered: the message is edited by a request.
  answer: ({ bot_token: token = '' }, { reply }, { text, message, isDone }) => {
    const answered = { callback_query_id: reply.queryId, text: truncateText(text, MAX_ALERT), show_alert: !isDone }
    const edited = message && reply.message && { ...reply.message, ...CHAT_FORMATS.telegram.toUpdate(message) }
    const requests = edited ? [post(telegramUrl(token, 'editMessageText'), edited)] : []
    return { body: { method: 'answerCallbackQuery', ...answered }, requests }
  },
}

/** Where the button is; a message that is too old has none. */
function messageOf(query: Loose): Pick<Press['reply'], 'message'> {
  const message = partOf(query, 'message')
  const { id } = partOf(message, 'chat')
  const { message_id: messageId } = message
  const isPlace = Number.isSafeInteger(id) && Number.isSafeInteger(messageId)
  return isPlace ? { message: { chat_id: Number(id), message_id: Number(messageId) } } : {}
}

export const CHAT_KINDS: Readonly<Record<ChatService, ChatKind>> = { slack, telegram, discord }
/** What a service is answered that only examines whether we are there. */
export const PONG_BODY: object = PONG
