import { CHAT_SERVICES, type ChatService } from '@vedette/shared'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import type { App } from '../../../platform/http/index.ts'
import { type Chats, codeIn, routesOf, startChats } from './scene.ts'

let chats: Chats
let other: TestBackend
let through: App
beforeAll(async () => {
  chats = await startChats()
  const { databaseUrl, clock } = chats.backend
  other = await startTestBackend({ databaseUrl, clock })
  through = await routesOf(other)
  for (const service of CHAT_SERVICES) {
    const text = await chats.press(service, { incidentId: await chats.open(), user: '7' })
    await chats.connect(chats.owner, codeIn(text))
  }
})
afterAll(async () => {
  await through.close()
  await other.close()
  await chats.close()
})

const bodyOf = (service: ChatService, action: string, incidentId: string) =>
  chats.bodyOf(service, { action, incidentId, user: '7' })

/** The entries of the timeline after the first. */
const stepsOf = async (incidentId: string): Promise<string[]> =>
  (await chats.read(incidentId)).timeline.slice(1).map(({ type }: { type: string }) => type)

describe.each(CHAT_SERVICES)('a press that %s sends again', (service) => {
  it('snoozes once, also where another backend gets it minutes later [CHAT-31]', async () => {
    const incidentId = await chats.open()
    const body = bodyOf(service, 'snooze', incidentId)
    await chats.send(service, body)
    const { timeline } = await chats.read(incidentId)
    chats.backend.clock.advance(4 * 60_000)
    expect((await chats.send(service, body, { through })).status).toBe(200)
    expect((await chats.read(incidentId)).timeline).toEqual(timeline)
    expect(await stepsOf(incidentId)).toEqual(['acknowledged'])
    await chats.send(service, bodyOf(service, 'snooze', incidentId))
    expect(await stepsOf(incidentId)).toEqual(['acknowledged', 'acknowledged'])
  })

  it('snoozes once where two backends get it at the same time [CHAT-32]', async () => {
    const incidentId = await chats.open()
    const body = bodyOf(service, 'snooze', incidentId)
    const answers = await Promise.all([chats.send(service, body), chats.send(service, body, { through })])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await stepsOf(incidentId)).toEqual(['acknowledged'])
  })

  it('does not acknowledge an incident that opened again in between [CHAT-33]', async () => {
    const incidentId = await chats.open()
    const body = bodyOf(service, 'acknowledge', incidentId)
    await chats.send(service, body)
    await reopen(incidentId)
    await chats.send(service, body)
    expect((await chats.read(incidentId)).status).toBe('open')
  })

  it('acts when the first time failed [CHAT-34]', async () => {
    const incidentId = await chats.open()
    const body = bodyOf(service, 'snooze', incidentId)
    const { db } = chats.backend.pool
    await sql`alter table incident_event add constraint failing check (type <> 'acknowledged') not valid`.execute(db)
    expect((await chats.send(service, body)).status).toBe(500)
    await sql`alter table incident_event drop constraint failing`.execute(db)
    await chats.send(service, body)
    expect(await stepsOf(incidentId)).toEqual(['acknowledged'])
  })
})

/** As an acknowledgement with a time ends. */
async function reopen(incidentId: string): Promise<void> {
  await chats.alerts.call('POST', `/v1/incidents/${incidentId}/acknowledge`, { snooze_seconds: 300 })
  chats.backend.clock.advance(300_000)
  await chats.backend.jobs.escalate()
  expect((await chats.read(incidentId)).status).toBe('open')
}

it('what is recorded of presses is deleted after a day [CHAT-35]', async () => {
  const count = async () => (await chats.backend.pool.db.selectFrom('used_action_link').select('action').execute()).length
  expect(await count()).toBeGreaterThan(0)
  chats.backend.clock.advance(86_400_001)
  await chats.backend.jobs.deleteExpired()
  expect(await count()).toBe(0)
})
