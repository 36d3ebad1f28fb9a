import { randomInt } from 'node:crypto'
import { CHAT_SERVICES } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAlertFixture } from '../../../../test/alert-fixture.ts'
import type { Credentials } from '../../../../test/harness.ts'
import { encodeId } from '../../../platform/ids.ts'
import { type Chats, codeIn, startChats } from './scene.ts'

let chats: Chats
beforeAll(async () => {
  chats = await startChats()
})
afterAll(() => chats.close())

/** A member whose account of this chat is connected. */
async function connected(service: (typeof CHAT_SERVICES)[number], role: 'member' | 'viewer' = 'member') {
  const as = await chats.backend.member(chats.organization, role)
  const user = String(randomInt(2 ** 40))
  const text = await chats.press(service, { incidentId: await chats.open(), user })
  const { status, body } = await chats.connect(as, codeIn(text))
  expect(status).toBe(201)
  const { email } = (await chats.backend.call('GET', '/v1/auth/me', { as })).body
  return { as, user, email, account: body as { id: string } }
}

describe.each(CHAT_SERVICES)('buttons of %s', (service) => {
  it('show a code at the first press, and act as the member who entered it from then on [CHAT-19]', async () => {
    const id = await chats.open()
    const as = await chats.backend.member(chats.organization, 'member')
    const text = await chats.press(service, { incidentId: id, user: '4711', name: 'Ada \u202e\n Lovelace' })
    expect(text).toMatch(/^Who are you\? Enter [0-9a-f]{10} at http:\/\/127\.0\.0\.1:\d+\/settings\/profile within 10 minutes/)
    expect((await chats.read(id)).status).toBe('open')
    const { status, body } = await chats.connect(as, codeIn(text).toUpperCase())
    expect([status, body]).toEqual([201, expect.objectContaining({ service, name: 'Ada Lovelace' })])
    expect(await chats.press(service, { incidentId: id, user: '4711' })).toBe('')
    const { email } = (await chats.backend.call('GET', '/v1/auth/me', { as })).body
    const label = { slack: 'Slack', telegram: 'Telegram', discord: 'Discord' }[service]
    const incident = await chats.read(id)
    expect(incident).toMatchObject({ status: 'acknowledged', acknowledged_by: encodeId('user', as.userId) })
    expect(incident.timeline.at(-1)).toMatchObject({ type: 'acknowledged', message: `acknowledged by ${email} (${label})` })
    expect(await chats.press(service, { action: 'snooze', incidentId: id, user: '4711' })).toBe('')
    expect(await chats.press(service, { action: 'resolve', incidentId: id, user: '4711' })).toBe('')
  })

  it('act no more once the account is removed, the member leaves or is a viewer [CHAT-20]', async () => {
    const { backend, organization, owner } = chats
    const id = await chats.open()
    const removed = await connected(service)
    expect((await backend.call('DELETE', `/v1/chat-accounts/${removed.account.id}`, { as: removed.as })).status).toBe(204)
    expect(await chats.press(service, { incidentId: id, user: removed.user })).toMatch(/^Who are you/)
    const left = await connected(service)
    const path = `/v1/organizations/${organization.id}/members/${encodeId('user', left.as.userId)}`
    expect((await backend.call('DELETE', path, { as: owner })).status).toBe(204)
    expect(await chats.press(service, { incidentId: id, user: left.user })).toMatch(/^Who are you/)
    const viewer = await connected(service, 'viewer')
    expect(await chats.press(service, { incidentId: id, user: viewer.user })).toBe('Your role may not change incidents.')
    expect((await chats.read(id)).status).toBe('open')
  })

  it('act for nobody once the channel has another secret, which a manager may have chosen [CHAT-21]', async () => {
    const [id, { user }] = [await chats.open(), await connected(service)]
    const field = { slack: 'signing_secret', telegram: 'webhook_secret', discord: 'public_key' }[service]
    const { db } = chats.backend.pool
    await db
      .updateTable('chat_account')
      .set({ credential: Buffer.alloc(32) })
      .where('chat_user', 'like', `%${user}`)
      .execute()
    expect([field, await chats.press(service, { incidentId: id, user })]).toEqual([field, expect.stringMatching(/^Who are you/)])
    expect((await chats.read(id)).status).toBe('open')
  })

  it('know nothing of incidents of another organization [CHAT-22]', async () => {
    const { user } = await connected(service)
    const other = await startOther()
    expect(await chats.press(service, { incidentId: other, user })).toBe('There is no such incident any more.')
    expect(await chats.press(service, { action: 'delete', incidentId: await chats.open(), user })).toBe('This button is unknown.')
  })
})

/** The id of an incident of another organization. */
async function startOther(): Promise<string> {
  const { backend } = chats
  const organization = await backend.organization()
  const owner = await backend.member(organization, 'owner')
  return encodeId('incident', await (await createAlertFixture(backend, organization, owner)).open())
}

describe('codes', () => {
  it('are good once, for ten minutes, and in their organization [CHAT-23]', async () => {
    const { backend } = chats
    const [as, other] = [
      await backend.member(chats.organization, 'member'),
      await backend.member(await backend.organization(), 'member'),
    ]
    const press = async (user: string) => codeIn(await chats.press('discord', { incidentId: await chats.open(), user }))
    const code = await press('1')
    expect((await chats.connect(other, code)).status).toBe(400)
    expect((await chats.connect(as, code)).status).toBe(201)
    expect((await chats.connect(as, code)).body.error.details[0].path).toBe('code')
    const [replaced, latest] = [await press('2'), await press('2')]
    expect((await chats.connect(as, replaced)).status).toBe(400)
    backend.clock.advance(600_000)
    expect((await chats.connect(as, latest)).status).toBe(400)
    await backend.jobs.deleteExpired()
    const left = await backend.pool.db.selectFrom('chat_account').select('chat_user').where('chat_user', '=', '2').execute()
    expect(left).toEqual([])
  })

  it('show only the accounts of the member [CHAT-24]', async () => {
    const list = async (as: Credentials) => (await chats.backend.call('GET', '/v1/chat-accounts', { as })).body
    const { as, account } = await connected('discord')
    expect(await list(as)).toMatchObject({ total: 1, chat_accounts: [{ id: account.id, service: 'discord' }] })
    const colleague = await chats.backend.member(chats.organization, 'owner')
    expect((await list(colleague)).total).toBe(0)
    expect((await chats.backend.call('DELETE', `/v1/chat-accounts/${account.id}`, { as: colleague })).status).toBe(404)
  })
})

describe('messages', () => {
  it('have buttons while the incident is open, where the channel knows who presses them [CHAT-25]', async () => {
    await chats.alerts.deliver()
    chats.receiver.received.length = 0
    const id = await chats.open()
    await chats.alerts.deliver()
    const sent = (path: string) => JSON.parse(chats.receiver.received.find((one) => one.path.startsWith(path))?.body ?? '{}')
    const { elements } = sent('/slack').blocks.at(-1)
    expect(elements.map(({ value, text }: { value: string; text: { text: string } }) => [text.text, value])).toEqual([
      ['Acknowledge', `acknowledge ${id}`],
      ['Snooze 1 h', `snooze ${id}`],
      ['Resolve', `resolve ${id}`],
    ])
    expect(sent('/discord?with_components=true').components[0].components[0]).toMatchObject({ custom_id: `acknowledge ${id}` })
    await chats.alerts.call('PATCH', `/v1/channels/${chats.channels.slack}`, { config: { signing_secret: null } })
    chats.receiver.received.length = 0
    await chats.open()
    await chats.alerts.deliver()
    expect(sent('/slack').blocks.some(({ type }: { type: string }) => type === 'actions')).toBe(false)
  })
})
