import { CHAT_SERVICES, type ChatService } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeId, newId } from '../../../platform/ids.ts'
import { type Chats, codeIn, type Forgery, SLACK_SECRET, startChats } from './scene.ts'

let chats: Chats
const users: Partial<Record<ChatService, string>> = {}
beforeAll(async () => {
  chats = await startChats()
  // Who would be allowed to act.
  for (const service of CHAT_SERVICES) {
    users[service] = `7${service.length}`
    const text = await chats.press(service, { incidentId: await chats.open(), user: users[service] })
    await chats.connect(chats.owner, codeIn(text))
  }
})
afterAll(() => chats.close())

/** Headers by which each service signs. */
const SIGNATURE = {
  slack: 'x-slack-signature',
  discord: 'x-signature-ed25519',
  telegram: 'x-telegram-bot-api-secret-token',
} as const
const TIME = { slack: 'x-slack-request-timestamp', discord: 'x-signature-timestamp' } as const
const MINUTE_MS = 60_000

const COMMON: Record<string, (service: ChatService) => Forgery> = {
  'with another secret': () => ({ secret: 'of somebody else' }),
  'without a signature': (service) => ({ headers: { [SIGNATURE[service]]: undefined } }),
  'with an empty signature': (service) => ({ headers: { [SIGNATURE[service]]: '' } }),
  'with a short signature': (service) => ({ headers: { [SIGNATURE[service]]: 'v0=00' } }),
  'to an unknown channel': () => ({ channelId: encodeId('channel', newId()) }),
  'to no channel': () => ({ channelId: 'nonsense' }),
  'to a channel of another type': (service) => ({
    channelId: chats.channels[CHAT_SERVICES.find((one) => one !== service) as ChatService],
  }),
  'to the route of another service': (service) => ({
    service: CHAT_SERVICES.find((one) => one !== service) as ChatService,
  }),
}
const SIGNED: Record<string, (service: 'slack' | 'discord') => Forgery> = {
  'with another body': () => ({ body: (body) => body.replace('acknowledge', 'acknowledge ') }),
  'with another person': (service) => ({ body: (body) => body.replaceAll(users[service] as string, '99') }),
  'with a body that was cut': () => ({ body: (body) => body.slice(0, -1) }),
  'six minutes old': () => ({ atMs: chats.backend.clock.now() - 6 * MINUTE_MS }),
  'six minutes early': () => ({ atMs: chats.backend.clock.now() + 6 * MINUTE_MS }),
  'with a newer time': (service) => ({ headers: { [TIME[service]]: String(Math.floor(chats.backend.clock.now() / 1000) + 1) } }),
  'without a time': (service) => ({ headers: { [TIME[service]]: undefined } }),
  'with a time that is none': (service) => ({ headers: { [TIME[service]]: '1e9' } }),
}

const REFUSED = [401, 'The request is not signed by the chat.', 'open']

/** The status, the message and whether the incident is open still. */
async function refusalOf(service: ChatService, forgery: Forgery) {
  const incidentId = await chats.open()
  const body = chats.bodyOf(service, { incidentId, user: users[service] as string })
  const { status, text } = await chats.send(service, body, forgery)
  return [status, JSON.parse(text).error.message, (await chats.read(incidentId)).status]
}

describe.each(CHAT_SERVICES)('a press of %s is refused', (service) => {
  it.each(Object.entries(COMMON))('%s', async (_, make) => {
    expect(await refusalOf(service, make(service))).toEqual(REFUSED)
  })

  it('when the channel is disabled [CHAT-26]', async () => {
    const path = `/v1/channels/${chats.channels[service]}`
    await chats.alerts.call('PATCH', path, { enabled: false })
    expect(await refusalOf(service, {})).toEqual(REFUSED)
    await chats.alerts.call('PATCH', path, { enabled: true })
  })

  it('when it is too long, or is nothing that the service sends [CHAT-27]', async () => {
    const long = await chats.send(service, 'x'.repeat(70_000))
    expect(long.status).toBe(413)
    for (const body of ['nonsense', '{', '[]', '{"type":3}', 'payload={'])
      expect([200, 400]).toContain((await chats.send(service, body)).status)
  })
})

describe.each(['slack', 'discord'] as const)('a press of %s is refused', (service) => {
  it.each(Object.entries(SIGNED))('%s', async (_, make) => {
    expect(await refusalOf(service, make(service))).toEqual(REFUSED)
  })
})

it.each(['\u0000', 'x'.repeat(20_000), 'a b'])('a person with an id that no chat has does nothing [CHAT-28]', async (user) => {
  const incidentId = await chats.open()
  for (const service of CHAT_SERVICES)
    expect((await chats.send(service, chats.bodyOf(service, { incidentId, user }))).status).toBe(200)
  expect((await chats.read(incidentId)).status).toBe('open')
})

it('an answer goes to the service of the channel alone [CHAT-29]', async () => {
  const incidentId = await chats.open()
  const body = decodeURIComponent(chats.bodyOf('slack', { incidentId, user: users.slack as string }))
  const elsewhere = body.replace(`${chats.receiver.url}/answers`, 'http://127.0.0.1:9/answers').slice('payload='.length)
  const { requests } = await chats.send('slack', new URLSearchParams({ payload: elsewhere.replaceAll('+', ' ') }).toString(), {
    secret: SLACK_SECRET,
  })
  expect((await chats.read(incidentId)).status).toBe('acknowledged')
  expect(requests).toEqual([])
})

it('Discord is answered that examines whether we are there [CHAT-30]', async () => {
  const { status, text } = await chats.send('discord', '{"type":1}')
  expect([status, JSON.parse(text)]).toEqual([200, { type: 1 }])
  expect((await chats.send('discord', '{"type":1}', { secret: 'x' })).status).toBe(401)
})
