import { SERIES_STEPS_SECONDS } from '@vedette/shared'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { compactChecks, readHourlyMeans, readPeriodCounts } from '../index.ts'
import { avgResponseMs, uptimePercent } from '../stats/counts.ts'
import { seedChecks, type SeededCheck, seedMonitor, seedRegion } from '../../../../test/seed-checks.ts'
import { randomFrom } from '../../../../test/random.ts'

const SECOND = 1000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR

// A month of checks is made and counted several times; a busy machine takes long for it.
vi.setConfig({ testTimeout: 90_000 })

let backend: TestBackend
let organization: TestOrganization
let viewer: Credentials
const regions: { id: string; number: number }[] = []
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  viewer = await backend.member(organization, 'viewer')
  for (const id of ['ams', 'fra', 'nyc']) regions.push({ id, number: await seedRegion(backend, id) })
})
afterAll(() => backend.close())

/** Checks each `everyMs` in every region, backwards from now: mostly up, with long tails, some down, some of no account. */
function history(seed: number, lengthMs: number, everyMs: number): SeededCheck[] {
  const random = randomFrom(seed)
  const now = backend.clock.now()
  const checks: SeededCheck[] = []
  for (let atMs = now - lengthMs; atMs <= now; atMs += everyMs) {
    for (const [index, { number }] of regions.entries()) {
      const dice = random()
      const outcome = dice < 0.9 ? 0 : dice < 0.93 ? 1 : dice < 0.98 ? 2 : 3
      const responseUs = outcome === 2 && random() < 0.5 ? null : Math.floor(2_000 * Math.exp(random() * 6))
      checks.push({ region: number, atMs: atMs + index * 137, outcome, responseUs })
    }
  }
  return checks
}

/** What the document says, computed the plain way. */
function expected(checks: readonly SeededCheck[], fromMs: number, toMs: number) {
  const counted = checks.filter(({ atMs, outcome }) => outcome !== 3 && atMs >= fromMs && atMs < toMs)
  const times = counted.flatMap(({ responseUs }) => (responseUs === null ? [] : [responseUs])).sort((a, b) => a - b)
  const failed = counted.filter(({ outcome }) => outcome === 2).length
  const rank = (percent: number) => (times[Math.max(0, Math.ceil((percent / 100) * times.length) - 1)] ?? 0) / 1000
  const mean = times.length === 0 ? 0 : Math.round(times.reduce((sum, us) => sum + us, 0) / times.length) / 1000
  return {
    total_checks: counted.length,
    failed_checks: failed,
    uptime_percent: counted.length === 0 ? 100 : Math.floor(((counted.length - failed) * 1e6) / counted.length) / 1e4,
    avg_response_ms: mean,
    p95_response_ms: rank(95),
    p99_response_ms: rank(99),
  }
}

async function stats(monitor: { id: string }, query: string, as = viewer) {
  const { status, body } = await backend.call('GET', `/v1/monitors/${monitor.id}/stats${query}`, { as })
  expect([status, body]).toEqual([200, body])
  return body
}
const PERIODS = { '1h': HOUR, '6h': 6 * HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY }

describe('GET /v1/monitors/:id/stats', () => {
  it('reports 100 % uptime for a monitor without checks [MON-48]', async () => {
    const monitor = await seedMonitor(backend, organization)
    expect(await stats(monitor, '')).toEqual({
      uptime_percent: 100,
      avg_response_ms: 0,
      p95_response_ms: 0,
      p99_response_ms: 0,
      total_checks: 0,
      failed_checks: 0,
      by_region: {},
    })
  })

  describe('over 31 days of checks from three regions', () => {
    let monitor: { number: number; id: string }
    let checks: SeededCheck[]
    beforeAll(async () => {
      monitor = await seedMonitor(backend, organization, 300)
      checks = history(1, 31 * DAY, 300 * SECOND)
      await seedChecks(backend, organization, monitor.number, checks)
    })

    /** Every period with and without a region, against the plain way. */
    async function agrees() {
      const now = backend.clock.now()
      for (const [period, length] of Object.entries(PERIODS)) {
        for (const region of [undefined, ...regions]) {
          const own = checks.filter((check) => region === undefined || check.region === region.number)
          const wanted = expected(own, now - length + 1, now + 1)
          const { by_region, ...found } = await stats(monitor, `?period=${period}${region ? `&region=${region.id}` : ''}`)
          const bound = period === '30d' ? 0.01 : 0
          for (const name of ['p95_response_ms', 'p99_response_ms'] as const) {
            expect(Math.abs(found[name] / wanted[name] - 1), `${name} of ${period}`).toBeLessThanOrEqual(bound)
            wanted[name] = found[name]
          }
          expect(found, `${period} ${region?.id}`).toEqual(wanted)
          const names = (region ? [region] : regions).map(({ id }) => id)
          expect(Object.keys(by_region)).toEqual(names)
        }
      }
    }

    it('matches the single checks before compaction [MON-41, MON-43, MON-44]', agrees)

    it('has the uptime and the response time of each region [MON-46]', async () => {
      const now = backend.clock.now()
      const figures = regions.map(({ id, number }) => {
        const own = checks.filter(({ region }) => region === number)
        const { uptime_percent, avg_response_ms } = expected(own, now - DAY + 1, now + 1)
        return [id, { uptime_percent, avg_response_ms }]
      })
      expect((await stats(monitor, '')).by_region).toEqual(Object.fromEntries(figures))
    })

    it('returns the same digits after compaction [MON-42, MON-45, MON-47]', async () => {
      // The job begins with the oldest day of late results; here the whole month is compacted.
      await sql`insert into check_progress (name, done) values ('hour', ${Math.floor((backend.clock.now() - 32 * DAY) / HOUR)}),
        ('day', ${Math.floor((backend.clock.now() - 32 * DAY) / DAY)})`.execute(backend.pool.db)
      await backfill(backend.clock)
      const rows = await sql<{ days: number; hours: number }>`select (select count(*) from check_day)::int as days,
        (select count(*) from check_hour)::int as hours`.execute(backend.pool.db)
      expect(rows.rows[0]?.days).toBe(3 * 31)
      expect(rows.rows[0]?.hours).toBeGreaterThan(3 * 24 * 30)
      await agrees()
    })

    it('counts a late check at once in its hour and its day', async () => {
      const atMs = backend.clock.now() - 3 * DAY - 1_234
      const late = { region: regions[0]?.number as number, atMs, outcome: 2, responseUs: 59_000_000 }
      await seedChecks(backend, organization, monitor.number, [late])
      await sql`insert into check_hour_stale values (${Math.floor(atMs / HOUR)}, ${organization.number}, ${monitor.number})`.execute(
        backend.pool.db,
      )
      checks.push(late)
      await agrees()
      await compactChecks(backend.pool.db, backend.clock)
      expect((await sql`select from check_hour_stale`.execute(backend.pool.db)).rows).toEqual([])
      await agrees()
    })

    it('matches the figures of lists', async () => {
      const now = backend.clock.now()
      const counts = await readPeriodCounts(backend.pool.db, organization.number, [monitor.number, 0], '7d', now)
      const own = counts.get(monitor.number)
      const { uptime_percent, avg_response_ms, total_checks } = await stats(monitor, '?period=7d')
      expect(own && [uptimePercent(own), avgResponseMs(own), own.checks]).toEqual([uptime_percent, avg_response_ms, total_checks])
      expect([...counts.keys()]).toEqual([monitor.number])
    })

    it.each([
      ['?period=1h&points=12', HOUR],
      ['?period=24h&points=100', DAY],
      ['?period=7d&points=1000', 7 * DAY],
      ['?period=7d&points=10', 7 * DAY],
      ['?period=30d&points=200', 30 * DAY],
      ['?period=30d&points=30', 30 * DAY],
    ])('returns %s in steps that add up [MON-49]', async (query, length) => {
      const points = Number(/points=(\d+)/.exec(query)?.[1])
      const { series } = await stats(monitor, query)
      const { step_seconds: step, from, avg_response_ms, uptime_percent, p95_response_ms } = series
      expect(SERIES_STEPS_SECONDS).toContain(step)
      expect(avg_response_ms.length).toBeLessThanOrEqual(points)
      const now = backend.clock.now()
      for (const [index, mean] of avg_response_ms.entries()) {
        const start = Date.parse(from) + index * step * SECOND
        const wanted = expected(checks, Math.max(start, now - length + 1), Math.min(start + step * SECOND, now + 1))
        const { total_checks: total, avg_response_ms: avg, p95_response_ms: p95 } = wanted
        expect([mean, uptime_percent[index]]).toEqual([avg || null, total === 0 ? null : wanted.uptime_percent])
        expect(Math.abs((p95_response_ms[index] ?? 0) - p95)).toBeLessThanOrEqual(0.01 * p95)
      }
    })

    it('accepts from and to [MON-50]', async () => {
      const now = backend.clock.now()
      for (const [from, to] of [
        [now - 5 * DAY - 77_777, now - 3 * DAY - 33_333],
        [now - 90 * 60_000, now - 61_000],
        [now - 1_000, now + HOUR],
      ] as const) {
        const range = `?from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`
        const { by_region: _regions, ...found } = await stats(monitor, range)
        expect(found).toEqual(expected(checks, from, to))
      }
    })

    it('matches the hourly means of the last day', async () => {
      const now = backend.clock.now()
      const { fromMs, means } = await readHourlyMeans(backend.pool.db, organization.number, [monitor.number], now)
      const own = means.get(monitor.number) as number[]
      expect(own).toHaveLength(24)
      expect(own).toEqual(
        own.map(
          (_, hour) => expected(checks, fromMs + hour * HOUR, Math.min(fromMs + (hour + 1) * HOUR, now + 1)).avg_response_ms,
        ),
      )
    })

    it.each([
      ['?region=mars', 'region'],
      ['?period=2h', 'period'],
      ['?points=9', 'points'],
      ['?from=2026-11-01T00:00:00.000Z', 'to'],
      ['?to=2026-11-01T00:00:00.000Z', 'from'],
      ['?period=1h&from=2026-11-01T00:00:00.000Z&to=2026-11-02T00:00:00.000Z', 'period'],
      ['?from=2026-11-02T00:00:00.000Z&to=2026-11-02T00:00:00.000Z', 'to'],
      ['?from=2025-01-01T00:00:00.000Z&to=2026-11-02T00:00:00.000Z', 'to'],
      ['?from=2026-02-30T00:00:00.000Z&to=2026-11-02T00:00:00.000Z', 'from'],
    ])('refuses %s and names it [MON-42, MON-47, MON-50]', async (query, path) => {
      const { status, body } = await backend.call('GET', `/v1/monitors/${monitor.id}/stats${query}`, { as: viewer })
      expect(status).toBe(400)
      expect(body.error.details.map((detail: { path: string }) => detail.path)).toContain(path)
    })

    it('is not_found for other organizations', async () => {
      const other = await backend.member(await backend.organization('Other'), 'owner')
      const { status } = await backend.call('GET', `/v1/monitors/${monitor.id}/stats`, { as: other })
      expect(status).toBe(404)
    })
  })
})

describe('the phases of the response time', () => {
  it('are means over the checks with a response of a step, which they add up to', async () => {
    const monitor = await seedMonitor(backend, organization)
    const toMs = Math.floor(backend.clock.now() / HOUR) * HOUR
    const at = (minutes: number) => toMs - minutes * 60 * SECOND
    const checks = [
      { region: regions[0]?.number ?? 0, atMs: at(59), outcome: 0, responseUs: 100_000 },
      { region: regions[1]?.number ?? 0, atMs: at(58), outcome: 1, responseUs: 40_000 },
      { region: regions[0]?.number ?? 0, atMs: at(57), outcome: 2, responseUs: null },
      { region: regions[0]?.number ?? 0, atMs: at(56), outcome: 3, responseUs: 900_000 },
    ]
    await seedChecks(backend, organization, monitor.number, checks)
    const { pg } = backend.pool
    const phases = 'dns_us = $2, connect_us = $3, tls_us = $4, first_byte_us = $5, transfer_us = $6'
    const set = (us: number, ...values: (number | null)[]) =>
      pg.query(`update check_result set ${phases} where response_us = $1 and monitor = $7`, [us, ...values, monitor.number])
    await set(100_000, 10_000, 20_000, 30_000, 35_000, 5_000)
    await set(40_000, null, null, null, 39_000, 1_000)
    const read = async (more: string) => {
      const times = `from=${new Date(toMs - HOUR).toISOString()}&to=${new Date(toMs).toISOString()}`
      return (await backend.call('GET', `/v1/monitors/${monitor.id}/stats?${times}&points=12${more}`, { as: viewer })).body.series
    }
    const means = ({ phases }: { phases: Record<string, (number | null)[]> }) => Object.values(phases).map(([first]) => first)
    const series = await read('&include=phases')
    expect(series.step_seconds).toBe(300)
    expect(means(series)).toEqual([5, 10, 15, 37, 3])
    expect(series.avg_response_ms[0]).toBe(70)
    for (const values of Object.values(series.phases as Record<string, unknown[]>)) {
      expect(values).toHaveLength(12)
      expect(values.slice(1)).toEqual(Array.from({ length: 11 }, () => null))
    }
    expect(means(await read(`&include=phases&region=${regions[1]?.id}`))).toEqual([0, 0, 0, 39, 1])
    expect(await read('')).not.toHaveProperty('phases')
  })
})

it('the compaction of a new installation begins at its first check', async () => {
  const other = await startTestBackend()
  const progress = async () =>
    Object.fromEntries(
      (await other.pool.pg.query('select name, done from check_progress')).rows.map(({ name, done }) => [name, done]),
    )
  const hour = Math.floor((other.clock.now() - 600_000) / HOUR)
  await compactChecks(other.pool.db, other.clock)
  expect(await progress()).toEqual({ hour: hour - 1, day: Math.floor(hour / 24) - 1 })
  await other.pool.pg.query('delete from check_progress')
  const someone = await other.organization()
  const region = await seedRegion(other, 'ams')
  const { number } = await seedMonitor(other, someone)
  await seedChecks(other, someone, number, [{ region, atMs: (hour - 30) * HOUR + 1, outcome: 0, responseUs: 5_000 }])
  await compactChecks(other.pool.db, other.clock)
  expect(await progress()).toEqual({ hour: hour - 1, day: Math.floor(hour / 24) - 1 })
  expect((await other.pool.pg.query('select hour from check_hour')).rows).toEqual([{ hour: hour - 30 }])
  expect((await other.pool.pg.query('select count(*)::int as days from check_day')).rows).toEqual([{ days: 1 }])
  await other.close()
})

/** All ended hours and days, however old: `compactChecks` alone begins a week ago. */
async function backfill(clock: TestBackend['clock']): Promise<void> {
  const now = clock.now()
  for (let day = 24; day >= 0; day -= 7) await compactChecks(backend.pool.db, { ...clock, now: () => now - day * DAY })
  await compactChecks(backend.pool.db, clock)
}
