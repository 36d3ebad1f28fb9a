import { CHAT_SERVICES, type ChatService } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Credentials } from '../../../../test/harness.ts'
import { HOSTILE_TEXTS, STEERING } from '../../../../test/outside-texts.ts'
import { decodeId } from '../../../platform/ids.ts'
import { type Chats, codeIn, startChats } from './scene.ts'

let chats: Chats
let ada: { as: Credentials & { userId: string }; email: string }
beforeAll(async () => {
  chats = await startChats()
  const as = await chats.backend.member(chats.organization, 'member')
  const { email } = (await chats.backend.call('GET', '/v1/auth/me', { as })).body
  ada = { as, email }
  for (const service of CHAT_SERVICES) {
    for (const [user, person] of [
      ['1', as],
      ['2', chats.owner],
    ] as const)
      await chats.connect(person, codeIn(await chats.press(service, { incidentId: await chats.open(), user })))
  }
})
afterAll(() => chats.close())

const MINUTE_MS = 60_000
const timeOf = (atMs: number) => new Date(atMs).toISOString().slice(11, 16)
const act = (action: string, id: string, as: Credentials) =>
  chats.backend.call('POST', `/v1/incidents/${id}/${action}`, { as, body: {} })

describe.each(CHAT_SERVICES)('a press of %s on an incident that', (service) => {
  const press = (incidentId: string, action: string, user = '2') => chats.press(service, { incidentId, action, user })

  it('is acknowledged says by whom and since when [CHAT-01]', async () => {
    const id = await chats.open()
    const at = timeOf(chats.backend.clock.now())
    await act('acknowledge', id, ada.as)
    chats.backend.clock.advance(2 * MINUTE_MS)
    expect(await press(id, 'acknowledge')).toBe(`Already acknowledged by ${ada.email}, ${at} UTC.`)
    // A snooze is no new acknowledgement, but it ends.
    expect(await press(id, 'snooze')).toBe('')
    const until = timeOf(chats.backend.clock.now() + 60 * MINUTE_MS)
    expect(await press(id, 'acknowledge')).toBe(`Already acknowledged by ${ada.email}, ${at} UTC, until ${until} UTC.`)
  })

  it('is acknowledged by the very person says so too [CHAT-02]', async () => {
    const id = await chats.open()
    expect(await press(id, 'acknowledge', '1')).toBe('')
    expect(await press(id, 'acknowledge', '1')).toMatch(`Already acknowledged by ${ada.email}, `)
  })

  it('is acknowledged again says it of the second time [CHAT-03]', async () => {
    const id = await chats.open()
    await chats.alerts.call('POST', `/v1/incidents/${id}/acknowledge`, { snooze_seconds: 300 })
    chats.backend.clock.advance(5 * MINUTE_MS)
    await chats.backend.jobs.escalate()
    await act('acknowledge', id, ada.as)
    const at = timeOf(chats.backend.clock.now())
    expect(await press(id, 'acknowledge')).toBe(`Already acknowledged by ${ada.email}, ${at} UTC.`)
  })

  it.each(['acknowledge', 'snooze', 'resolve'])('is resolved says so: %s', async (action) => {
    const id = await chats.open()
    const at = timeOf(chats.backend.clock.now())
    await press(id, 'resolve', '1')
    expect(await press(id, action)).toBe(`Already resolved by ${ada.email}, ${at} UTC.`)
  })

  it('ended by itself names nobody [CHAT-04]', async () => {
    const id = await chats.open()
    const at = timeOf(chats.backend.clock.now())
    await chats.alerts.resolve(decodeId('incident', id))
    for (const action of ['acknowledge', 'resolve']) expect(await press(id, action)).toBe(`Already resolved, ${at} UTC.`)
  })

  it('was acknowledged by an API key names nobody [CHAT-05]', async () => {
    const id = await chats.open()
    await act('acknowledge', id, await chats.backend.apiKey(chats.organization, 'admin'))
    expect(await press(id, 'acknowledge')).toMatch(/^Already acknowledged, \d\d:\d\d UTC\.$/)
  })

  it('another person changes at the same time changes it once, and one of them is answered so [CHAT-06]', async () => {
    const id = await chats.open()
    const texts = await Promise.all([press(id, 'resolve', '1'), press(id, 'resolve')])
    expect(texts.toSorted()).toEqual(['', expect.stringMatching(/^Already resolved by /)])
    const { timeline } = await chats.read(id)
    expect(timeline.filter(({ type }: { type: string }) => type === 'resolved')).toHaveLength(1)
  })

  it.each(Object.entries(HOSTILE_TEXTS))('a person acknowledged whose address has %s shows it as text', async (_what, name) => {
    const { db } = chats.backend.pool
    const rename = (email: string) => db.updateTable('app_user').set({ email }).where('id', '=', ada.as.userId).execute()
    const id = await chats.open()
    await act('acknowledge', id, ada.as)
    await rename(`${name}@example.com`)
    const text = await press(id, 'acknowledge')
    await rename(ada.email)
    expect(text).toMatch(/^Already acknowledged by [^]+, \d\d:\d\d UTC\.$/)
    expect(text).not.toMatch(STEERING)
    expect(markupOf(service, text)).toEqual([])
  })
})

it('an answer about another day names it [CHAT-07]', async () => {
  const id = await chats.open()
  const at = new Date(chats.backend.clock.now()).toISOString()
  await chats.alerts.resolve(decodeId('incident', id))
  chats.backend.clock.advance(86_400_000)
  for (const service of CHAT_SERVICES)
    expect(await chats.press(service, { incidentId: id, user: '2' })).toBe(
      `Already resolved, ${at.slice(0, 10)} ${at.slice(11, 16)} UTC.`,
    )
})

/** What the service would read as more than text. */
function markupOf(service: ChatService, text: string): string[] {
  // An answer to a callback query has no formats; Slack escapes by entities, and `mrkdwn: false` turns off what else there is.
  const patterns = { slack: /[<>]|&(?!amp;|lt;|gt;)/g, discord: /[*_~`|<>[\]#]/g, telegram: /$^/g }
  return text.replaceAll(service === 'discord' ? /\\./gsu : /$^/g, '').match(patterns[service]) ?? []
}
