import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { encodeId } from '../../../platform/ids.ts'

const UNKNOWN = '01h455vb4pex5vsknk084sn02q'
/** A Friday, 10:00 in Berlin. */
const START = Date.parse('2026-11-27T09:00:00Z')

let backend: TestBackend
let organization: TestOrganization
let owner: Credentials & { userId: string }
let ada: Credentials & { userId: string }
let channelId: string
let scheduleId: string
beforeAll(async () => {
  backend = await startTestBackend({ startMs: START })
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
  ada = await backend.member(organization, 'member')
  const channel = { name: 'Ops', type: 'webhook', config: { url: 'https://hooks.example.com/' } }
  channelId = (await backend.call('POST', '/v1/channels', { as: owner, body: channel })).body.id
  const layers = [{ user_ids: [userId(ada)], starts_at: '2026-11-30T08:00:00Z' }]
  scheduleId = (await backend.call('POST', '/v1/schedules', { as: owner, body: { name: 'Shop', layers } })).body.id
})
afterAll(() => backend.close())

const userId = (user: { userId: string }) => encodeId('user', user.userId)
const call = (method: string, path = '', body?: unknown, as: Credentials = owner) =>
  backend.call(method, `/v1/escalation-policies${path}`, { as, body })
const make = async (own: object = {}) => {
  const { status, body } = await call('POST', '', { name: 'Shop', steps: [{ user_ids: [userId(ada)] }], ...own })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}
const HOURS = [{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], from: '09:00', to: '17:00' }]

describe('/v1/escalation-policies', () => {
  it('fills defaults, changes what a body names and keeps the rest [ESC-01]', async () => {
    const made = await make({ steps: [{ channel_ids: [channelId], schedule_ids: [scheduleId], user_ids: [userId(ada)] }] })
    expect(made).toMatchObject({
      id: expect.stringMatching(/^esp_/),
      time_zone: 'UTC',
      steps: [
        {
          channel_ids: [channelId],
          schedule_ids: [scheduleId],
          user_ids: [userId(ada)],
          wait_seconds: 300,
          restrictions: [],
        },
      ],
      repeats: 0,
      reopen_seconds: null,
      tags: [],
    })
    const changed = (await call('PATCH', `/${made.id}`, { repeats: 2, tags: ['shop'] })).body
    expect(changed).toMatchObject({ repeats: 2, tags: ['shop'], steps: made.steps })
    expect((await call('GET', `/${made.id}`)).body).toEqual(changed)
    expect((await call('GET')).body.escalation_policies).toContainEqual(changed)
    expect((await call('DELETE', `/${made.id}`)).status).toBe(204)
    expect((await call('GET', `/${made.id}`)).status).toBe(404)
  })

  const faults: [object, string, string][] = [
    [{ steps: [{}] }, 'steps.0', 'must name a channel, a schedule or a member'],
    [{ steps: [{ channel_ids: [`chn_${UNKNOWN}`] }] }, 'steps.0.channel_ids.0', 'is not a channel of this organization'],
    [{ steps: [{ schedule_ids: ['nonsense'] }] }, 'steps.0.schedule_ids.0', 'is not a schedule of this organization'],
    [{ steps: [{ user_ids: [`usr_${UNKNOWN}`] }] }, 'steps.0.user_ids.0', 'is not a member of this organization'],
    [{ time_zone: 'Berlin' }, 'time_zone', 'must be a time zone, for example Europe/Berlin'],
  ]
  it.each(faults)('refuses %j at %s', async (own, path, message) => {
    const { status, body } = await call('POST', '', { name: 'x', steps: [{ user_ids: [userId(ada)] }], ...own })
    expect([status, body.error.details[0]]).toEqual([400, { path, message }])
  })

  it('refuses steps that notify nobody outside of their hours [ESC-02]', async () => {
    const { status, body } = await call('POST', '', { name: 'x', steps: [{ user_ids: [userId(ada)], restrictions: HOURS }] })
    expect([status, body.error.details[0].path]).toEqual([400, 'steps'])
  })

  it('takes nothing of another organization [ESC-03]', async () => {
    const foreign = await backend.member(await backend.organization(), 'owner')
    const { status, body } = await call('POST', '', { name: 'x', steps: [{ channel_ids: [channelId] }] }, foreign)
    expect([status, body.error.details[0].path]).toEqual([400, 'steps.0.channel_ids.0'])
    const { id } = await make()
    for (const method of ['GET', 'DELETE']) expect((await call(method, `/${id}`, undefined, foreign)).status).toBe(404)
    const rule = { name: 'x', target: { type: 'monitor' }, condition: { metric: 'status', operator: 'equals', value: 'down' } }
    const refused = await backend.call('POST', '/v1/alert-rules', { as: foreign, body: { ...rule, escalation_policy_id: id } })
    expect(refused.body.error.details).toEqual([
      { path: 'escalation_policy_id', message: 'is not an escalation policy of this organization' },
    ])
  })

  it('loses channels and schedules that are deleted, in every step [ESC-04]', async () => {
    const channel = { name: 'Old', type: 'webhook', config: { url: 'https://hooks.example.com/' } }
    const { id: old } = (await backend.call('POST', '/v1/channels', { as: owner, body: channel })).body
    const { id: gone } = (await backend.call('POST', '/v1/schedules', { as: owner, body: { name: 'Old' } })).body
    const { id } = await make({
      steps: [{ channel_ids: [old, channelId] }, { schedule_ids: [gone] }, { user_ids: [userId(ada)], channel_ids: [old] }],
    })
    await backend.call('DELETE', `/v1/channels/${old}`, { as: owner })
    await backend.call('DELETE', `/v1/schedules/${gone}`, { as: owner })
    expect((await call('GET', `/${id}`)).body.steps).toMatchObject([
      { channel_ids: [channelId] },
      { schedule_ids: [] },
      { channel_ids: [], user_ids: [userId(ada)] },
    ])
  })
})

describe('the policy of an alert rule', () => {
  const rule = { name: 'rule', target: { type: 'monitor' }, condition: { metric: 'status', operator: 'equals', value: 'down' } }
  const rules = (method: string, path: string, body?: object) =>
    backend.call(method, `/v1/alert-rules${path}`, { as: owner, body })

  it('replaces channels and repeats [ESC-05]', async () => {
    const { id } = await make()
    for (const [own, path] of [
      [{ channel_ids: [channelId] }, 'channel_ids'],
      [{ repeat_seconds: 600 }, 'repeat_seconds'],
    ] as const) {
      const { status, body } = await rules('POST', '', { ...rule, escalation_policy_id: id, ...own })
      expect([status, body.error.details[0].path]).toEqual([400, path])
    }
    const made = (await rules('POST', '', { ...rule, channel_ids: [channelId] })).body
    expect((await rules('PATCH', `/${made.id}`, { escalation_policy_id: id })).body.error.details[0].path).toBe('channel_ids')
    const changed = await rules('PATCH', `/${made.id}`, { escalation_policy_id: id, channel_ids: [] })
    expect(changed.body).toMatchObject({ escalation_policy_id: id, channel_ids: [] })
    const refused = await call('DELETE', `/${id}`)
    expect([refused.status, refused.body.error.message]).toEqual([409, 'Alert rules or SLOs name the policy. Change them first.'])
    await rules('PATCH', `/${made.id}`, { escalation_policy_id: null })
    expect((await call('DELETE', `/${id}`)).status).toBe(204)
  })
})

describe('GET /v1/escalation-policies/:id/recipients', () => {
  it('shows whom each step notifies, gaps, and people who cannot be reached [ESC-06]', async () => {
    const { id } = await make({
      time_zone: 'Europe/Berlin',
      steps: [{ channel_ids: [channelId], user_ids: [userId(ada)], restrictions: HOURS }, { schedule_ids: [scheduleId] }],
    })
    const recipients = async (at?: string) => (await call('GET', `/${id}/recipients${at ? `?at=${at}` : ''}`)).body.steps
    expect(await recipients()).toMatchObject([
      { active: true, channel_ids: [channelId], users: [{ user_id: userId(ada), reachable: false }], gap_schedule_ids: [] },
      {
        active: true,
        users: expect.arrayContaining([expect.objectContaining({ user_id: userId(owner), reachable: false })]),
        gap_schedule_ids: [scheduleId],
      },
    ])
    const contact = { type: 'ntfy', config: { url: 'https://ntfy.example.com', topic: 'ada' } }
    await backend.call('POST', '/v1/contact-methods', { as: ada, body: contact })
    expect(await recipients('2026-11-30T22:00:00Z')).toMatchObject([
      { active: false },
      { active: true, users: [{ user_id: userId(ada), reachable: true }], gap_schedule_ids: [] },
    ])
  })

  it('shows all who are on duty together in a schedule', async () => {
    const layers = [{ user_ids: [[userId(ada), userId(owner)]], starts_at: '2026-11-30T08:00:00Z' }]
    const { body: both } = await backend.call('POST', '/v1/schedules', { as: owner, body: { name: 'Both', layers } })
    const { id } = await make({ steps: [{ schedule_ids: [both.id] }] })
    const [step] = (await call('GET', `/${id}/recipients?at=2026-11-30T22:00:00Z`)).body.steps
    expect(step.users.map(({ user_id: id }: { user_id: string }) => id)).toEqual([userId(ada), userId(owner)])
    expect(step.gap_schedule_ids).toEqual([])
  })
})
