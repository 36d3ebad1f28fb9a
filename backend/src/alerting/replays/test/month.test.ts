import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Life, REPEAT_SECONDS, startLife } from './lived.ts'

const START = Date.parse('2026-10-01T00:00:00Z')
const DAY = 86_400_000

let life: Life
beforeAll(async () => {
  life = await startLife(START)
})
afterAll(() => life?.close())

describe('a replay of a month with what was configured', () => {
  it('sends what was really sent, to the same people, at the same time [REPLAY-01]', async () => {
    const { backend, call, ada, ids, hook, until, outage, acknowledgeAll } = life
    const organization = (await call('GET', '/me', undefined, ada)).organizations[0].id
    const quiet_time = { time_zone: 'Europe/Berlin', from: '22:00', to: '07:00', critical_passes: true }
    await call('PATCH', `/organizations/${organization}/membership`, { quiet_time }, ada)
    const starts_at = new Date(START).toISOString()
    const schedule = await call('POST', '/schedules', {
      name: 'weeks',
      time_zone: 'Europe/Berlin',
      layers: [{ user_ids: [ids.ada, ids.bob], starts_at, repeat: 'FREQ=WEEKLY' }],
    })
    const policy = await call('POST', '/escalation-policies', {
      name: 'shop',
      steps: [
        { schedule_ids: [schedule.id], wait_seconds: 600 },
        { channel_ids: [hook.id], user_ids: [ids.ada, ids.bob] },
      ],
      repeats: 1,
      reopen_seconds: 7_200,
    })
    const condition = { metric: 'status', operator: 'equals', value: 'down' }
    const rule = (name: string, own: object) => call('POST', '/alert-rules', { name, condition, ...own })
    await rule('critical', { target: { type: 'monitor', tag: 'shop' }, escalation_policy_id: policy.id, severity: 'critical' })
    await rule('warning', {
      target: { type: 'monitor', tag: 'blog' },
      escalation_policy_id: policy.id,
      severity: 'warning',
      for_seconds: 120,
    })
    await rule('channel', { target: { type: 'monitor', tag: 'router' }, channel_ids: [hook.id], repeat_seconds: REPEAT_SECONDS })
    const router = await life.monitor('Router')
    const shop = await life.monitor('Shop', { depends_on: [{ type: 'monitor', id: router.id }] })
    const blog = await life.monitor('Blog')
    await call('POST', '/maintenance-windows', {
      name: 'Sundays',
      target: { type: 'monitor', id: blog.id },
      starts_at: '2026-10-04T01:00:00.000Z',
      ends_at: '2026-10-04T03:00:00.000Z',
      repeat: 'FREQ=WEEKLY',
      time_zone: 'UTC',
    })
    const from = await life.begin()

    // By day, acknowledged in time; by night, by everybody; as a warning in the quiet time; in maintenance; with and below a parent.
    await outage(shop, START + DAY + 9 * 3_600_000, 1_500_000, async () => {
      await until(backend.clock.now() + 300_000)
      await acknowledgeAll()
    })
    await outage(shop, START + 2 * DAY + 3_600_000, 2_400_000)
    await outage(blog, START + 3 * DAY + 1.5 * 3_600_000, 1_200_000)
    await outage(blog, START + 4 * DAY + 2 * 3_600_000, 3_000_000)
    await outage(router, START + 6 * DAY, 5_000_000, async () => {
      await life.goes(shop, 'down')
      await until(backend.clock.now() + 1_800_000)
      await life.goes(shop, 'up')
    })
    await outage(router, START + 8 * DAY, 900_000)
    await outage(blog, START + 10 * DAY + 12 * 3_600_000, 9_000_000, acknowledgeAll)
    await outage(shop, START + 16 * DAY + 23 * 3_600_000, 5_400_000, async () => {
      await until(backend.clock.now() + 1_300_000)
      await acknowledgeAll()
    })
    await outage(blog, START + 18 * DAY + 1.9 * 3_600_000, 3_600_000)
    await until(START + 30 * DAY)

    const { set, sent } = await life.expectReplayed(from)
    // Not by chance: each kind of wait and suppression was in it.
    expect(set).toMatchObject({ suppressed_by_maintenance: 1, never_notified: 2, not_replayed: [], has_more: false })
    expect(set.held).toBeGreaterThan(0)
    expect(sent.length).toBeGreaterThan(40)
  }, 300_000)
})
