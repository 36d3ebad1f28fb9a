import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import {
  claimChecks,
  type ClaimRequest,
  findLostClaims,
  readHangingLoad,
  releaseClaims,
  renewClaims,
} from '../schedule/claim-store.ts'
import { changeIntervals, pauseChecks, scheduleMonitors, resumeChecks, unscheduleMonitors } from '../schedule/schedule-store.ts'
import { recordHeartbeat, deleteWorker } from '../worker/worker-store.ts'
import { monitorsOf, scheduleOf, settle } from './monitors.ts'

let backend: TestBackend
let organization: TestOrganization
let make: ReturnType<typeof monitorsOf>
let regions = 0
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  make = monitorsOf(backend)
})
afterAll(() => backend.close())

/** A region of its own for each test: nothing else is due in it. */
async function newRegion() {
  const id = `region-${(regions += 1)}`
  const number = await make.region(id)
  const monitor = (options: Parameters<typeof make.monitor>[1] = {}) => make.monitor(organization, { regions: [id], ...options })
  const claim = (more: Partial<ClaimRequest> = {}) =>
    claimChecks(backend.pool.db, {
      region: number,
      nowMs: backend.clock.now(),
      aheadMs: 4_000,
      nearMs: 2_000,
      leaseMs: 5_000,
      includesTimeout: false,
      share: { index: 0, count: 1 },
      limit: 1_000,
      ...more,
    })
  return { number, monitor, claim }
}

const now = () => backend.clock.now()
const db = () => backend.pool.db

describe('a claim', () => {
  it('contains checks that are due soon with their definitions, and is exclusive', async () => {
    const { monitor, claim, number } = await newRegion()
    const mine = await monitor({ url: 'https://example.com/', timeout: 7, confirmations: 3 })
    const later = await monitor()
    await settle(db(), later, now() + 4_001)
    const rows = await claim()
    expect(rows).toMatchObject([
      {
        organization: organization.number,
        monitor: mine.number,
        region: number,
        due_at: now(),
        lease_until: now() + 5_000,
        id: mine.id,
        url: 'https://example.com/',
        timeout_seconds: 7,
        confirmations: 3,
        assertions: [],
        status: 'up',
        state: null,
        has_one_region: true,
      },
    ])
    expect(await claim()).toEqual([])
    expect((await claim({ nowMs: now() + 1 })).map((row) => row.monitor)).toEqual([later.number])
  })

  it('is given to one of many concurrent workers', async () => {
    const { monitor, claim } = await newRegion()
    await Promise.all(Array.from({ length: 40 }, () => monitor()))
    const all = await Promise.all(Array.from({ length: 5 }, () => claim({ limit: 15 })))
    const taken = all.flat().map((row) => row.monitor)
    expect(new Set(taken).size).toBe(taken.length)
    expect(taken.length + (await claim()).length).toBe(40)
  })

  it('that expires because its worker is gone leaves the check due at once; a second one moves it to its next slot', async () => {
    const { monitor, claim } = await newRegion()
    const mine = await monitor()
    const dueAt = now() - 1
    await settle(db(), mine, dueAt)
    await claim()
    backend.clock.advance(5_500)
    expect(await claim()).toMatchObject([{ due_at: dueAt }])
    backend.clock.advance(5_001)
    expect(await claim()).toEqual([])
    expect(await scheduleOf(db(), mine)).toMatchObject([{ due_at: dueAt + 60_000 }])
  })

  it('expires with its lease, and the next one has another fence', async () => {
    const { monitor, claim } = await newRegion()
    await monitor()
    const [first] = await claim()
    expect(await claim({ nowMs: now() + 4_999 })).toEqual([])
    const [second] = await claim({ nowMs: now() + 5_000 })
    expect(second?.fence).toBe((first?.fence ?? 0) + 1)
  })

  it('includes the timeout of the check when it cannot be renewed', async () => {
    const { monitor, claim } = await newRegion()
    await monitor({ timeout: 20 })
    expect(await claim({ includesTimeout: true })).toMatchObject([{ lease_until: now() + 25_000 }])
  })

  it('can be renewed and released while no other worker has the check', async () => {
    const { monitor, claim, number } = await newRegion()
    await monitor()
    const [first] = await claim()
    expect(await renewClaims(db(), number, [first as never], now() + 30_000)).toHaveLength(1)
    expect(await claim({ nowMs: now() + 29_000 })).toEqual([])
    await releaseClaims(db(), number, [first as never])
    const [second] = await claim()
    expect(second).toBeDefined()
    expect(await renewClaims(db(), number, [first as never], now() + 30_000)).toEqual([])
    expect(await findLostClaims(db(), number, [first as never, second as never])).toMatchObject([{ fence: first?.fence }])
  })
})

describe('a missed check', () => {
  it('is spread over the interval by its offset in the grid', async () => {
    const { monitor, claim } = await newRegion()
    const mine = await monitor({ interval: 60 })
    // Due for the last time ten minutes and 20 s ago: its next slot is in 40 s.
    await settle(db(), mine, now() - 620_000)
    expect(await claim()).toEqual([])
    expect(await scheduleOf(db(), mine)).toMatchObject([{ due_at: now() + 40_000, lease_until: 0 }])
    expect(await claim({ nowMs: now() + 36_000 })).toMatchObject([{ due_at: now() + 40_000 }])
  })

  it('runs at once when it is only a little late', async () => {
    const { monitor, claim } = await newRegion()
    const mine = await monitor()
    await settle(db(), mine, now() - 1_000)
    expect(await claim()).toMatchObject([{ due_at: now() - 1_000 }])
  })

  it('runs within five minutes when the interval is long', async () => {
    const { monitor, claim } = await newRegion()
    const mine = await monitor({ interval: 86_400 })
    await settle(db(), mine, now() - 3_610_000)
    expect(await claim()).toEqual([])
    expect(await scheduleOf(db(), mine)).toMatchObject([{ due_at: now() - 3_610_000 + 3_900_000 }])
  })

  it('is spread: 600 overdue monitors cause no higher rate than usual', async () => {
    const { monitor, claim } = await newRegion()
    const many = await Promise.all(Array.from({ length: 600 }, () => monitor({ interval: 60 })))
    for (const [n, mine] of many.entries()) await settle(db(), mine, now() - 600_000 + n * 100)
    const perSecond: number[] = []
    const taken = new Set<number>()
    for (let second = 0; second < 60; second += 1) {
      const rows = await claim({ nowMs: now() + second * 1_000, aheadMs: 1_000 })
      perSecond.push(rows.length)
      for (const row of rows) taken.add(row.monitor)
    }
    expect(taken.size).toBe(600)
    expect(Math.max(...perSecond)).toBeLessThanOrEqual(21)
  })

  it('runs at once when it is a first check, a repeat, or follows a resume', async () => {
    const { monitor, claim } = await newRegion()
    const first = await monitor({ nowMs: now() - 500_000 })
    const repeat = await monitor()
    await settle(db(), repeat, now() - 500_000)
    await db()
      .updateTable('check_schedule')
      .set({ due_at: now() - 499_999 })
      .where('monitor', '=', repeat.number)
      .execute()
    const resumed = await monitor()
    await settle(db(), resumed, now() - 500_001)
    await pauseChecks(db(), organization.number, resumed.number)
    await resumeChecks(db(), organization.number, resumed.number, now() - 400_000)
    const rows = await claim()
    expect(rows.map((row) => row.monitor).sort((a, b) => a - b)).toEqual([first.number, repeat.number, resumed.number])
  })
})

describe('a change of the monitor', () => {
  const lost = async (change: (monitor: number) => Promise<void>) => {
    const { monitor, claim, number } = await newRegion()
    const mine = await monitor()
    const rows = await claim()
    await change(mine.number)
    return { lost: await findLostClaims(db(), number, rows), again: await claim() }
  }

  it('by a pause invalidates the claim, and nothing is due', async () => {
    const { lost: gone, again } = await lost((monitor) => pauseChecks(db(), organization.number, monitor))
    expect(gone).toHaveLength(1)
    expect(again).toEqual([])
  })

  it('by a deletion invalidates the claim', async () => {
    const { lost: gone, again } = await lost(async (monitor) => {
      await unscheduleMonitors(db(), organization.number, [monitor])
    })
    expect(gone).toHaveLength(1)
    expect(again).toEqual([])
  })

  it('by another definition invalidates the claim, and a check is due at once', async () => {
    const { lost: gone, again } = await lost(async (monitor) => {
      const [row] = await db().selectFrom('check_schedule').select('region').where('monitor', '=', monitor).execute()
      backend.clock.advance(1_000)
      const placement = { monitor, intervalSeconds: 60, regions: [row?.region ?? 0], isPaused: false }
      await scheduleMonitors(db(), organization.number, [placement], now())
    })
    expect(gone).toHaveLength(1)
    expect(again).toHaveLength(1)
  })

  it('by another interval invalidates the claim', async () => {
    const { lost: gone } = await lost((monitor) =>
      changeIntervals(db(), organization.number, [{ monitor, intervalSeconds: 60 }], now()),
    )
    expect(gone).toHaveLength(1)
  })
})

describe('several workers', () => {
  it('divide later checks by number, and the first one claims near checks', async () => {
    const { monitor, claim } = await newRegion()
    const many = await Promise.all(Array.from({ length: 60 }, () => monitor()))
    for (const [n, mine] of many.entries()) await settle(db(), mine, now() + 2_100 + n)
    const one = await claim({ share: { index: 0, count: 2 } })
    const two = await claim({ share: { index: 1, count: 2 } })
    expect(one.length + two.length).toBe(60)
    expect(one.every((row) => row.monitor % 2 === 0)).toBe(true)
    expect(two.every((row) => row.monitor % 2 === 1)).toBe(true)
  })

  it('claim near checks of a worker that is gone', async () => {
    const { monitor, claim } = await newRegion()
    const many = await Promise.all(Array.from({ length: 20 }, () => monitor()))
    for (const mine of many) await settle(db(), mine, now() + 1_900)
    expect(await claim({ share: { index: 0, count: 2 } })).toHaveLength(20)
  })

  it('count each other while they send heartbeats', async () => {
    const { number } = await newRegion()
    const [a, b, c] = [
      '00000000-0000-4000-8000-00000000000a',
      '00000000-0000-4000-8000-00000000000b',
      '00000000-0000-4000-8000-00000000000c',
    ]
    const say = (id: string, atMs: number) =>
      recordHeartbeat(db(), { region: number, id, controlTargets: [] }, atMs, atMs - 10_000)
    expect(await say(b, now())).toEqual({ index: 0, count: 1 })
    expect(await say(c, now())).toEqual({ index: 1, count: 2 })
    expect(await say(a, now())).toEqual({ index: 0, count: 3 })
    expect(await say(b, now())).toEqual({ index: 1, count: 3 })
    await deleteWorker(db(), { region: number, id: a })
    expect(await say(b, now() + 10_001)).toEqual({ index: 0, count: 1 })
  })
})

it('the load of a region is the sum of timeout / interval over the monitors that are not paused', async () => {
  const { monitor, number } = await newRegion()
  await monitor({ interval: 10, timeout: 5 })
  await monitor({ interval: 60, timeout: 15 })
  const paused = await monitor({ interval: 10, timeout: 10 })
  await pauseChecks(db(), organization.number, paused.number)
  expect(await readHangingLoad(db(), number)).toBeCloseTo(0.75)
})
