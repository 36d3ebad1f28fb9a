import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Life, REPEAT_SECONDS, startLife } from './lived.ts'

/** A Monday. */
const START = Date.parse('2026-10-05T08:00:00Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE

let life: Life
beforeEach(async () => {
  life = await startLife(START)
})
afterEach(() => life.close())

const ruleOn = (own: object) => {
  const condition = { metric: 'status', operator: 'equals', value: 'down' }
  return life.call('POST', '/alert-rules', { name: 'down', target: { type: 'monitor' }, condition, ...own })
}
const policyOf = (steps: object[], own: object = {}) => life.call('POST', '/escalation-policies', { name: 'shop', steps, ...own })
const wait = (ms: number) => life.until(life.backend.clock.now() + ms)
const countOf = (sent: readonly string[], what: string) => sent.filter((one) => one.endsWith(what)).length

describe('a replay of a monitor that flaps', () => {
  const flap = async (times: number) => {
    const shop = await life.monitor('Shop')
    const from = await life.begin()
    for (let time = 0; time < times; time += 1) {
      await wait(3 * MINUTE)
      await life.goes(shop, 'down')
      await wait(2 * MINUTE)
      await life.goes(shop, 'up')
    }
    return { shop, from }
  }

  it('sends one notification of it, no step and no reminder while it lasts, and the end once it is stable [REPLAY-02]', async () => {
    const { id } = await policyOf([{ user_ids: [life.ids.ada], wait_seconds: 300 }, { user_ids: [life.ids.bob] }])
    await ruleOn({ escalation_policy_id: id })
    const { from } = await flap(8)
    await wait(HOUR)
    const { set, sent } = await life.expectReplayed(from)
    expect(set.incidents).toBe(3)
    expect([countOf(sent, 'opened Shop'), countOf(sent, 'flapping Shop'), countOf(sent, 'resolved Shop')]).toEqual([3, 1, 3])
  }, 120_000)

  it('sends that it is stable where it stays down, also of what opened meanwhile, and continues with steps and reminders [REPLAY-03]', async () => {
    const { id } = await policyOf([{ user_ids: [life.ids.ada], wait_seconds: 300 }, { user_ids: [life.ids.bob] }])
    await ruleOn({ name: 'steps', escalation_policy_id: id })
    await ruleOn({ name: 'reminders', channel_ids: [life.hook.id], repeat_seconds: REPEAT_SECONDS, for_seconds: 90 })
    await ruleOn({ name: 'late', channel_ids: [life.hook.id], for_seconds: 600 })
    const { shop, from } = await flap(5)
    await wait(MINUTE)
    await life.goes(shop, 'down')
    await wait(80 * MINUTE)
    await life.goes(shop, 'up')
    await wait(HOUR)
    const { sent } = await life.expectReplayed(from)
    expect(sent.filter((one) => one.endsWith('stable Shop'))).toEqual(['ada stable Shop', 'hook stable Shop'])
    expect(sent).toContain('bob opened Shop')
    expect(sent.filter((one) => one === 'hook opened Shop').length).toBeGreaterThan(4)
  }, 120_000)

  it('ends with a pause [REPLAY-04]', async () => {
    await ruleOn({ channel_ids: [life.hook.id] })
    const { shop, from } = await flap(4)
    await life.goes(shop, 'down')
    await life.call('POST', `/monitors/${shop.id}/pause`)
    await wait(HOUR)
    const { sent } = await life.expectReplayed(from)
    expect([countOf(sent, 'flapping Shop'), countOf(sent, 'stable Shop'), countOf(sent, 'resolved Shop')]).toEqual([1, 0, 3])
  }, 120_000)
})

describe('a replay of an incident that opens again', () => {
  it('begins with the first step after the time of the policy, and after a snooze [REPLAY-05]', async () => {
    const { id } = await policyOf([{ user_ids: [life.ids.ada], wait_seconds: 600 }, { user_ids: [life.ids.bob] }], {
      reopen_seconds: 1_800,
    })
    await ruleOn({ escalation_policy_id: id })
    const shop = await life.monitor('Shop')
    const from = await life.begin()
    await life.outage(shop, START + HOUR, 2 * HOUR, async () => {
      await wait(12 * MINUTE)
      await life.acknowledgeAll()
      // Opened again after half an hour; a snooze goes before the time of the policy.
      await wait(35 * MINUTE)
      await life.acknowledgeAll(3_000)
    })
    await wait(HOUR)
    const { set, sent } = await life.expectReplayed(from)
    const steps = set.list
      .filter(({ reason }: { reason: string }) => reason === 'policy')
      .map(({ step }: { step: number }) => step)
    expect(steps).toEqual([1, 2, 1, 1, 2])
    expect([set.incidents, countOf(sent, 'acknowledged Shop')]).toEqual([1, 4])
  }, 120_000)

  it('is notified to the channels of its rule after a snooze, and reminded from then on [REPLAY-06]', async () => {
    await ruleOn({ channel_ids: [life.hook.id], repeat_seconds: REPEAT_SECONDS })
    const shop = await life.monitor('Shop')
    const from = await life.begin()
    await life.outage(shop, START + HOUR, 2.4 * HOUR, async () => {
      await wait(10 * MINUTE)
      await life.acknowledgeAll(3_600)
    })
    await wait(HOUR)
    const { sent } = await life.expectReplayed(from)
    expect(countOf(sent, 'opened Shop')).toBe(4)
  }, 120_000)
})

describe('a replay with nobody on duty', () => {
  it('notifies the owners of a gap and of a step that reaches nobody, and counts them [REPLAY-07]', async () => {
    const day = { days: ['MO', 'TU', 'WE', 'TH', 'FR'], from: '09:00', to: '17:00' }
    const layers = [
      { user_ids: [life.ids.bob], starts_at: new Date(START).toISOString(), repeat: 'FREQ=WEEKLY', restrictions: [day] },
    ]
    const schedule = await life.call('POST', '/schedules', { name: 'days', time_zone: 'UTC', layers })
    const hook = await life.call('POST', '/channels', {
      name: 'off',
      type: 'webhook',
      enabled: false,
      config: { url: 'https://hooks.example.com/' },
    })
    const { id } = await policyOf([{ schedule_ids: [schedule.id], wait_seconds: 600 }, { channel_ids: [hook.id] }])
    await ruleOn({ escalation_policy_id: id })
    const shop = await life.monitor('Shop')
    const from = await life.begin()
    await life.outage(shop, START + 4 * HOUR, 5 * MINUTE)
    await life.outage(shop, START + 14 * HOUR, 5 * MINUTE)
    await life.outage(shop, START + 28 * HOUR, 20 * MINUTE)
    await wait(HOUR)
    const { set, sent } = await life.expectReplayed(from)
    // At night the first step, by day only the second one, whose channel is disabled.
    expect(set).toMatchObject({ incidents: 3, to_owners: 2 })
    expect(
      set.list.filter(({ reason }: { reason: string }) => reason === 'owners').map(({ step }: { step: number }) => step),
    ).toEqual([1, 2])
    expect([countOf(sent, 'ada opened Shop'), countOf(sent, 'bob opened Shop')]).toEqual([2, 2])
  }, 120_000)
})
