import type { ReclassifiedAs } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { seedChecks, type SeededCheck, seedMonitor, seedRegion } from '../../../../test/seed-checks.ts'
import { compactChecks } from '../../checks/index.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const DAYS = 47

// 47 days of checks are inserted and compacted; a busy machine takes long for it.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let backend: TestBackend
let organization: TestOrganization
let as: Credentials
let shop: { id: string; number: number }
let slos: string[]
let now: number
const checks: SeededCheck[] = []
const iso = (ms: number) => new Date(ms).toISOString()
const today = () => Math.floor(now / DAY) * DAY
/** Two hours, then every week. */
const firstMaintenance = () => today() - DAYS * DAY + HOUR
const get = async (path: string) => {
  const { status, body } = await backend.call('GET', path, { as })
  expect([status, body]).toEqual([200, body])
  return body
}
const send = (method: 'POST' | 'DELETE', path: string, body?: object) => backend.call(method, path, { as, ...(body && { body }) })

beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  as = await backend.member(organization, 'owner')
  now = backend.clock.now()
  shop = await seedMonitor(backend, organization, 900)
  const { db } = backend.pool
  const ofShop = { organization: organization.number, monitor: shop.number }
  const status = { status: 'up', since: new Date(0), before_pause: null } as const
  await db
    .insertInto('monitor_status')
    .values({ ...ofShop, ...status })
    .execute()
  await db
    .insertInto('check_week')
    .values({ ...ofShop, id: '00000000-0000-4000-8000-000000000000' })
    .execute()
  const regions = [await seedRegion(backend, 'ams'), await seedRegion(backend, 'fra')]
  let number = 7
  for (let atMs = today() - DAYS * DAY; atMs < now; atMs += 15 * 60_000)
    for (const region of regions) {
      number = (number * 1_103_515_245 + 12_345) % 2 ** 31
      const dice = number / 2 ** 31
      const outcome = dice < 0.86 ? 0 : dice < 0.9 ? 1 : dice < 0.97 ? 2 : 3
      checks.push({ region, atMs: atMs + region, outcome, responseUs: outcome === 2 ? null : 1_000 + Math.floor(dice * 1e6) })
    }
  await send('POST', '/v1/maintenance-windows', {
    name: 'updates',
    target: { type: 'monitor', id: shop.id },
    starts_at: iso(firstMaintenance()),
    ends_at: iso(firstMaintenance() + 2 * HOUR),
    repeat: 'FREQ=WEEKLY',
  })
  await db
    .updateTable('maintenance_window')
    .set({ created_at: new Date(0) })
    .execute()
  const start = today() - DAYS * DAY
  await db
    .insertInto('check_progress')
    .values([
      { name: 'hour', done: start / HOUR - 1 },
      { name: 'day', done: start / DAY - 1 },
    ])
    .execute()
  // As time passed: single checks of the first days are deleted meanwhile.
  for (let ms = start; ms < now; ms += 4 * DAY) {
    await seedChecks(
      backend,
      organization,
      shop.number,
      checks.filter(({ atMs }) => atMs >= ms && atMs < ms + 4 * DAY),
    )
    await compactUntil(Math.min(ms + 4 * DAY, now))
  }
  const objective = { target: { id: shop.id }, objective: 90 }
  const made = [
    await send('POST', '/v1/slos', { ...objective, name: '30 days', window: '30d' }),
    await send('POST', '/v1/slos', { ...objective, name: '90 days', window: '90d' }),
    await send('POST', '/v1/slos', { ...objective, name: 'fast', window: '7d', kind: 'latency', threshold_ms: 500 }),
  ]
  slos = made.map(({ body }) => body.id)
})
afterAll(() => backend.close())

const compactUntil = (ms: number) => compactChecks(backend.pool.db, { now: () => ms, sleep: async () => undefined })

interface Interval {
  as: ReclassifiedAs
  fromMs: number
  toMs: number
}

/** The plain way, from the single checks. */
function expected(fromMs: number, toMs: number, intervals: readonly Interval[]) {
  const counts = { total: 0, down: 0, degraded: 0, quiet: 0, quietDown: 0, maintenance: 0, excluded: 0, fast: 0 }
  for (const { atMs, outcome, responseUs } of checks) {
    if (atMs < fromMs || atMs >= toMs || outcome === 3) continue
    const said = intervals.find((one) => one.fromMs <= atMs && atMs < one.toMs)?.as
    if (said === 'maintenance' || said === 'excluded') {
      counts[said] += 1
      continue
    }
    counts.total += 1
    if (outcome === 1) counts.degraded += 1
    if (outcome === 2) counts.down += 1
    const isQuiet = said === undefined && (atMs - firstMaintenance() + 7 * DAY) % (7 * DAY) < 2 * HOUR
    if (isQuiet) counts.quiet += 1
    if (isQuiet && outcome === 2) counts.quietDown += 1
    if (!isQuiet && responseUs !== null && responseUs < 500_000) counts.fast += 1
  }
  return counts
}
const percent = (part: number, whole: number) => Math.floor((part * 1e6) / whole) / 1e4

/** All that counts checks, against the single checks. */
async function expectCounts(intervals: readonly Interval[]): Promise<void> {
  const ranges = [
    [now - 26 * HOUR, now],
    [now - 30 * DAY, now],
    [today() - 45 * DAY, now],
    [today() - 45 * DAY, today() - 40 * DAY],
  ] as const
  for (const [fromMs, toMs] of ranges) {
    const want = expected(fromMs, toMs, intervals)
    const range = `from=${iso(fromMs)}&to=${iso(toMs)}`
    const { monitors, reclassified } = await get(`/v1/reports/uptime?${range}&monitor=${shop.id}`)
    const uptime = percent(want.total - want.down, want.total)
    expect(monitors[0]).toMatchObject({
      uptime_percent: uptime,
      availability_percent: percent(want.total - want.quiet - (want.down - want.quietDown), want.total - want.quiet),
      checks: { total: want.total, down: want.down, degraded: want.degraded },
      excluded: { maintenance_checks: want.quiet + want.maintenance, reclassified_checks: want.excluded },
    })
    const inside = intervals.filter((one) => one.fromMs < toMs && one.toMs > fromMs)
    expect(reclassified?.length).toBe(inside.length || undefined)
    const stats = await get(`/v1/monitors/${shop.id}/stats?${range}&points=50`)
    expect(stats).toMatchObject({ uptime_percent: uptime, total_checks: want.total, failed_checks: want.down })
    expect(stats.reclassified?.length).toBe(inside.length || undefined)
    const stepMs = stats.series.step_seconds * 1000
    const steps = stats.series.uptime_percent.map((_: unknown, index: number) => {
      const from = Date.parse(stats.series.from) + index * stepMs
      const own = expected(Math.max(from, fromMs), Math.min(from + stepMs, toMs), intervals)
      return own.total === 0 ? null : percent(own.total - own.down, own.total)
    })
    expect(stats.series.uptime_percent).toEqual(steps)
  }
  const { monitors } = await get('/v1/monitors?include=uptime')
  const days = monitors[0].uptime.uptime_percent.slice(-40)
  const wanted = days.map((_: unknown, index: number) => {
    const own = expected(today() - (39 - index) * DAY, today() - (38 - index) * DAY, intervals)
    return own.total === 0 ? null : percent(own.total - own.down, own.total)
  })
  expect(days).toEqual(wanted)
  const week = expected(now - 7 * DAY + 1, now + 1, intervals)
  expect(monitors[0].uptime_7d).toBe(percent(week.total - week.down, week.total))
  await expectObjectives(intervals)
}

async function expectObjectives(intervals: readonly Interval[]): Promise<void> {
  for (const [index, days] of [30, 90, 7].entries()) {
    const { status } = await get(`/v1/slos/${slos[index]}`)
    const { total, quiet, down, quietDown, fast } = expected(Date.parse(status.from), now + 1, intervals)
    expect([days, status.total, status.good]).toEqual([
      days,
      total - quiet,
      days === 7 ? fast : total - quiet - (down - quietDown),
    ])
  }
}

const path = () => `/v1/monitors/${shop.id}/reclassifications`
async function create({ fromMs, toMs, as: kind }: Interval): Promise<string> {
  const { status, body } = await send('POST', path(), { from: iso(fromMs), to: iso(toMs), as: kind, comment: 'announced' })
  expect([status, body]).toEqual([201, body])
  return body.id
}

describe('reclassified intervals', () => {
  it('count in stats, lists, reports and objectives as the single checks say, and count no more when they are taken back', async () => {
    await expectCounts([])
    const nextMaintenance = firstMaintenance() + 35 * DAY
    const intervals: Interval[] = [
      { as: 'maintenance', fromMs: now - 5 * HOUR - 1_234, toMs: now - 2 * HOUR - 77 },
      { as: 'excluded', fromMs: now - 2 * HOUR - 77, toMs: now - HOUR },
      { as: 'excluded', fromMs: now - 4 * DAY, toMs: now - 2 * DAY },
      // Half of the window.
      { as: 'counted', fromMs: nextMaintenance - HOUR, toMs: nextMaintenance + HOUR },
      { as: 'maintenance', fromMs: now - 20 * DAY, toMs: now - 20 * DAY + 3 * HOUR },
      // Of these days there are no single checks.
      { as: 'excluded', fromMs: today() - 44 * DAY, toMs: today() - 43 * DAY },
      { as: 'counted', fromMs: today() - 40 * DAY, toMs: today() - 39 * DAY },
      { as: 'maintenance', fromMs: today() - 37 * DAY, toMs: today() - 34 * DAY },
    ]
    const ids: string[] = []
    for (const interval of intervals) ids.push(await create(interval))
    await expectCounts(intervals)
    while (ids.length > 0) {
      const id = ids.shift()
      intervals.shift()
      expect((await send('DELETE', `${path()}/${id}`)).status).toBe(204)
      if (ids.length % 4 === 0) await expectCounts(intervals)
    }
  })

  it('stay exact when their single checks are deleted, with results that arrived late', async () => {
    const fromMs = today() - 3 * DAY + 5 * HOUR + 123
    const interval: Interval = { as: 'excluded', fromMs, toMs: fromMs + 7 * HOUR }
    const quiet: Interval = { as: 'counted', fromMs: firstMaintenance() + 42 * DAY, toMs: firstMaintenance() + 42 * DAY + HOUR }
    const ids = [await create(interval), await create(quiet)]
    const late = { region: checks[0]?.region ?? 0, atMs: fromMs + 60_001, outcome: 2, responseUs: null }
    await seedChecks(backend, organization, shop.number, [late])
    checks.push(late)
    const mark = { organization: organization.number, monitor: shop.number, hour: Math.floor(late.atMs / HOUR) }
    await backend.pool.db.insertInto('check_hour_stale').values(mark).execute()
    await compactUntil(now)
    await expectCounts([interval, quiet])

    await compactUntil(now + DAY)
    const thenMs = now + 38 * DAY
    backend.clock.advance(thenMs - now)
    // The session has ended.
    as = await backend.member(organization, 'owner')
    await compactUntil(thenMs)
    // The partitions of the days before are dropped.
    await seedChecks(backend, organization, shop.number, [{ ...late, atMs: thenMs - HOUR, outcome: 3 }])
    const single = await backend.pool.pg.query('select min(at)::float8 as at from check_result')
    expect(single.rows[0].at).toBeGreaterThan(fromMs + DAY)
    const range = `from=${iso(today() - 8 * DAY)}&to=${iso(today())}`
    const want = expected(today() - 8 * DAY, today(), [interval, quiet])
    const { monitors } = await get(`/v1/reports/uptime?${range}&monitor=${shop.id}`)
    expect(monitors[0]).toMatchObject({
      checks: { total: want.total, down: want.down, degraded: want.degraded },
      excluded: { maintenance_checks: want.quiet, reclassified_checks: want.excluded },
    })
    expect(await get(`/v1/monitors/${shop.id}/stats?${range}`)).toMatchObject({
      total_checks: want.total,
      failed_checks: want.down,
    })
    const { status } = await get(`/v1/slos/${slos[1]}`)
    const all = expected(Date.parse(status.from), thenMs, [interval, quiet])
    expect([status.total, status.bad]).toEqual([all.total - all.quiet, all.down - all.quietDown])

    for (const id of ids) expect((await send('DELETE', `${path()}/${id}`)).status).toBe(204)
    const back = expected(today() - 8 * DAY, today(), [])
    const after = await get(`/v1/reports/uptime?${range}&monitor=${shop.id}`)
    expect(after.monitors[0]).toMatchObject({
      checks: { total: back.total, down: back.down },
      excluded: { maintenance_checks: back.quiet, reclassified_checks: 0 },
    })
  })
})
