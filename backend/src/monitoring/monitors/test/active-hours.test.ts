import { DAY_MS, HOUR_MS, MINUTE_MS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HeartbeatScene, startHeartbeatScene } from '../../../../test/heartbeat-scene.ts'
import { incidentsOf, watch } from '../../../../test/watched-monitor.ts'
import { parseId } from '../../../platform/ids.ts'

/** A Friday. */
const START = Date.parse('2026-11-20T18:30:00.000Z')
let scene: HeartbeatScene
beforeAll(async () => {
  scene = await startHeartbeatScene()
  goTo(START)
})
afterAll(() => scene.backend.close())

const now = () => scene.backend.clock.now()
const iso = (ms: number) => new Date(ms).toISOString()
function goTo(ms: number): void {
  scene.backend.clock.advance(ms - now())
}
/** Moves on, and lets the job see it. */
const follow = async (ms: number) => {
  const days = Math.floor(ms / DAY_MS) - Math.floor(now() / DAY_MS)
  goTo(ms)
  if (days > 0) await scene.backend.jobs.keepPartitions()
  await scene.backend.jobs.changeActiveHours()
}
const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR']
const BY_DAY = [{ time_zone: 'UTC', days: [...DAYS, 'SA', 'SU'], from: '08:00', to: '18:00' }]
const WEEKDAYS = [{ time_zone: 'Europe/Berlin', days: DAYS, from: '09:00', to: '19:00' }]
const create = async (own: object = {}) =>
  (await scene.api('POST', '/monitors', { name: 'Shop', url: 'https://shop.example.com/', active_hours: WEEKDAYS, ...own })).body
const transitions = async (id: string) =>
  (await scene.api('GET', `/monitors/${id}/transitions`)).body.transitions.map(
    ({ at, from_status: from, to_status: to }: Record<string, string>) => `${at} ${from} ${to}`,
  )
const numberOf = async (id: string) =>
  (
    await scene.backend.pool.db
      .selectFrom('monitor')
      .select('number')
      .where('id', '=', parseId('monitor', id) as string)
      .executeTakeFirstOrThrow()
  ).number
const dueOf = async (id: string) =>
  (
    await scene.backend.pool.db
      .selectFrom('check_schedule')
      .select('due_at')
      .where('monitor', '=', await numberOf(id))
      .execute()
  ).map(({ due_at: due }) => due)

describe('a monitor with active hours', () => {
  it('is idle outside of them, says until when, and is checked at once when they begin', async () => {
    goTo(Math.max(now(), START))
    const made = await create()
    const monday = Date.parse('2026-11-23T08:00:00.000Z')
    expect(made).toMatchObject({
      status: 'idle',
      reason: `outside of its active hours, until ${iso(monday)}`,
      active_at: iso(monday),
      active_hours: WEEKDAYS,
    })
    expect(await dueOf(made.id)).toEqual([null])
    await follow(monday - 1)
    expect((await scene.details(made.id)).status).toBe('idle')
    await follow(monday + 700)
    const active = await scene.details(made.id)
    expect(active).toMatchObject({ status: 'up', status_since: iso(monday) })
    expect([active.reason, active.active_at]).toEqual([undefined, undefined])
    expect(await dueOf(made.id)).toEqual([now()])
    const end = monday + 10 * HOUR_MS
    await follow(end + 400)
    expect(await transitions(made.id)).toEqual([`${iso(end)} up idle`, `${iso(monday)} idle up`, `${iso(START)} up idle`])
    expect(await dueOf(made.id)).toEqual([null])
  })

  it('has each change in its history when nobody was there to see it', async () => {
    const made = await create({ active_hours: BY_DAY })
    const before = (await transitions(made.id)).length
    const day = Math.ceil(now() / DAY_MS) * DAY_MS
    await follow(day + 3 * DAY_MS + 12 * HOUR_MS)
    const steps = await transitions(made.id)
    expect(steps.slice(0, steps.length - before)).toEqual(
      [3, 2, 1, 0].flatMap((ago, index) => [
        `${iso(day + ago * DAY_MS + 8 * HOUR_MS)} idle up`,
        ...(index === 3 ? [] : [`${iso(day + (ago - 1) * DAY_MS + 18 * HOUR_MS)} up idle`]),
      ]),
    )
  })

  it('follows a change of its hours at once', async () => {
    await follow(Math.ceil(now() / DAY_MS) * DAY_MS + 22 * HOUR_MS)
    const made = await create({ active_hours: [] })
    expect(made.status).toBe('up')
    const patch = async (body: object) => (await scene.api('PATCH', `/monitors/${made.id}`, body)).body.status
    expect(await patch({ active_hours: BY_DAY })).toBe('idle')
    // Its definition changes as that of any other, and it stays idle.
    expect(await patch({ url: 'https://shop.example.com/b' })).toBe('idle')
    expect(await dueOf(made.id)).toEqual([null])
    expect(await patch({ active_hours: [] })).toBe('up')
    expect(await dueOf(made.id)).toEqual([now()])
  })

  it('stays paused over its hours, and is resumed into them', async () => {
    const made = await create({ active_hours: BY_DAY })
    const act = async (verb: string) => (await scene.api('POST', `/monitors/${made.id}/${verb}`)).body.status
    expect(made.status).toBe('idle')
    expect(await act('pause')).toBe('paused')
    await follow(Math.ceil(now() / DAY_MS) * DAY_MS + 9 * HOUR_MS)
    expect((await scene.details(made.id)).status).toBe('paused')
    expect(await act('resume')).toBe('up')
    expect(await act('pause')).toBe('paused')
    await follow(now() + 12 * HOUR_MS)
    expect(await act('resume')).toBe('idle')
    expect(await dueOf(made.id)).toEqual([null])
  })

  it('is counted and found by its status', async () => {
    await create({ active_hours: BY_DAY, name: 'Listed' })
    const { body } = await scene.api('GET', '/monitors?status=idle&include=counts&q=Listed')
    expect([body.total, body.counts.idle]).toEqual([1, 1])
    expect((await scene.api('GET', '/overview')).body.monitors.idle).toBeGreaterThan(0)
  })

  it.each([
    [[{ ...WEEKDAYS[0], time_zone: 'Mars/Base' }], 'active_hours.0.time_zone'],
    [[{ ...WEEKDAYS[0], from: '24:00' }], 'active_hours.0.from'],
    [[{ ...WEEKDAYS[0], days: [] }], 'active_hours.0.days'],
    [Array.from({ length: 11 }, () => WEEKDAYS[0]), 'active_hours'],
  ])('refuses %j', async (active_hours, path) => {
    const { status, body } = await scene.api('POST', '/monitors', { name: 'Shop', url: 'https://a.example.com', active_hours })
    expect([status, body.error.details[0].path]).toEqual([400, path])
  })
})

describe('an incident of a monitor with active hours', () => {
  it('stays open while they are over, none opens then, and it ends when the monitor is up again', async () => {
    await follow(Math.ceil(now() / DAY_MS) * DAY_MS + 17 * HOUR_MS)
    const { id, uuid, bring, goes } = await watch(scene.backend, scene.admin, { active_hours: BY_DAY, interval: 60 })
    const { evaluateSignals, changeActiveHours } = scene.backend.jobs
    const open = async () => (await incidentsOf(scene.backend, uuid)).map(({ resolved_at: at }) => at === null)
    await goes('down')
    await evaluateSignals()
    expect(await open()).toEqual([true])
    await follow(Math.floor(now() / DAY_MS) * DAY_MS + 18 * HOUR_MS)
    await evaluateSignals()
    expect([(await scene.details(id)).status, await open()]).toEqual(['idle', [true]])
    await follow(now() + 13 * HOUR_MS)
    await evaluateSignals()
    expect(await open()).toEqual([true])
    await follow(now() + HOUR_MS)
    await changeActiveHours()
    await evaluateSignals()
    expect([(await scene.details(id)).status, await open()]).toEqual(['down', [true]])
    await bring('up')
    await bring('up')
    await evaluateSignals()
    expect([(await scene.details(id)).status, await open()]).toEqual(['up', [false]])
  })

  it('does not open for a duration that ends after them', async () => {
    await follow(Math.ceil(now() / DAY_MS) * DAY_MS + 17.9 * HOUR_MS)
    const { uuid, goes } = await watch(scene.backend, scene.admin, { active_hours: BY_DAY, tags: ['slow'] })
    const rule = (await scene.api('GET', '/alert-rules?limit=100')).body.alert_rules.find(
      ({ name }: { name: string }) => name === 'Monitor down',
    )
    await scene.api('PATCH', `/alert-rules/${rule.id}`, { for_seconds: 1_800 })
    await goes('down')
    await scene.backend.jobs.evaluateSignals()
    await follow(Math.floor(now() / DAY_MS) * DAY_MS + 18 * HOUR_MS)
    for (let minutes = 0; minutes < 120; minutes += 30) {
      await scene.backend.jobs.evaluateSignals()
      await follow(now() + 30 * MINUTE_MS)
    }
    expect(await incidentsOf(scene.backend, uuid)).toEqual([])
    await scene.api('PATCH', `/alert-rules/${rule.id}`, { for_seconds: 0 })
  })
})

it('a check that a person begins outside of the hours is shown, and counts for nothing', async () => {
  await follow(Math.ceil(now() / DAY_MS) * DAY_MS + 20 * HOUR_MS)
  const { id, bring } = await watch(scene.backend, scene.admin, { active_hours: BY_DAY })
  expect((await scene.api('POST', `/monitors/${id}/check`)).status).toBe(200)
  await bring('down')
  const { status, recent_checks: checks } = await scene.details(id)
  expect([status, checks.length, checks[0].outcome]).toEqual(['idle', 1, 'inconclusive'])
  expect(checks[0].error.message).toBe(
    'outside of the active hours, where no result counts (down); observed: the target refused the connection',
  )
  const stats = (await scene.api('GET', `/monitors/${id}/stats`)).body
  expect([stats.total_checks, stats.failed_checks, stats.uptime_percent]).toEqual([0, 0, 100])
  expect(await dueOf(id)).toEqual([null])
  // One that is under way when the hours begin is no reason for none to follow.
  await scene.api('POST', `/monitors/${id}/check`)
  await follow(Math.ceil(now() / DAY_MS) * DAY_MS + 8 * HOUR_MS)
  await bring('up')
  expect((await scene.details(id)).recent_checks[0].outcome).toBe('up')
  expect((await dueOf(id))[0]).toBeGreaterThan(now())
})

it('no check is begun after the end of the hours, before the status has followed them', async () => {
  await follow(Math.ceil(now() / DAY_MS) * DAY_MS + 17 * HOUR_MS + 59 * MINUTE_MS)
  const endMs = now() + MINUTE_MS
  const { id, bring } = await watch(scene.backend, scene.admin, { active_hours: BY_DAY, interval: 10 })
  const bringAll = async () => {
    for (let checks = 0; checks < 20; checks += 1) await bring('up')
  }
  await expect(bringAll()).rejects.toThrow(TypeError)
  expect(now()).toBeGreaterThanOrEqual(endMs)
  const { status, recent_checks: checks } = await scene.details(id)
  expect([status, checks.length > 3]).toEqual(['up', true])
  expect(checks.filter((one: { checked_at: string }) => Date.parse(one.checked_at) >= endMs)).toEqual([])
  await scene.backend.jobs.changeActiveHours()
  expect(await scene.details(id)).toMatchObject({ status: 'idle', status_since: iso(endMs) })
})

it('a heartbeat misses no ping outside of its hours', async () => {
  await follow(Math.ceil(now() / DAY_MS) * DAY_MS + 17 * HOUR_MS)
  const made = await scene.make({ active_hours: BY_DAY })
  await scene.ping(made)
  await follow(now() + 4 * MINUTE_MS)
  await scene.ping(made)
  await follow(Math.floor(now() / DAY_MS) * DAY_MS + 17 * HOUR_MS + 58 * MINUTE_MS)
  await scene.ping(made)
  await follow(Math.floor(now() / DAY_MS) * DAY_MS + 18 * HOUR_MS)
  await scene.pass(3_600)
  expect(await scene.details(made.id)).toMatchObject({ status: 'idle', next_ping: null })
  // It is kept, and changes nothing.
  expect(await scene.ping(made, '/fail')).toEqual([200, 'OK'])
  expect((await scene.details(made.id)).status).toBe('idle')
  await follow(Math.ceil(now() / DAY_MS) * DAY_MS + 8 * HOUR_MS)
  const active = await scene.details(made.id)
  expect([active.status, active.next_ping.due_by]).toEqual(['up', iso(now() + 360_000)])
})

it('a member of a composite that is idle is outside of it', async () => {
  await follow(Math.ceil(now() / DAY_MS) * DAY_MS + 20 * HOUR_MS)
  const member = await create({ active_hours: BY_DAY })
  const options = { members: [{ type: 'monitor', id: member.id }], down_when: { all_down: true } }
  const { composite } = await create({ type: 'composite', url: undefined, active_hours: [], options })
  expect([composite.reason, composite.members[0].outside]).toEqual(['no member counts', 'idle'])
})
