import { randomUUID } from 'node:crypto'
import type { MonitorStatus } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { compactChecks } from '../../../monitoring/checks/index.ts'
import { seedChecks, type SeededCheck, seedMonitor, seedRegion } from '../../../../test/seed-checks.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

// 45 days of checks are inserted and compacted; a busy machine takes long for it.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let backend: TestBackend
let organization: TestOrganization
let viewer: Credentials
let shop: { id: string; number: number }
let now: number
const checks: SeededCheck[] = []
const iso = (ms: number) => new Date(ms).toISOString()
const today = () => Math.floor(now / DAY) * DAY
/** The first maintenance: two hours, then every week. */
const firstMaintenance = () => today() - 45 * DAY + HOUR

async function monitorOf(of: TestOrganization, name: string, tags: string[] = [], createdAt = new Date(0)) {
  const monitor = await seedMonitor(backend, of, 300)
  const { db } = backend.pool
  await db
    .updateTable('monitor')
    .set({ name, tags, created_at: createdAt, regions: ['ams', 'fra'] })
    .where('number', '=', monitor.number)
    .execute()
  await db
    .insertInto('monitor_status')
    .values({ organization: of.number, monitor: monitor.number, status: 'up', since: createdAt, before_pause: null })
    .execute()
  return monitor
}

const report = async (query: string, as = viewer) => {
  const { status, body } = await backend.call('GET', `/v1/reports/uptime${query}`, { as })
  expect([status, body]).toEqual([200, body])
  return body
}

beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  viewer = await backend.member(organization, 'viewer')
  now = backend.clock.now()
  const regions = [await seedRegion(backend, 'ams'), await seedRegion(backend, 'fra')]
  shop = await monitorOf(organization, 'Shop')
  let number = 0
  for (let atMs = today() - 45 * DAY; atMs < now; atMs += 5 * 60_000)
    for (const region of regions) {
      number = (number * 1_103_515_245 + 12_345) % 2 ** 31
      const dice = number / 2 ** 31
      const outcome = dice < 0.9 ? 0 : dice < 0.94 ? 1 : dice < 0.98 ? 2 : 3
      checks.push({ region, atMs: atMs + region, outcome, responseUs: outcome === 2 ? null : 1_000 + Math.floor(dice * 1e6) })
    }
  const window = {
    name: 'updates',
    target: { type: 'monitor', id: shop.id },
    starts_at: iso(firstMaintenance()),
    ends_at: iso(firstMaintenance() + 2 * HOUR),
    repeat: 'FREQ=WEEKLY',
  }
  const as = await backend.member(organization, 'owner')
  await backend.call('POST', '/v1/maintenance-windows', { as, body: window })
  await planWindows(organization)
  const done = [
    { name: 'hour', done: Math.floor((today() - 45 * DAY) / HOUR) - 1 },
    { name: 'day', done: Math.floor((today() - 45 * DAY) / DAY) - 1 },
  ] as const
  await backend.pool.db.insertInto('check_progress').values(done).execute()
  // As time passed: single checks of the first days are deleted meanwhile.
  for (let ms = today() - 45 * DAY; ms < now; ms += 3 * DAY) {
    const part = checks.filter(({ atMs }) => atMs >= ms && atMs < ms + 3 * DAY)
    await seedChecks(backend, organization, shop.number, part)
    await compactChecks(backend.pool.db, { now: () => Math.min(ms + 3 * DAY, now), sleep: async () => undefined })
  }
})
afterAll(() => backend.close())

/** As if windows had been created before they began. */
const planWindows = (of: { number: number }) =>
  backend.pool.db
    .updateTable('maintenance_window')
    .set({ created_at: new Date(0) })
    .where('organization', '=', of.number)
    .execute()

/** The plain way, from the single checks. */
function expected(fromMs: number, toMs: number) {
  const inMaintenance = (atMs: number) => (atMs - firstMaintenance() + 7 * DAY) % (7 * DAY) < 2 * HOUR
  const all = checks.filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
  const conclusive = all.filter(({ outcome }) => outcome !== 3)
  const count = (outcome: number) => all.filter((check) => check.outcome === outcome).length
  const quiet = conclusive.filter(({ atMs }) => inMaintenance(atMs))
  const failed = quiet.filter(({ outcome }) => outcome === 2).length
  const percent = (part: number, whole: number) => Math.floor((part * 1e6) / whole) / 1e4
  return {
    uptime_percent: percent(conclusive.length - count(2), conclusive.length),
    availability_percent: percent(conclusive.length - quiet.length - (count(2) - failed), conclusive.length - quiet.length),
    checks: { total: conclusive.length, up: count(0), degraded: count(1), down: count(2) },
    excluded: {
      maintenance_checks: quiet.length,
      maintenance_failed_checks: failed,
      inconclusive_checks: count(3),
      inconclusive_seconds: count(3) * 150,
    },
  }
}

describe('GET /v1/reports/uptime', () => {
  it.each([
    ['five days that end within an hour', () => [now - 5 * DAY - 7 * 60_000, now - 13 * 60_000] as const],
    ['30 days', () => [now - 30 * DAY, now] as const],
    ['44 days, of which the first have no single checks', () => [today() - 44 * DAY, now] as const],
  ])('counts %s as the single checks and as the stats of the monitor', async (_title, rangeOf) => {
    const [fromMs, toMs] = rangeOf()
    const range = `from=${iso(fromMs)}&to=${iso(toMs)}`
    const { monitors, summary, ...head } = await report(`?${range}&monitor=${shop.id}`)
    expect(head).toMatchObject({ from: iso(fromMs), to: iso(toMs), time_zone: 'UTC', generated_at: iso(now) })
    const want = expected(fromMs, toMs)
    const [monitor] = monitors
    expect(monitor).toMatchObject({
      id: shop.id,
      name: 'Shop',
      uptime_percent: want.uptime_percent,
      availability_percent: want.availability_percent,
      checks: want.checks,
      excluded: want.excluded,
      objective: null,
    })
    const { body: stats } = await backend.call('GET', `/v1/monitors/${shop.id}/stats?${range}`, { as: viewer })
    expect([monitor.uptime_percent, monitor.checks.total, monitor.checks.down]).toEqual([
      stats.uptime_percent,
      stats.total_checks,
      stats.failed_checks,
    ])
    const { id: _id, name: _name, downtimes: _downtimes, ...figures } = monitor
    expect(summary).toEqual(figures)
  })

  it('widens a range before the single checks to whole UTC days [REPORT-01]', async () => {
    const { from, to } = await report(`?from=${iso(today() - 40 * DAY + HOUR)}&to=${iso(today() - 38 * DAY + HOUR)}`)
    expect([from, to]).toEqual([iso(today() - 40 * DAY), iso(today() - 37 * DAY)])
  })

  it('covers the last calendar month by default, and takes days of a time zone [REPORT-02]', async () => {
    const day = (ms: number) => iso(ms).slice(0, 10)
    const { from, to } = await report(`?from=${day(now - 5 * DAY)}&to=${day(now - 3 * DAY)}&time_zone=Asia/Tokyo`)
    expect([from, to]).toEqual([iso(today() - 5 * DAY - 9 * HOUR), iso(today() - 3 * DAY - 9 * HOUR)])
    const date = new Date(now)
    const monthStart = (back: number) => iso(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1))
    expect(await report('')).toMatchObject({ from: monthStart(1), to: monthStart(0) })
  })

  it('divides the time by status, and lists downtimes with what of them is excluded [REPORT-03]', async () => {
    const other = await backend.organization()
    const as = await backend.member(other, 'owner')
    const monitor = await monitorOf(other, 'Login', ['web'], new Date(now - 8 * HOUR))
    const { db } = backend.pool
    const change = async (minutesAgo: number, from: MonitorStatus, to: MonitorStatus, reason = '') => {
      const row = {
        organization: other.number,
        monitor: monitor.number,
        id: randomUUID(),
        from_status: from,
        to_status: to,
        reason,
      }
      await db
        .insertInto('monitor_transition')
        .values({ ...row, at: new Date(now - minutesAgo * 60_000) })
        .execute()
    }
    await change(300, 'up', 'down', '=HYPERLINK("x") <script>alert(1)</script>')
    await change(240, 'down', 'up')
    await change(60, 'up', 'down', 'status 503')
    await db.updateTable('monitor_status').set({ status: 'down' }).where('monitor', '=', monitor.number).execute()
    const region = await seedRegion(backend, 'nyc')
    const minutely = Array.from({ length: 480 }, (_, index) => now - index * 60_000 - 1)
    const own = minutely.map((atMs) => ({ region, atMs, outcome: atMs < now - HOUR ? 0 : 2, responseUs: null }))
    await seedChecks(backend, other, monitor.number, own)
    // Late results: their hours are compacted already.
    const hours = [...new Set(minutely.map((atMs) => Math.floor(atMs / HOUR)))]
    const stale = hours.map((hour) => ({ hour, organization: other.number, monitor: monitor.number }))
    await db.insertInto('check_hour_stale').values(stale).execute()
    const window = { starts_at: iso(now - 270 * 60_000), ends_at: iso(now - 200 * 60_000) }
    const body = { name: 'swap', target: { type: 'monitor', tag: 'web' }, ...window }
    const late = await backend.call('POST', '/v1/maintenance-windows', { as, body })
    expect(late.status).toBe(201)
    const query = `?from=${iso(now - 10 * HOUR)}&to=${iso(now + DAY)}&tag=web&objective=99.9`
    const unplanned = await report(query, as)
    expect(unplanned.to).toBe(iso(now))
    expect(unplanned.late_maintenance).toEqual([{ id: late.body.id, name: 'swap', changed_at: late.body.created_at }])
    // It had ended when it was created, and leaves nothing out.
    expect(unplanned.monitors).toMatchObject([
      {
        seconds: { up: (480 - 120) * 60, degraded: 0, down: 7_200 },
        excluded: { maintenance_checks: 0, maintenance_seconds: 0 },
        downtimes: [{ excluded_seconds: 0 }, { excluded_seconds: 0 }],
      },
    ])
    const page = await backend.call('GET', `/v1/reports/uptime${query}&format=html&time_zone=Asia/Tokyo`, { as })
    const inGerman = { as, headers: { 'accept-language': 'de' } }
    const german = await backend.call('GET', `/v1/reports/uptime${query}&format=html`, inGerman)
    expect([german.headers['content-language'], german.body]).toEqual([
      'de',
      expect.stringContaining('<h1>Verfügbarkeitsbericht</h1>'),
    ])
    const { headers: plain } = await backend.call('GET', `/v1/reports/uptime${query}&format=csv`, inGerman)
    expect(plain['content-language']).toBeUndefined()
    await planWindows(other)
    const answer = await report(query, as)
    expect(answer.late_maintenance).toEqual([])
    expect(answer.monitors).toMatchObject([
      {
        // Eight hours, of which 70 minutes are maintenance, and 30 + 60 minutes down.
        seconds: { up: (480 - 70 - 90) * 60, degraded: 0, down: 5_400 },
        excluded: {
          maintenance_checks: 70,
          maintenance_failed_checks: 0,
          maintenance_seconds: 4_200,
          paused_seconds: 0,
          no_data_seconds: 7_200,
        },
        downtime_count: 2,
        objective: { percent: 99.9, met: false, allowed_downtime_seconds: 24.6, used_downtime_seconds: 5_400 },
        downtimes: [
          { from: iso(now - 300 * 60_000), to: iso(now - 240 * 60_000), seconds: 3_600, excluded_seconds: 1_800 },
          { from: iso(now - 60 * 60_000), to: null, seconds: 3_600, excluded_seconds: 0, reason: 'status 503' },
        ],
      },
    ])

    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none';style-src 'sha256-[^']+';.*frame-ancestors 'none'$/,
    )
    expect(page.body).toContain('=HYPERLINK(&quot;x&quot;) &lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page.body).not.toContain('<script')
    expect(page.body).toContain('Asia/Tokyo')
    expect(page.body).toMatch(/<h2>Maintenance entered late<\/h2>[^]*<li>swap, /)

    await db.updateTable('monitor').set({ name: '=1+1, "x"' }).where('number', '=', monitor.number).execute()
    const csv = await backend.call('GET', `/v1/reports/uptime${query}&format=csv`, { as })
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(csv.headers['content-disposition']).toMatch(/^attachment; filename="uptime-[\d-]{10}-[\d-]{10}\.csv"$/)
    const lines = csv.body.split('\r\n')
    expect(lines).toHaveLength(4)
    expect(lines[1]).toContain(`${monitor.id},"'=1+1, ""x""",`)
    expect(lines[2]).toMatch(/^,total,/)
    const ofWeb = { name: 'Page', slug: `report-${other.number}`, title: 'Page', sections: [{ name: 'Web', tag: 'web' }] }
    const { body: made } = await backend.call('POST', '/v1/status-pages', { as, body: ofWeb })
    expect(await report(query.replace('tag=web', `page=${made.id}`), as)).toEqual(await report(query, as))
    const foreign = await backend.call('GET', `/v1/reports/uptime?page=${made.id}`, { as: viewer })
    expect([foreign.status, foreign.body.error.details[0].path]).toEqual([400, 'page'])
  })

  it('has no figures of a monitor without checks [REPORT-04]', async () => {
    const other = await backend.organization()
    await monitorOf(other, 'New', [], new Date(now))
    const as = await backend.member(other, 'viewer')
    const { summary, monitors } = await report(`?from=${iso(now - DAY)}&to=${iso(now)}&objective=99`, as)
    expect(monitors[0]).toMatchObject({
      uptime_percent: null,
      availability_percent: null,
      seconds: { up: 0, degraded: 0, down: 0 },
      excluded: { no_data_seconds: 86_400 },
      objective: { met: null },
    })
    expect(summary.uptime_percent).toBeNull()
  })

  it.each([
    ['from=2026-11-05&to=2026-11-04', 'to'],
    ['from=2026-11-05', 'to'],
    ['from=2026-02-30&to=2026-11-04', 'from'],
    ['from=2025-01-01&to=2026-11-04', 'to'],
    ['from=2030-01-01&to=2030-01-04', 'from'],
    ['time_zone=Mars/Base', 'time_zone'],
    ['objective=100', 'objective'],
    ['objective=49', 'objective'],
    ['format=pdf', 'format'],
    ['monitor=mon_nonsense', 'monitor.0'],
    ['page=x', 'page'],
  ])('refuses %s', async (query, path) => {
    const { status, body } = await backend.call('GET', `/v1/reports/uptime?${query}`, { as: viewer })
    expect([status, body.error.details[0].path]).toEqual([400, path])
  })

  it('refuses monitors of another organization, and more than fit [REPORT-05]', async () => {
    const other = await backend.organization()
    const as = await backend.member(other, 'owner')
    const refused = await backend.call('GET', `/v1/reports/uptime?monitor=${shop.id}`, { as })
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'monitor.0'])
    const one = await monitorOf(other, 'Shop')
    const copies = async (count: number) =>
      backend.pool.pg.query(`with copy as (
        insert into monitor overriding system value select (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(),
          'number', nextval(pg_get_serial_sequence('monitor', 'number'))))).*
        from monitor as m, generate_series(1, ${count}) where m.number = ${one.number} returning number
      ) insert into monitor_status select (jsonb_populate_record(s, jsonb_build_object('monitor', copy.number))).*
      from copy, monitor_status as s where s.monitor = ${one.number}`)
    await copies(999)
    expect((await report('', as)).monitors).toHaveLength(1_000)
    await copies(1)
    const full = await backend.call('GET', '/v1/reports/uptime', { as })
    expect([full.status, full.body.error.details[0].path]).toEqual([400, 'tag'])
  })
})
