import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { changeIntervals, scheduleMonitors } from '../schedule/schedule-store.ts'
import { seedMonitor, seedRegion } from '../../../../test/seed-checks.ts'

let backend: TestBackend
let organization: TestOrganization
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
})
afterAll(() => backend.close())

const rowsOf = (monitor: number) =>
  backend.pool.db
    .selectFrom('check_schedule')
    .select(['region', 'interval_seconds', 'due_at', 'fence'])
    .where('monitor', '=', monitor)
    .orderBy('region')
    .execute()

it('a monitor is due at once in its regions and removed from all others', async () => {
  const { db } = backend.pool
  const nowMs = backend.clock.now()
  const { number: monitor } = await seedMonitor(backend, organization)
  const regions = [await seedRegion(backend, 'place-1'), await seedRegion(backend, 'place-2')]
  const schedule = (numbers: number[]) =>
    scheduleMonitors(db, organization.number, [{ monitor, intervalSeconds: 30, regions: numbers, isPaused: false }], nowMs)
  await schedule(regions)
  const before = await rowsOf(monitor)
  expect(before.map(({ region, due_at }) => [region, Number(due_at)])).toEqual(regions.map((region) => [region, nowMs]))

  await schedule(regions.slice(1))
  const after = await rowsOf(monitor)
  expect(after.map(({ region }) => region)).toEqual(regions.slice(1))
  expect(Number(after[0]?.fence)).toBeGreaterThan(Number(before[1]?.fence))

  await changeIntervals(db, organization.number, [{ monitor, intervalSeconds: 60 }], nowMs)
  const [changed] = await rowsOf(monitor)
  expect(changed?.interval_seconds).toBe(60)
  expect(Number(changed?.fence)).toBeGreaterThan(Number(after[0]?.fence))
})
