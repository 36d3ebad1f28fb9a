import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { seedMonitor } from '../../../../test/seed-checks.ts'
import { listLateWindows, readMaintenance } from '../index.ts'

const HOUR = 3_600_000

let backend: TestBackend
let organization: TestOrganization
let monitor: { id: string; number: number }
let startMs: number
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  monitor = await seedMonitor(backend, organization, 60)
  startMs = backend.clock.now()
})
afterAll(() => backend.close())

const iso = (hour: number) => new Date(startMs + hour * HOUR).toISOString()
const call = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
  const as = await backend.member(organization, 'owner')
  const { status, body: answer } = await backend.call(method, `/v1/maintenance-windows${path}`, { as, ...(body && { body }) })
  expect(status).toBeLessThan(300)
  return answer
}
const create = (from: number, to: number, own: object = {}) =>
  call('POST', '', {
    name: 'Updates',
    target: { type: 'monitor', id: monitor.id },
    starts_at: iso(from),
    ends_at: iso(to),
    ...own,
  })
const days = { fromMs: 0, toMs: 0 }
/** Hours of the test, [from, to). */
async function maintenance(): Promise<[number, number][]> {
  Object.assign(days, { fromMs: startMs - 100 * HOUR, toMs: startMs + 100 * HOUR })
  const found = await readMaintenance(backend.pool.db, organization.number, [monitor.number], days)
  return (found.get(monitor.number) ?? []).map(({ fromMs, toMs }) => [(fromMs - startMs) / HOUR, (toMs - startMs) / HOUR])
}
const late = async () => {
  const found = await listLateWindows(backend.pool.db, organization.number, [monitor.number], days)
  return found.map(({ id }) => id.length)
}

describe('what a maintenance window covers', () => {
  it('begins when the window is created, and stays through changes, a deletion and a restore', async () => {
    const window = await create(-2, 4)
    expect(await maintenance()).toEqual([[0, 4]])
    expect(await late()).toHaveLength(1)

    backend.clock.advance(HOUR)
    await call('PATCH', `/${window.id}`, { name: 'Weekly updates' })
    expect(await maintenance()).toEqual([[0, 4]])

    // Prolonged while it takes place.
    backend.clock.advance(HOUR)
    await call('PATCH', `/${window.id}`, { starts_at: iso(0), ends_at: iso(6) })
    expect(await maintenance()).toEqual([[0, 6]])
    expect(await late()).toEqual([])

    // Ended, and moved to the past: what was said for the time before stays.
    backend.clock.advance(HOUR)
    await call('PATCH', `/${window.id}`, { starts_at: iso(-8), ends_at: iso(3) })
    expect(await maintenance()).toEqual([[0, 3]])
    expect(await late()).toHaveLength(1)

    backend.clock.advance(HOUR)
    await call('PATCH', `/${window.id}`, { starts_at: iso(4), ends_at: iso(9) })
    backend.clock.advance(HOUR)
    await call('DELETE', `/${window.id}`)
    expect(await maintenance()).toEqual([
      [0, 3],
      [4, 5],
    ])
    backend.clock.advance(HOUR)
    await call('POST', `/${window.id}/restore`)
    expect(await maintenance()).toEqual([
      [0, 3],
      [4, 5],
      [6, 9],
    ])
  })

  it('is kept for 36 days after a change', async () => {
    const rows = () => backend.pool.db.selectFrom('maintenance_window_past').select('covers_until').execute()
    expect(await rows()).not.toEqual([])
    backend.clock.advance((36 * 24 - 2) * HOUR)
    await backend.jobs.deleteExpired()
    expect(await rows()).not.toEqual([])
    backend.clock.advance(3 * HOUR)
    await backend.jobs.deleteExpired()
    expect(await rows()).toEqual([])
  })
})
