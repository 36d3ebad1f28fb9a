import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { ChatService } from '@vedette/shared'
import { type AlertFixture, createAlertFixture, LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import {
  type Credentials,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
  TEST_SECRET,
} from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { channelEncrypter, type OutboundRequest } from '../../notifications/index.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { type App, createServer, createUnlimited } from '../../../platform/http/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { chatActionRoutes } from '../index.ts'

export const SLACK_SECRET = '8f742231b10e8888abcd99yyyzzz85a5'
export const TELEGRAM_SECRET = 'a-secret_of_the-webhook'
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const PUBLIC_KEY = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url').toString('hex')

/** What a test changes of a request that would be accepted. */
export interface Forgery {
  secret?: string
  atMs?: number
  body?: (body: string) => string
  headers?: Record<string, string | undefined>
  channelId?: string
  /** The route of another service. */
  service?: ChatService
  /** Another backend that gets it. */
  through?: Pick<App, 'inject'>
}

export interface Pressed {
  action?: string
  incidentId: string
  user?: string
  name?: string
}

/** The routes of a backend, which send nothing: the service of Telegram cannot be this machine. `sent` is what they would send. */
export async function routesOf({ pool: { db }, clock }: TestBackend, sent: OutboundRequest[] = []): Promise<App> {
  const limiter = createUnlimited(
    { auth: 1, read: 1, write: 1, agent: 1, probe: 1, ping: 1, scrape: 1, query: 1, page: 1, dashboard: 1, check: 1 },
    clock,
  )
  const app = createServer({ log: silentLog, clock, limiter, trustedProxies: 0, tls: undefined, schemas: [] })
  const send = async (request: OutboundRequest) => {
    sent.push(request)
    return { status: 200, headers: {}, text: '' }
  }
  const encrypter = channelEncrypter(createSecrets([TEST_SECRET]))
  await chatActionRoutes(app, { db, clock, encrypter, send, log: silentLog, publicUrl: () => 'http://127.0.0.1:3000' })
  await app.ready()
  return app
}

/** An organization with a channel of each chat, whose services are this machine. */
export async function startChats() {
  const receiver: Receiver = await startReceiver()
  const environment = { ...LOCAL_TARGETS, VEDETTE_RATE_LIMITS: 'off' }
  const backend: TestBackend = await startTestBackend({ environment })
  const organization: TestOrganization = await backend.organization()
  const owner = await backend.member(organization, 'owner')
  const alerts: AlertFixture = await createAlertFixture(backend, organization, owner)
  const slack = await alerts.channel('slack', { url: `${receiver.url}/slack`, signing_secret: SLACK_SECRET })
  const discord = await alerts.channel('discord', { url: `${receiver.url}/discord`, public_key: PUBLIC_KEY })
  const telegram = await alerts.channel('telegram', { bot_token: '1:x', chat_id: '-100', webhook_secret: TELEGRAM_SECRET })
  const channels: Record<ChatService, string> = { slack: slack.id, discord: discord.id, telegram: telegram.id }

  const sent: OutboundRequest[] = []
  const routes = await routesOf(backend, sent)
  let presses = 0
  /** As the documentation of the service shows it; of another press each time. */
  function bodyOf(service: ChatService, { action = 'acknowledge', incidentId, user = 'U1', name = 'ada' }: Pressed): string {
    const value = `${action} ${incidentId}`
    presses += 1
    if (service === 'discord') {
      const member = { user: { id: user, username: name, discriminator: '0' } }
      return JSON.stringify({
        id: String(presses),
        type: 3,
        data: { component_type: 2, custom_id: value },
        member,
        token: 'x',
        version: 1,
      })
    }
    if (service === 'telegram') {
      const message = { message_id: presses, chat: { id: -100, type: 'group' } }
      return JSON.stringify({
        update_id: presses,
        callback_query: { id: '42', from: { id: user, is_bot: false, first_name: name }, message, data: value },
      })
    }
    const payload = {
      type: 'block_actions',
      user: { id: user, username: name, name, team_id: 'T1' },
      team: { id: 'T1', domain: 'example' },
      actions: [{ type: 'button', action_id: action, block_id: 'x', value, action_ts: `1548426417.${presses}` }],
      response_url: `${receiver.url}/answers/${presses}`,
    }
    return new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  }

  function headersOf(
    service: ChatService,
    body: string,
    { secret, atMs = backend.clock.now() }: Forgery,
  ): Record<string, string> {
    const at = String(Math.floor(atMs / 1000))
    if (service === 'telegram')
      return { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret ?? TELEGRAM_SECRET }
    if (service === 'discord') {
      const key = secret === undefined ? privateKey : generateKeyPairSync('ed25519').privateKey
      const signature = sign(null, Buffer.from(at + body), key).toString('hex')
      return { 'content-type': 'application/json', 'x-signature-timestamp': at, 'x-signature-ed25519': signature }
    }
    const digest = createHmac('sha256', secret ?? SLACK_SECRET)
      .update(`v0:${at}:${body}`)
      .digest('hex')
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return { ...type, 'x-slack-request-timestamp': at, 'x-slack-signature': `v0=${digest}` }
  }

  /** With what is sent for this press. */
  async function send(service: ChatService, body: string, forgery: Forgery = {}) {
    const press = (/answers\/(\d+)/.exec(decodeURIComponent(body)) ?? /"message_id":(\d+)/.exec(body))?.[1]
    const isOfPress = ({ url, body: text }: OutboundRequest) =>
      url.endsWith(`/answers/${press}`) || String(JSON.parse(String(text)).message_id) === press
    const earlier = sent.filter(isOfPress).length
    const headers = Object.entries({ ...headersOf(service, body, forgery), ...forgery.headers })
    const answer = await (forgery.through ?? routes).inject({
      method: 'POST',
      url: `/chat-actions/${forgery.service ?? service}/${forgery.channelId ?? channels[service]}`,
      headers: Object.fromEntries(headers.filter(([, value]) => value !== undefined)),
      payload: forgery.body?.(body) ?? body,
    })
    const requests = sent.filter(isOfPress).slice(earlier)
    return { status: answer.statusCode, text: answer.body, requests }
  }

  return {
    backend,
    organization,
    owner,
    alerts,
    channels,
    receiver,
    bodyOf,
    send,
    /** The text that the person who pressed sees. */
    async press(service: ChatService, pressed: Pressed, forgery: Forgery = {}): Promise<string> {
      return textOf(service, await send(service, bodyOf(service, pressed), forgery))
    },
    async open(): Promise<string> {
      return encodeId('incident', await alerts.open())
    },
    read: (id: string) => alerts.call('GET', `/v1/incidents/${id}`),
    /** Connects the person of a code. */
    connect: (as: Credentials, code: string) => backend.call('POST', '/v1/chat-accounts', { as, body: { code } }),
    async close() {
      await routes.close()
      await backend.close()
      await receiver.close()
    },
  }
}
export type Chats = Awaited<ReturnType<typeof startChats>>

/** The text in an answer that the person alone has to see; empty where the message shows what the press did. */
export function textOf(service: ChatService, { text, requests }: { text: string; requests: OutboundRequest[] }): string {
  const body = service === 'slack' ? {} : JSON.parse(text)
  if (service === 'discord') return body.type === 4 ? body.data.content : ''
  if (service === 'telegram') return body.show_alert ? body.text : ''
  return requests.map(({ body }) => JSON.parse(String(body))).find(({ response_type: type }) => type === 'ephemeral')?.text ?? ''
}

export const codeIn = (text: string): string => /Enter ([0-9a-f]{10}) at/.exec(text)?.[1] ?? ''
