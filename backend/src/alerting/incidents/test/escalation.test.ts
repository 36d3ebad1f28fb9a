import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AlertFixture, createAlertFixture, LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { encodeId, parseId } from '../../../platform/ids.ts'

/** 10:00 in Berlin. */
const START = Date.parse('2026-11-27T09:00:00Z')
const [MINUTE, DAY] = [60_000, 86_400_000]

let backend: TestBackend
let second: TestBackend
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  backend = await startTestBackend({ startMs: START, environment: LOCAL_TARGETS })
  second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock, environment: LOCAL_TARGETS })
})
afterAll(async () => {
  await second.close()
  await backend.close()
  await receiver.close()
})

type Person = Credentials & { userId: string; id: string }
let organization: TestOrganization
let owner: Person
let [ada, ben]: [Person, Person] = [undefined as never, undefined as never]
let alerts: AlertFixture
beforeEach(async () => {
  // At the same time of another day, without the incidents of others.
  await backend.pool.db.deleteFrom('open_incident').execute()
  await backend.pool.db.deleteFrom('notification_delivery').execute()
  backend.clock.advance(DAY - ((backend.clock.now() - START) % DAY))
  await backend.jobs.keepPartitions()
  organization = await backend.organization()
  owner = await person('owner', 'olga')
  ada = await person('member', 'ada')
  ben = await person('member', 'ben')
  alerts = await createAlertFixture(backend, organization, owner)
  receiver.received.length = 0
})

/** A member who is reached at a topic of their own. */
async function person(role: 'owner' | 'member', topic: string): Promise<Person> {
  const as = await backend.member(organization, role)
  const body = { type: 'ntfy', config: { url: receiver.url, topic } }
  const made = await backend.call('POST', '/v1/contact-methods', { as, body })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return { ...as, id: encodeId('user', as.userId) }
}

const policy = async (steps: object[], own: object = {}): Promise<string> => {
  const { id } = await alerts.call('POST', '/v1/escalation-policies', { name: 'Shop', steps, ...own })
  await alerts.call('PATCH', `/v1/alert-rules/${alerts.ruleId}`, { escalation_policy_id: id, channel_ids: [] })
  return id
}
/** Time passes, and what is due by then is sent. */
const after = async (minutes: number): Promise<void> => {
  backend.clock.advance(minutes * MINUTE)
  await backend.jobs.escalate()
  await alerts.deliver()
}
/** Topic and title of what has arrived since the last call. */
const arrived = (): string[] =>
  receiver.received.splice(0).map(({ body }) => {
    const { topic, title } = JSON.parse(body) as { topic: string; title: string }
    return `${topic}: ${title}`
  })
const timeline = async (id: string): Promise<string[]> => {
  const incident = await alerts.call('GET', `/v1/incidents/${encodeId('incident', id)}`)
  return incident.timeline.map(({ type, message }: { type: string; message: string }) => `${type}: ${message}`)
}
const emailOf = async (as: Credentials): Promise<string> => (await backend.call('GET', '/v1/auth/me', { as })).body.email
const DOWN = 'Shop is down: no answer'

describe('an incident of an escalation policy', () => {
  it('goes from step to step while nobody acknowledges it, each once, and is over after its repeats [ESC-07]', async () => {
    await policy(
      [
        { user_ids: [ada.id], wait_seconds: 300 },
        { user_ids: [ben.id], wait_seconds: 600 },
      ],
      { repeats: 1 },
    )
    const id = await alerts.open()
    await alerts.deliver()
    expect(arrived()).toEqual([`ada: ${DOWN}`])
    await after(4)
    expect(arrived()).toEqual([])
    await after(1)
    expect(arrived()).toEqual([`ben: Still open: ${DOWN}`])
    await after(10)
    expect(arrived()).toEqual([`ada: Still open: ${DOWN}`])
    await after(5)
    expect(arrived()).toEqual([`ben: Still open: ${DOWN}`])
    await after(600)
    expect(arrived()).toEqual([])
    const [adaEmail, benEmail] = [await emailOf(ada), await emailOf(ben)]
    expect((await timeline(id)).slice(1)).toEqual([
      `notified: step 1 of Shop: ${adaEmail}`,
      `notified: step 2 of Shop: ${benEmail}`,
      `notified: step 1 of Shop: ${adaEmail}`,
      `notified: step 2 of Shop: ${benEmail}`,
    ])
    await alerts.resolve(id)
    await alerts.deliver()
    expect(arrived().toSorted()).toEqual([`ada: Resolved: ${DOWN}`, `ben: Resolved: ${DOWN}`])
  })

  it('stops at the acknowledgement, and at the end [ESC-08]', async () => {
    await policy([{ user_ids: [ada.id] }, { user_ids: [ben.id] }])
    const [id, other] = [await alerts.open(), await alerts.open()]
    await alerts.acknowledge(id)
    await alerts.resolve(other)
    await alerts.deliver()
    arrived()
    await after(60)
    expect(arrived()).toEqual([])
  })

  it('takes a step once where several processes run, and catches up after a pause at its own pace [ESC-09]', async () => {
    await policy([{ user_ids: [ada.id] }, { user_ids: [ben.id] }, { user_ids: [ada.id] }])
    await Promise.all(Array.from({ length: 20 }, () => alerts.open()))
    await alerts.deliver()
    expect(arrived()).toHaveLength(20)
    backend.clock.advance(60 * MINUTE)
    await Promise.all([backend.jobs.escalate(), second.jobs.escalate(), backend.jobs.escalate(), second.jobs.escalate()])
    await alerts.deliver()
    expect(arrived()).toEqual(Array.from({ length: 20 }, () => `ben: Still open: ${DOWN}`))
    const taken = backend.pool.db.selectFrom('incident_event').select('message').where('organization', '=', organization.number)
    const messages = (await taken.where('type', '=', 'notified').execute()).map(({ message }) => message.slice(0, 6))
    expect(messages.toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
      ...Array.from({ length: 20 }, () => 'step 1'),
      ...Array.from({ length: 20 }, () => 'step 2'),
    ])
    await after(5)
    expect(arrived()).toHaveLength(20)
  })

  it('passes over steps outside of their hours [ESC-10]', async () => {
    const restrictions = [{ days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], from: '12:00', to: '18:00' }]
    await policy([{ user_ids: [ada.id], restrictions }, { user_ids: [ben.id] }], { time_zone: 'Europe/Berlin', repeats: 1 })
    await alerts.open()
    await alerts.deliver()
    expect(arrived()).toEqual([`ben: ${DOWN}`])
  })

  it('goes to who is on duty, and to the owners where nobody is [ESC-11]', async () => {
    const layers = [{ user_ids: [ada.id], starts_at: new Date(backend.clock.now() + 10 * MINUTE).toISOString() }]
    const { id: schedule } = await alerts.call('POST', '/v1/schedules', { name: 'Shop', layers })
    await policy([{ schedule_ids: [schedule], wait_seconds: 900 }], { repeats: 1 })
    await alerts.open()
    await alerts.deliver()
    expect(arrived()).toEqual([`olga: ${DOWN}`])
    await after(15)
    expect(arrived()).toEqual([`ada: Still open: ${DOWN}`])
  })

  it('goes to the owners where nobody of a step can be reached, or is left [ESC-12]', async () => {
    const lost = await backend.member(organization, 'member')
    const { id: channel } = await alerts.call('POST', '/v1/channels', {
      name: 'x',
      type: 'webhook',
      config: { url: receiver.url },
    })
    await policy([{ user_ids: [encodeId('user', lost.userId)] }, { channel_ids: [channel] }])
    await alerts.open()
    await alerts.deliver()
    expect(arrived()).toEqual([`olga: ${DOWN}`])
    await alerts.call('DELETE', `/v1/channels/${channel}`)
    await after(5)
    expect(arrived()).toEqual([`olga: Still open: ${DOWN}`])
  })

  it('goes to the policy of a tag of its target in place of the channels of its rule [ESC-13]', async () => {
    await alerts.channel('ntfy', { url: receiver.url, topic: 'channel' })
    await alerts.call('POST', '/v1/escalation-policies', { name: 'Shop', steps: [{ user_ids: [ada.id] }], tags: ['shop'] })
    const monitor = async (tags: string[]) =>
      parseId('monitor', (await alerts.call('POST', '/v1/monitors', { name: 'm', url: 'http://192.0.2.1/', tags })).id) as string
    await alerts.open({ target_id: await monitor(['shop', 'web']) })
    await alerts.open({ target_id: await monitor(['web']) })
    await alerts.deliver()
    expect(arrived().toSorted()).toEqual([`ada: ${DOWN}`, `channel: ${DOWN}`])
    // Reminders of the rule are for its channels; the policy has its steps.
    await alerts.call('PATCH', `/v1/alert-rules/${alerts.ruleId}`, { repeat_seconds: 60 })
    backend.clock.advance(MINUTE)
    await backend.jobs.notifyOverdue()
    await alerts.deliver()
    expect(arrived()).toEqual([`channel: Still open: ${DOWN}`])
  })

  it('sends an e-mail to who has no contact method, and only to a verified one [ESC-14]', async () => {
    const mailed = await backend.member(organization, 'member')
    const verifiedAt = new Date(backend.clock.now())
    await backend.pool.db.updateTable('app_user').set({ email_verified_at: verifiedAt }).where('id', '=', mailed.userId).execute()
    await policy([{ user_ids: [encodeId('user', mailed.userId)] }])
    await alerts.open()
    const methods = (await backend.call('GET', '/v1/contact-methods', { as: mailed })).body.contact_methods
    expect(methods).toMatchObject([{ type: 'email', config: { to: await emailOf(mailed) } }])
    expect((await alerts.waiting()).map(({ lane }) => lane)).toEqual([parseId('channel', methods[0].id)])
  })

  it('opens again at the time of the policy, or of a snooze, and begins with the first step [ESC-15]', async () => {
    await policy([{ user_ids: [ada.id] }, { user_ids: [ben.id] }], { reopen_seconds: 7_200 })
    const id = await alerts.open()
    const path = `/v1/incidents/${encodeId('incident', id)}`
    await after(5)
    await alerts.acknowledge(id)
    await alerts.deliver()
    arrived()
    await after(119)
    expect(arrived()).toEqual([])
    await after(1)
    expect(arrived()).toEqual([`ada: Still open: ${DOWN}`])
    expect(await alerts.call('GET', path)).toMatchObject({ status: 'open', acknowledged_at: null, acknowledged_by: null })
    expect(await timeline(id)).toContain('reopened: opened again: it was acknowledged, but is not resolved')
    const snoozed = await alerts.call('POST', `${path}/acknowledge`, { snooze_seconds: 600 })
    expect(snoozed.status).toBe('acknowledged')
    await alerts.call('POST', `${path}/acknowledge`, { snooze_seconds: 1_200 })
    await after(19)
    expect((await alerts.call('GET', path)).status).toBe('acknowledged')
    await after(1)
    expect((await alerts.call('GET', path)).status).toBe('open')
    const refused = await backend.call('POST', `${path}/acknowledge`, { as: owner, body: { snooze_seconds: 299 } })
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'snooze_seconds'])
  })

  it('opens again after a snooze also without a policy, for the channels of the rule [ESC-16]', async () => {
    await alerts.channel('ntfy', { url: receiver.url, topic: 'channel' })
    const id = await alerts.open()
    await alerts.call('POST', `/v1/incidents/${encodeId('incident', id)}/acknowledge`, { snooze_seconds: 600 })
    await alerts.deliver()
    arrived()
    await after(10)
    expect(arrived()).toEqual([`channel: Still open: ${DOWN}`])
  })

  it('is one message where a thousand incidents open behind it [ESC-17]', async () => {
    await policy([{ user_ids: [ada.id] }])
    const parent = await alerts.open()
    await Promise.all(Array.from({ length: 1_000 }, () => alerts.open({ silenced: true, parent_id: parent })))
    await after(1)
    expect(arrived()).toEqual([`ada: ${DOWN}`])
    expect((await alerts.call('GET', `/v1/incidents/${encodeId('incident', parent)}`)).child_count).toBe(1_000)
  })

  it('keeps its policy: it is not deleted while a step is due [ESC-18]', async () => {
    const id = await policy([{ user_ids: [ada.id] }, { user_ids: [ben.id] }])
    await alerts.open()
    await alerts.call('PATCH', `/v1/alert-rules/${alerts.ruleId}`, { escalation_policy_id: null })
    const { status, body } = await backend.call('DELETE', `/v1/escalation-policies/${id}`, { as: owner })
    expect([status, body.error.message]).toEqual([
      409,
      'Open incidents wait for its next step (1). Acknowledge or resolve them first.',
    ])
  })
})

describe('quiet time', () => {
  const quiet = { time_zone: 'Europe/Berlin', from: '09:30', to: '11:00', critical_passes: true }
  const setQuiet = (as: Credentials) =>
    backend.call('PATCH', `/v1/organizations/${organization.id}/membership`, { as, body: { quiet_time: quiet } })

  it('holds what is not critical until its end [ESC-19]', async () => {
    await setQuiet(ada)
    await policy([{ user_ids: [ada.id, ben.id], wait_seconds: 86_400 }])
    await alerts.open({ severity: 'warning' })
    await alerts.open({ severity: 'warning', summary: 'Search is slow' })
    await alerts.deliver()
    expect(arrived().toSorted()).toEqual(['ben: Search is slow', `ben: ${DOWN}`])
    await alerts.open({ severity: 'critical', summary: 'Bank is down' })
    await alerts.deliver()
    expect(arrived().toSorted()).toEqual(['ada: Bank is down', 'ben: Bank is down'])
    await after(59)
    expect(arrived()).toEqual([])
    await after(1)
    expect(arrived().toSorted()).toEqual(['ada: Search is slow', `ada: ${DOWN}`])
  })
})
