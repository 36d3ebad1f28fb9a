import { sql } from 'kysely'
import { DAY_MS, HOUR_MS, MAX_SLO_MONITORS } from '@vedette/shared'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { seedChecks, seedMonitor, seedRegion } from '../../../../test/seed-checks.ts'
import { compactChecks, MAX_EXACT_LATENCIES } from '../../checks/index.ts'
import { parseId } from '../../../platform/ids.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { evaluateSlos } from '../index.ts'

const MINUTE = 60_000
const THRESHOLD_MS = 301

// Some ten thousand checks are inserted and compacted.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let backend: TestBackend
let organization: TestOrganization
let owner: Credentials
let region: number
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
  region = await seedRegion(backend, 'ams')
})
afterAll(() => backend.close())

const create = (body: object) => backend.call('POST', '/v1/slos', { as: owner, body: { name: 'Shop', objective: 99, ...body } })
const seedTagged = async (tag: string, count: number): Promise<number[]> => {
  const numbers: number[] = []
  for (let index = 0; index < count; index += 1) numbers.push((await seedMonitor(backend, organization)).number)
  await sql`update monitor set tags = ${[tag]}::text[] where number = any (${numbers}::int[])`.execute(backend.pool.db)
  return numbers
}

it('a latency of many monitors is exact since the last ended day, and within 1 % of the threshold before [SLO-01]', async () => {
  const { clock, pool } = backend
  const today = Math.floor(clock.now() / DAY_MS) * DAY_MS
  const monitors = await seedTagged('many', MAX_EXACT_LATENCIES + 1)
  const times: { atMs: number; us: number }[] = []
  for (const number of monitors) {
    const checks = Array.from({ length: 60 }, (_, index) => ({
      region,
      atMs: today - 2 * DAY_MS + index * HOUR_MS + (number % 60) * MINUTE,
      outcome: 0,
      responseUs: 200_000 + ((index * 7_919 + number * 104_729) % 200_000),
    })).filter(({ atMs }) => atMs < clock.now())
    await seedChecks(backend, organization, number, checks)
    times.push(...checks.map(({ atMs, responseUs }) => ({ atMs, us: responseUs })))
  }
  await compactChecks(pool.db, clock)
  const latency = { kind: 'latency', threshold_ms: THRESHOLD_MS, target: { tag: 'many' } }
  const { status } = (await create(latency)).body
  expect(Date.parse(status.exact_from)).toBe(today)
  expect(status.total).toBe(times.length)
  const fast = (before: number) => times.filter(({ atMs, us }) => us < (atMs < today ? before : THRESHOLD_MS * 1000)).length
  expect(status.good).toBeGreaterThanOrEqual(fast(THRESHOLD_MS * 990))
  expect(status.good).toBeLessThanOrEqual(fast(THRESHOLD_MS * 1010))
  // The blocks of hours would have given the exact count.
  expect(status.good).not.toBe(fast(THRESHOLD_MS * 1000))
  // With one monitor less all of it is exact.
  await sql`update monitor set tags = '{}' where number = ${monitors.at(-1)}`.execute(pool.db)
  const exact = (await create(latency)).body.status
  expect(Date.parse(exact.exact_from)).toBeLessThan(today)
})

it('an SLO refuses a tag of more monitors than it counts, and later counts the oldest ones [SLO-02]', async () => {
  const numbers = await seedTagged('huge', MAX_SLO_MONITORS)
  const { body } = await create({ target: { tag: 'huge' } })
  const [newest] = await seedTagged('huge', 1)
  const refused = await create({ target: { tag: 'huge' } })
  expect([refused.status, refused.body.error.details]).toEqual([
    400,
    [{ path: 'target.tag', message: `must be that of at most ${MAX_SLO_MONITORS} monitors` }],
  ])
  const check = { region, atMs: backend.clock.now() - MINUTE, outcome: 0, responseUs: 1 }
  await seedChecks(backend, organization, newest as number, [check])
  await seedChecks(backend, organization, numbers.at(-1) as number, [check])
  expect((await backend.call('GET', `/v1/slos/${body.id}`, { as: owner })).body.status.total).toBe(1)
})

it('an SLO evaluates a long window every five minutes [SLO-03]', async () => {
  const { clock, pool } = backend
  const monitor = await seedMonitor(backend, organization)
  const { body } = await create({ target: { id: monitor.id }, burn_alerts: ['1h', '3d'] })
  const severities = async () => {
    const sloId = parseId('slo', body.id) as string
    const rows = await pool.db.selectFrom('incident').select('severity').where('target_id', '=', sloId).execute()
    return rows.map(({ severity }) => severity).toSorted()
  }
  const evaluated = new Map<string, number>()
  const evaluate = () => evaluateSlos({ db: pool.db, clock, log: silentLog }, evaluated)
  await evaluate()
  await seedChecks(backend, organization, monitor.number, [{ region, atMs: clock.now(), outcome: 2, responseUs: null }])
  clock.advance(30_000)
  await evaluate()
  expect(await severities()).toEqual(['critical'])
  clock.advance(270_000 - 1)
  await evaluate()
  expect(await severities()).toEqual(['critical'])
  clock.advance(1)
  await evaluate()
  expect(await severities()).toEqual(['critical', 'warning'])
})
