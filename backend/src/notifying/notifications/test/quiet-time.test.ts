import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AlertFixture, createAlertFixture } from '../../../../test/alert-fixture.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { encodeId } from '../../../platform/ids.ts'

/** 23:00 in Berlin. */
const START = Date.parse('2026-11-27T22:00:00Z')

let backend: TestBackend
let receiver: Receiver
let alerts: AlertFixture
beforeAll(async () => {
  receiver = await startReceiver()
  backend = await startTestBackend({ startMs: START, environment: { VEDETTE_ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } })
  const organization = await backend.organization()
  const ada = await backend.member(organization, 'owner')
  alerts = await createAlertFixture(backend, organization, ada)
  const body = { type: 'ntfy', config: { url: receiver.url, topic: 'ada' } }
  await backend.call('POST', '/v1/contact-methods', { as: ada, body })
  const quiet_time = { time_zone: 'Europe/Berlin', from: '22:00', to: '07:00', critical_passes: true }
  await backend.call('PATCH', `/v1/organizations/${organization.id}/membership`, { as: ada, body: { quiet_time } })
  const policy = { name: 'Shop', steps: [{ user_ids: [encodeId('user', ada.userId)] }] }
  const { id } = await alerts.call('POST', '/v1/escalation-policies', policy)
  await alerts.call('PATCH', `/v1/alert-rules/${alerts.ruleId}`, { escalation_policy_id: id })
})
afterAll(async () => {
  await backend.close()
  await receiver.close()
})

const titles = (): string[] => receiver.received.splice(0).map(({ body }) => (JSON.parse(body) as { title: string }).title)
const at = async (time: string): Promise<void> => {
  backend.clock.advance(Date.parse(time) - backend.clock.now())
  await alerts.deliver()
}

it('what waited comes in one message at the end of the night, and not with a critical incident within it', async () => {
  for (const name of ['Search', 'Cart', 'Blog']) await alerts.open({ severity: 'warning', summary: `${name} is slow` })
  await at('2026-11-27T22:01:00Z')
  expect(titles()).toEqual([])
  await alerts.open({ severity: 'critical', summary: 'Bank is down' })
  await at('2026-11-28T01:00:00Z')
  expect(titles()).toEqual(['Bank is down'])
  await at('2026-11-28T05:59:59Z')
  expect(titles()).toEqual([])
  await at('2026-11-28T06:00:00Z')
  expect(titles()).toEqual(['3 incidents opened'])
  await at('2026-11-28T06:10:00Z')
  expect(titles()).toEqual([])
})
