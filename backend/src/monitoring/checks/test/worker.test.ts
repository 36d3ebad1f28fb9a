import type { CheckDefinition, CheckResult } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createFakeClock } from '../../../../test/fake-clock.ts'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { systemClock } from '../../../platform/time/clock.ts'
import { announceChange, createPool, watchChanges } from '../../../platform/db/index.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { keepCheckPartitions } from '../results/partitions.ts'
import { SCHEDULE } from '../schedule/hint-store.ts'
import { pauseChecks, scheduleMonitors, resumeChecks } from '../schedule/schedule-store.ts'
import { encryptRequest } from '../worker/encrypted-request.ts'
import { checksOf, monitorsOf, scheduleOf, settle, statusOf, type TestMonitor } from './monitors.ts'
import { endAll, openBridge, scriptedProber, startTestWorker, TEST_ENCRYPTER, until, whileTimePasses } from './workers.ts'

type Outcome = CheckResult['outcome']

// On the real clock; a machine that is busy with other things is several times slower.
vi.setConfig({ testTimeout: 90_000 })

let backend: TestBackend
let organization: TestOrganization
let make: ReturnType<typeof monitorsOf>
let regions = 0
beforeAll(async () => {
  // The time of this test is the real one.
  backend = await startTestBackend({ startMs: Date.now() })
  await keepCheckPartitions(backend.pool.db, silentLog, Date.now())
  organization = await backend.organization()
  make = monitorsOf({ pool: backend.pool, clock: systemClock as TestBackend['clock'] })
})
afterAll(() => backend.close())

const db = () => backend.pool.db

async function newRegion() {
  const id = `region-${(regions += 1)}`
  const number = await make.region(id)
  return { number, monitor: (options: object = {}) => make.monitor(organization, { regions: [id], ...options }) }
}

/** Monitors that stand in the schedule already, spread over their interval, and are due from a moment from now on. */
async function createMonitors(
  region: Awaited<ReturnType<typeof newRegion>>,
  count: number,
  options: { interval: number; timeout?: number; url?: (n: number) => string },
) {
  const monitors = []
  for (let n = 0; n < count; n += 1) {
    const monitor = await region.monitor({
      interval: options.interval,
      timeout: options.timeout ?? 1,
      url: options.url?.(n) ?? `http://${n}.test/`,
    })
    monitors.push(monitor)
  }
  const from = Date.now() + 1_000
  for (const [n, monitor] of monitors.entries())
    await settle(db(), monitor, from + Math.floor((n * options.interval * 1_000) / count))
  return monitors
}

/** A timer may be early by a fraction of a ms; a check that is late by less than its interval still belongs to its slot. */
const EARLY_MS = 100

/** The slots in which a monitor was checked, counted from its anchor. */
async function slotsOf(monitor: TestMonitor, intervalMs: number): Promise<number[]> {
  const [row] = await scheduleOf(db(), monitor)
  return (await checksOf(db(), monitor)).map(({ at }) => Math.floor((at + EARLY_MS - (row?.anchor ?? 0)) / intervalMs))
}

/** None is left out, none twice. The first may be over by the time that the workers of a busy machine have begun. */
function expectAll(slots: readonly number[]): void {
  const [first = 0] = slots
  expect(first).toBeLessThanOrEqual(1)
  expect(slots).toEqual(slots.map((_, index) => first + index))
}

describe('two workers on one database', () => {
  it('divide the due checks and run each once', async () => {
    const region = await newRegion()
    // Longer than what is near: of that each worker leaves the other its share.
    const monitors = await createMonitors(region, 60, { interval: 3 })
    const probers = [scriptedProber(systemClock), scriptedProber(systemClock)] as const
    const workers = probers.map((prober) => startTestWorker(backend, region.number, prober))
    await until(async () =>
      (await Promise.all(monitors.map((monitor) => checksOf(db(), monitor)))).every((checks) => checks.length >= 3),
    )
    // What is under way at their end is stored if the database takes it soon, which is not promised.
    const overMs = Date.now()
    const [one, two] = probers.map(({ begun }) => begun.filter(({ atMs }) => atMs < overMs).length) as [number, number]
    const stored = async () => {
      const checks = await Promise.all(monitors.map((monitor) => checksOf(db(), monitor)))
      return checks.flat().filter(({ at }) => at < overMs).length
    }
    await until(async () => (await stored()) >= one + two)
    await endAll(workers)
    expect(await stored()).toBe(one + two)
    for (const monitor of monitors) {
      const slots = await slotsOf(monitor, 3_000)
      expectAll(slots)
    }
    // Near checks are claimed by the first worker: at this short interval the shares may be uneven.
    expect(Math.min(one, two)).toBeGreaterThan((one + two) / 10)
  })

  it('refuse the results of one that was suspended for a minute', async () => {
    const region = await newRegion()
    const monitors: TestMonitor[] = []
    for (let n = 0; n < 10; n += 1) monitors.push(await region.monitor({ interval: 60, timeout: 10, confirmations: 1 }))
    // It claims all, begins half of them, and stops.
    const sleeping = createFakeClock(Date.now())
    let wake: ((outcome: Outcome) => void)[] = []
    const prober = scriptedProber(sleeping, () => new Promise((resolve) => void wake.push(resolve)))
    const sleeper = startTestWorker(backend, region.number, prober, { clock: sleeping })
    await until(() => sleeper.stats().claimed === 10)
    sleeping.advance(10)
    await until(() => prober.begun.length === 10)

    const clock = createFakeClock(Date.now() + 6_000)
    const awake = startTestWorker(backend, region.number, scriptedProber(clock), { clock })
    await until(() => awake.stats().claimed === 10)
    clock.advance(10)
    await until(async () => (await Promise.all(monitors.map((monitor) => checksOf(db(), monitor)))).flat().length === 10)
    const before = await Promise.all(monitors.map((monitor) => scheduleOf(db(), monitor)))

    sleeping.advance(60_000)
    for (const end of wake) end('down')
    wake = []
    await until(() => sleeper.stats().recorder.batches > 0 && sleeper.stats().recorder.queued === 0)
    expect(sleeper.stats().recorder.stored).toBe(0)
    expect(await Promise.all(monitors.map((monitor) => scheduleOf(db(), monitor)))).toEqual(before)
    for (const monitor of monitors) {
      expect(await statusOf(db(), monitor)).toBe('up')
      expect(await checksOf(db(), monitor)).toMatchObject([{ outcome: 0 }])
    }
    await whileTimePasses([sleeping, clock], endAll([sleeper, awake]))
  })

  it('hand over: claims of one that stops are claimed by the other at once', async () => {
    const region = await newRegion()
    const monitors = await createMonitors(region, 10, { interval: 60 })
    for (const monitor of monitors) await settle(db(), monitor, Date.now() + 3_500)
    const one = startTestWorker(backend, region.number, scriptedProber(systemClock))
    await until(() => one.stats().claimed === 10)
    await one.stop()
    const prober = scriptedProber(systemClock)
    const two = startTestWorker(backend, region.number, prober)
    await until(() => prober.begun.length === 10)
    await until(() => two.stats().recorder.stored === 10)
    await two.stop()
    expect((await Promise.all(monitors.map((monitor) => checksOf(db(), monitor)))).map(({ length }) => length)).toEqual(
      monitors.map(() => 1),
    )
  })
})

describe('a monitor', () => {
  it('is checked as soon as it is created or resumed, and not after it is paused', async () => {
    const region = await newRegion()
    const prober = scriptedProber(systemClock)
    const changes = watchChanges({ url: backend.databaseUrl, db: db(), clock: systemClock, log: silentLog })
    const worker = startTestWorker(backend, region.number, prober, { changes })
    const mine = await region.monitor({ url: 'http://mine.test/' })
    await until(() => prober.begun.length === 1)
    const paused = await region.monitor({ url: 'http://paused.test/' })
    await until(() => prober.begun.length === 2)
    await until(async () => (await checksOf(db(), paused)).length === 1)

    // Claimed already, and due in a moment.
    const claimed = worker.stats().claimed
    const dueAt = Date.now() + 3_500
    await settle(db(), paused, dueAt)
    await announceChange(db(), SCHEDULE)
    await until(() => worker.stats().claimed > claimed)
    await pauseChecks(db(), organization.number, paused.number)
    const later = await region.monitor({ url: 'http://later.test/' })
    await until(async () => (await checksOf(db(), later)).length === 1)
    await settle(db(), later, dueAt + 100)
    await announceChange(db(), SCHEDULE)
    await until(() => prober.begun.filter(({ url }) => url === 'http://later.test/').length === 2)
    expect(prober.begun.filter(({ url }) => url === 'http://paused.test/')).toHaveLength(1)

    await resumeChecks(db(), organization.number, paused.number, Date.now())
    await until(() => prober.begun.filter(({ url }) => url === 'http://paused.test/').length === 2)
    await pauseChecks(db(), organization.number, mine.number)
    await worker.stop()
    await changes.stop()
  })

  it('is not checked after a pause even without a notification', async () => {
    const region = await newRegion()
    const clock = createFakeClock(Date.now())
    const prober = scriptedProber(clock)
    const paused = await region.monitor()
    const other = await region.monitor()
    for (const monitor of [paused, other]) await settle(db(), monitor, clock.now() + 3_000)
    const pool = createPool({ url: backend.databaseUrl, clock: systemClock, log: silentLog })
    const worker = startTestWorker({ pool }, region.number, prober, { clock })
    await until(() => worker.stats().claimed === 2)
    await pauseChecks(db(), organization.number, paused.number)
    // Its looks are a second apart, and the clock stands still while it waits for the database.
    for (let passed = 0; prober.begun.length === 0; passed += 50) {
      if (passed > 5_000) throw new Error('nothing was begun')
      clock.advance(50)
      await systemClock.sleep(5)
      await until(() => pool.pg.idleCount === pool.pg.totalCount)
    }
    await until(async () => (await checksOf(db(), other)).length === 1)
    expect(await checksOf(db(), paused)).toEqual([])
    expect(prober.begun).toHaveLength(1)
    await whileTimePasses([clock], worker.stop())
    await pool.end()
  })

  it('that is changed is checked again with its new definition, one check at a time', async () => {
    const region = await newRegion()
    let inFlight = 0
    let most = 0
    let release: (() => void) | undefined
    const seen: CheckDefinition[] = []
    const prober = scriptedProber(systemClock, async (definition): Promise<Outcome> => {
      seen.push(definition)
      inFlight += 1
      most = Math.max(most, inFlight)
      if (seen.length === 1) await new Promise<void>((resolve) => void (release = resolve))
      inFlight -= 1
      return 'down'
    })
    const worker = startTestWorker(backend, region.number, prober)
    const mine = await region.monitor({
      requestEncrypted: (id: string) =>
        encryptRequest(TEST_ENCRYPTER, id, { headers: { a: 'b' }, body: 'c', credentials: {}, options: {} }),
    })
    await until(() => seen.length === 1)
    const placement = { monitor: mine.number, intervalSeconds: 60, regions: [region.number], isPaused: false }
    await scheduleMonitors(db(), organization.number, [placement], Date.now())
    await until(() => worker.stats().claimed >= 2)
    release?.()
    await until(async () => (await checksOf(db(), mine)).length === 1)
    expect(seen[0]).toMatchObject({ headers: { a: 'b' }, body: 'c', timeout: 10, type: 'http' })
    expect(seen.length).toBe(2)
    expect(most).toBe(1)
    await worker.stop()
  })

  it('whose headers cannot be decrypted is not checked without them', async () => {
    const region = await newRegion()
    const prober = scriptedProber(systemClock)
    const mine = await region.monitor({ requestEncrypted: () => Buffer.from('not encrypted by us') })
    const worker = startTestWorker(backend, region.number, prober)
    await until(async () => (await checksOf(db(), mine)).length === 1)
    expect(await checksOf(db(), mine)).toMatchObject([{ outcome: 3, error_code: 'internal' }])
    expect(prober.begun).toEqual([])
    await worker.stop()
  })
})

describe('while half of the targets hang', () => {
  it('healthy targets are not delayed and no check is skipped', async () => {
    const region = await newRegion()
    const hangs = (n: number) => n % 2 === 0
    const monitors = await createMonitors(region, 200, {
      // A machine that is busy with other things may be seconds behind, and is not to leave out a check for that.
      interval: 6,
      timeout: 6,
      url: (n) => `http://${n}.${hangs(n) ? 'hangs' : 'lives'}/`,
    })
    const prober = scriptedProber(systemClock, async ({ url, timeout }): Promise<Outcome> => {
      if (!url.includes('hangs')) return 'up'
      await systemClock.sleep(timeout * 1_000)
      return 'down'
    })
    const worker = startTestWorker(backend, region.number, prober)
    await until(async () => (await checksOf(db(), monitors[199] as TestMonitor)).length >= 2)
    const { skipped, queued, concurrency } = worker.stats()
    await worker.stop()
    expect({ skipped, queued, concurrency }).toEqual({ skipped: 0, queued: 0, concurrency: 240 })
    for (const [n, monitor] of monitors.entries()) {
      if (hangs(n)) continue
      const slots = await slotsOf(monitor, 6_000)
      expectAll(slots)
    }
  })
})

describe('monitors that are created while a worker runs', () => {
  it('raise the concurrency as soon as one check has to wait', async () => {
    const region = await newRegion()
    await createMonitors(region, 1, { interval: 2, timeout: 2 })
    const clock = createFakeClock(Date.now() + 1_000)
    const worker = startTestWorker(backend, region.number, { check: () => new Promise<never>(() => undefined) }, { clock })
    await until(() => worker.stats().claimed === 1)
    await createMonitors(region, 199, { interval: 2, timeout: 2 })
    let passed = 0
    // The load is measured every 30 s.
    const pass = () => {
      if (passed >= 25_000) return
      clock.advance(50)
      passed += 50
    }
    await until(() => {
      pass()
      return worker.stats().concurrency === 240
    })
    expect(passed).toBeLessThan(30_000)
    await whileTimePasses([clock], worker.stop())
  })
})

describe('while the database is unavailable', () => {
  it('checks are queued and stored later with their own times, and no monitor goes down', async () => {
    const region = await newRegion()
    const monitors = await createMonitors(region, 20, { interval: 2 })
    for (const monitor of monitors)
      await db().updateTable('monitor').set({ confirmations: 1 }).where('number', '=', monitor.number).execute()
    const bridge = await openBridge(backend.databaseUrl)
    const pool = createPool({ url: bridge.url, clock: systemClock, log: silentLog, max: 4 })
    const prober = scriptedProber(systemClock)
    const worker = startTestWorker({ pool }, region.number, prober)
    await until(() => worker.stats().recorder.stored >= 20)
    bridge.cut()
    // What was claimed is still made; then there is nothing to do.
    await until(() => worker.stats().recorder.queued > 0)
    await until(
      () =>
        worker.stats().recorder.queued === prober.begun.length - worker.stats().recorder.stored && idleSince(prober.begun, 2_000),
    )
    const cutAt = Math.max(...prober.begun.map(({ atMs }) => atMs))
    const queued = worker.stats().recorder.queued
    bridge.mend()
    // A moment at which all that was begun is stored: what begins later an end may leave to others, who make it again.
    let made: number[] = []
    await until(() => {
      const isQuiet = worker.stats().recorder.queued === 0 && prober.begun.some(({ atMs }) => atMs > cutAt + 2_000)
      if (isQuiet) made = prober.begun.map(({ atMs }) => atMs)
      return isQuiet
    })
    await endAll([worker], [pool])
    await bridge.close()
    expect(queued).toBeGreaterThan(0)
    const checks = (await Promise.all(monitors.map((monitor) => checksOf(db(), monitor)))).flat()
    expect(checks.filter(({ outcome }) => outcome !== 0)).toEqual([])
    // Every check that was made is there, with the time at which it was made.
    const sorted = (times: number[]) => times.sort((a, b) => a - b)
    expect(sorted(checks.map(({ at }) => at)).slice(0, made.length)).toEqual(sorted(made))
    for (const monitor of monitors) expect(await statusOf(db(), monitor)).toBe('up')
  })
})

const idleSince = (begun: readonly { atMs: number }[], ms: number): boolean =>
  Math.max(...begun.map(({ atMs }) => atMs)) < Date.now() - ms
