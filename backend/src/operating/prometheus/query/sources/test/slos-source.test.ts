import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../../../test/harness.ts'
import { seedChecks, seedMonitor, seedRegion } from '../../../../../../test/seed-checks.ts'
import { compactChecks } from '../../../../../monitoring/checks/index.ts'
import { slosSource } from '../slos-source.ts'
import { instant, named, scopeOf, valueAt } from './queries.ts'

const LEFT = 'vedette_slo_budget_remaining_ratio'
const OBJECTIVE = 'vedette_slo_objective_ratio'
const source = slosSource()

let backend: TestBackend
let organization: TestOrganization
let as: Credentials
let region: number
let todayMs: number
let monitor: { number: number; id: string }
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  as = await backend.apiKey(organization, 'admin')
  region = await seedRegion(backend, 'ams')
  todayMs = Math.floor(backend.clock.now() / DAY_MS) * DAY_MS
  monitor = await seedMonitor(backend, organization, 3_600)
  // A check an hour: of the third last day one fails, of yesterday two are slow, of today the first hour fails.
  const checks = Array.from({ length: 3 * 24 + 12 }, (_, hour) => ({
    region,
    atMs: todayMs - 3 * DAY_MS + hour * HOUR_MS,
    outcome: hour === 5 || hour === 72 ? 2 : 0,
    responseUs: hour === 5 || hour === 72 ? null : hour === 50 || hour === 51 ? 900_000 : 100_000,
  }))
  await seedChecks(backend, organization, monitor.number, checks)
  await compactChecks(backend.pool.db, backend.clock)
})
afterAll(() => backend.close())

const create = async (body: object): Promise<string> => {
  const answer = await backend.call('POST', '/v1/slos', {
    as,
    body: { target: { id: monitor.id }, objective: 90, window: '7d', ...body },
  })
  expect(answer.status).toBe(201)
  return answer.body.id
}
async function leftOf(id: string, ...agoMs: number[]): Promise<(number | undefined)[]> {
  const { scope } = scopeOf(backend, organization)
  const wanted = instant(scope.nowMs, named(LEFT), { label: 'slo_id', op: '=', value: id })
  const { series } = await source.read(scope, { ...wanted, fromMs: todayMs - 5 * DAY_MS })
  const [one] = series
  return agoMs.map((ago) => one && valueAt(one, scope.nowMs - ago))
}

it('a budget is that of the end of each day, and that of now as the API says it', async () => {
  const id = await create({ name: 'Shop' })
  const sinceToday = backend.clock.now() - todayMs
  const [before, first, second, third, now] = await leftOf(
    id,
    sinceToday + 2 * DAY_MS + 1,
    sinceToday + 2 * DAY_MS,
    sinceToday + DAY_MS,
    sinceToday,
    0,
  )
  expect(before).toBeUndefined()
  expect([first, second, third].map((left) => left?.toFixed(6))).toEqual(
    [1 / 24, 1 / 48, 1 / 72].map((bad) => (1 - bad / 0.1).toFixed(6)),
  )
  const { status } = (await backend.call('GET', `/v1/slos/${id}`, { as })).body
  expect(now).toBe(status.budget_left_percent / 100)
  expect(now).toBeCloseTo(1 - 2 / 84 / 0.1, 9)
  // A window that ended before says nothing of now.
  const { scope } = scopeOf(backend, organization)
  const wanted = instant(scope.nowMs - HOUR_MS, named(LEFT))
  const [earlier] = (await source.read(scope, wanted)).series
  expect(earlier && valueAt(earlier, wanted.toMs)).toBe(third)
})

it('a budget of slow checks counts those of each day, and may be exceeded', async () => {
  const id = await create({ name: 'Fast', kind: 'latency', threshold_ms: 500, objective: 98 })
  const sinceToday = backend.clock.now() - todayMs
  const left = await leftOf(id, sinceToday + DAY_MS, sinceToday, 0)
  expect(left.map((one) => one?.toFixed(6))).toEqual([1 / 48, 3 / 72, 4 / 84].map((bad) => (1 - bad / 0.02).toFixed(6)))
})

it('an objective is a share, and a deleted SLO has no series', async () => {
  const id = await create({ name: 'Promised', objective: 99.9 })
  const { scope } = scopeOf(backend, organization)
  const ofIt = { label: 'slo', op: '=', value: 'Promised' } as const
  const wanted = instant(scope.nowMs, named('vedette_slo_.+', '=~'), ofIt)
  const { series } = await source.read(scope, wanted)
  expect(Object.fromEntries(series.map((one) => [one.labels['__name__'], valueAt(one, scope.nowMs)]))).toEqual({
    [OBJECTIVE]: 0.999,
    [LEFT]: expect.any(Number),
  })
  expect(await source.list(scope, wanted)).toEqual(
    [LEFT, OBJECTIVE].map((name) => ({ __name__: name, slo: 'Promised', slo_id: id })),
  )
  const other = scopeOf(backend, await backend.organization('Unrelated')).scope
  expect(await source.list(other, instant(other.nowMs, named('.+', '=~')))).toEqual([])
  await backend.call('DELETE', `/v1/slos/${id}`, { as })
  expect((await source.read(scope, wanted)).series).toEqual([])
})

it('an SLO of many monitors takes as many statements as one of a single one', async () => {
  const other = await backend.organization('Many')
  const admin = await backend.apiKey(other, 'admin')
  const seedTagged = async (tag: string) => {
    const { number } = await seedMonitor(backend, other, 3_600)
    await backend.pool.db
      .updateTable('monitor')
      .set({ tags: [tag] })
      .where('number', '=', number)
      .execute()
  }
  await seedTagged('one')
  for (let index = 0; index < 5; index += 1) await seedTagged('five')
  for (const tag of ['one', 'five']) {
    const body = { name: tag, target: { tag }, objective: 99 }
    expect((await backend.call('POST', '/v1/slos', { as: admin, body })).status).toBe(201)
  }
  const count = async (name: string) => {
    const found = scopeOf(backend, other)
    await source.read(found.scope, instant(found.scope.nowMs, named(LEFT), { label: 'slo', op: '=', value: name }))
    return found.count()
  }
  expect(await count('five')).toBe(await count('one'))
})
