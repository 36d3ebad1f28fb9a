import type { CheckResult } from '@vedette/shared'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { OWN_LOCKS } from '../../../../test/database-locks.ts'
import { announceChange, watchChanges } from '../../../platform/db/index.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { systemClock } from '../../../platform/time/clock.ts'
import { encodeId } from '../../../platform/ids.ts'
import { createEncrypter } from '../../../platform/crypto/encrypter.ts'
import type { CompletedCheck } from '../results/completed-check.ts'
import { recordChecks } from '../results/record.ts'
import { claimChecks, type ClaimRow } from '../schedule/claim-store.ts'
import { compactChecks } from '../stats/compact.ts'
import { recountWeek, weekHour } from '../stats/week.ts'
import { toCompletedCheck, toLocalCheck } from '../worker/local-check.ts'
import { pauseChecks } from '../schedule/schedule-store.ts'
import { checksOf, monitorsOf, resultOf, scheduleOf, statusOf, type TestMonitor, transitionsOf } from './monitors.ts'
import { until } from './workers.ts'

type Outcome = CheckResult['outcome']

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

const now = () => backend.clock.now()
const db = () => backend.pool.db
const encrypter = createEncrypter([Buffer.alloc(32, 1)])

const newRegions = (count: number) => Array.from({ length: count }, () => `r-${(regions += 1)}`)

async function claimOf(region: number, nowMs = now()): Promise<ClaimRow[]> {
  const share = { index: 0, count: 1 }
  return claimChecks(db(), {
    region,
    nowMs,
    aheadMs: 4_000,
    nearMs: 4_000,
    leaseMs: 5_000,
    includesTimeout: false,
    share,
    limit: 100,
  })
}

/** What a worker would hand on: with what it knew at the claim (as of one region), or without (as of several, and of probes). */
function observed(row: ClaimRow, result: CheckResult, endedAtMs = now(), knows = true): CompletedCheck {
  const made = toCompletedCheck(toLocalCheck(row, encrypter), result, endedAtMs)
  return knows ? made : { ...made, snapshot: undefined }
}

/** A monitor of these regions, and a way to let each region see outcomes: the clock goes to whatever is due next. */
async function watched(regionCount: number, options: Parameters<typeof make.monitor>[1] = {}, knows = true) {
  const names = newRegions(regionCount)
  const monitor = await make.monitor(organization, { regions: names, ...options })
  const numbers = await Promise.all(names.map((name) => make.region(name)))
  /** The first claim moves a missed check to its next slot; the second one returns it. */
  async function claimNext(region: number): Promise<ClaimRow | undefined> {
    const schedule = (await scheduleOf(db(), monitor)).find((row) => row.region === region)
    backend.clock.advance(Math.max(0, (schedule?.due_at ?? 0) - now()))
    return (await claimOf(region))[0]
  }
  async function see(index: number, ...outcomes: Outcome[]): Promise<void> {
    for (const outcome of outcomes) {
      const region = numbers[index] as number
      const row = (await claimNext(region)) ?? (await claimNext(region))
      if (!row) throw new Error('nothing is due')
      backend.clock.advance(100)
      await recordChecks(backend.pool, [observed(row, resultOf(outcome, now() - 100), now(), knows)], now())
    }
  }
  const status = () => statusOf(db(), monitor)
  const transitions = () => transitionsOf(db(), monitor)
  return { monitor, numbers, see, status, transitions }
}

const rowOf = async (monitor: TestMonitor) => {
  const [row] = await scheduleOf(db(), monitor)
  if (!row) throw new Error('the monitor is not in the schedule')
  return row
}

describe('a check that is stored', () => {
  it('has all its fields, and the next one is due on the grid', async () => {
    const { monitor, numbers } = await watched(1)
    const [claim] = await claimOf(numbers[0] as number)
    const certificate = { expires_at: '2027-01-01T00:00:00.000Z' } as never
    const result = resultOf('up', now(), { response_ms: 12.3456, certificate })
    expect(await recordChecks(backend.pool, [observed(claim as ClaimRow, result)], now())).toEqual([0])
    expect(await checksOf(db(), monitor)).toEqual([
      {
        at: now(),
        region: numbers[0],
        outcome: 0,
        error_code: null,
        error_message: null,
        response_us: 12_346,
        address: '192.0.2.1',
      },
    ])
    const row = await rowOf(monitor)
    expect(row).toMatchObject({
      lease_until: 0,
      last_checked_at: now(),
      last_conclusive_at: now(),
      certificate_expires_at: Date.parse('2027-01-01T00:00:00Z'),
      state: 'up',
      failures: 0,
    })
    expect(((row.due_at ?? 0) - row.anchor) % 60_000).toBe(0)
  })

  it('keeps the previous certificate when it has none', async () => {
    const { monitor, numbers } = await watched(1)
    const [row] = await claimOf(numbers[0] as number)
    const certificate = { expires_at: '2027-01-01T00:00:00.000Z' } as never
    await recordChecks(backend.pool, [observed(row as ClaimRow, resultOf('up', now(), { certificate }))], now())
    backend.clock.advance(((await rowOf(monitor)).due_at ?? 0) - now())
    const [next] = await claimOf(numbers[0] as number)
    await recordChecks(backend.pool, [observed(next as ClaimRow, resultOf('down', now()))], now())
    expect(await rowOf(monitor)).toMatchObject({ certificate_expires_at: Date.parse('2027-01-01T00:00:00Z') })
  })

  it('may contain any text of a target, including NUL and lone surrogates', async () => {
    const { monitor, numbers } = await watched(1)
    const [row] = await claimOf(numbers[0] as number)
    const error = { code: 'status', message: 'a\0b\uD800' } as never
    await recordChecks(backend.pool, [observed(row as ClaimRow, resultOf('down', now(), { error }))], now())
    expect(await checksOf(db(), monitor)).toMatchObject([{ error_message: 'a\uFFFDb\uFFFD' }])
  })

  it('is stored once, however often it is submitted', async () => {
    for (const knows of [true, false]) {
      const { monitor, numbers } = await watched(1, { confirmations: 3 })
      const [row] = await claimOf(numbers[0] as number)
      const one = observed(row as ClaimRow, resultOf('down', now()), now(), knows)
      expect(await recordChecks(backend.pool, [one, one], now())).toEqual([0])
      expect(await recordChecks(backend.pool, [one], now())).toEqual([])
      expect(await checksOf(db(), monitor)).toHaveLength(1)
      expect(await rowOf(monitor)).toMatchObject({ failures: 1 })
    }
  })
})

// What is known from the claim, and what is read under the lock, must come to the same.
const weekOf = (monitor: TestMonitor) =>
  db().selectFrom('check_week').selectAll().where('monitor', '=', monitor.number).executeTakeFirstOrThrow()

describe('the sums of a week', () => {
  it('contain every conclusive check once, and are the same when they are counted again', async () => {
    const { monitor, see } = await watched(2)
    await recountWeek(db(), monitor.organization, [monitor.number], now())
    await see(0, 'up', 'down', 'inconclusive', 'degraded')
    await see(1, 'up')
    const added = await weekOf(monitor)
    expect(added).toMatchObject({ checks: 4, failed: 1, from_hour: weekHour(now()) })
    await recountWeek(db(), monitor.organization, [monitor.number], now())
    expect(await weekOf(monitor)).toEqual(added)
  })

  it('do not contain a check that is refused, and are counted again after one that is a week late', async () => {
    const { monitor, numbers } = await watched(1)
    await recountWeek(db(), monitor.organization, [monitor.number], now())
    const [claim] = await claimOf(numbers[0] as number)
    const late = observed(claim as ClaimRow, resultOf('down', now() - 7 * 86_400_000 + 60_000))
    await recordChecks(backend.pool, [late], now())
    expect(await recordChecks(backend.pool, [late], now())).toEqual([])
    expect(await weekOf(monitor)).toMatchObject({ checks: 1, first_checks: 0, from_hour: 0 })
    await compactChecks(db(), backend.clock)
    expect(await weekOf(monitor)).toMatchObject({ checks: 1, failed: 1, first_checks: 1, from_hour: weekHour(now()) })
  })
})

describe.each([
  ['from the snapshot of the claim', true],
  ['of what the database holds', false],
])('a monitor of one region, derived by %s', (_, knows) => {
  it('goes down when a failure is confirmed five seconds later, and recovers after two good checks [CHECK-09, CHECK-15]', async () => {
    const { monitor, see, status, transitions } = await watched(1, {}, knows)
    await see(0, 'up', 'down')
    expect(await status()).toBe('up')
    expect((await rowOf(monitor)).due_at).toBe(now() + 5_000)
    await see(0, 'down')
    expect(await status()).toBe('down')
    await see(0, 'up')
    expect(await status()).toBe('down')
    expect((await rowOf(monitor)).due_at).toBe(now() + 5_000)
    await see(0, 'up')
    expect(await status()).toBe('up')
    expect(await transitions()).toEqual(['up → down: no answer within 10 s', 'down → up: the checks pass again'])
  })

  it('is degraded at once, and never by an inconclusive check [CHECK-06, CHECK-10]', async () => {
    const { see, status, transitions } = await watched(1, {}, knows)
    await see(0, 'inconclusive', 'up', 'inconclusive', 'inconclusive', 'inconclusive')
    expect(await status()).toBe('up')
    await see(0, 'degraded')
    expect(await transitions()).toEqual(['up → degraded: slower than 500 ms'])
  })

  it('has no transition when a failure is not confirmed', async () => {
    const { see, transitions } = await watched(1, { confirmations: 3 }, knows)
    await see(0, 'up', 'down', 'down', 'up', 'down', 'up', 'down', 'down', 'inconclusive', 'up')
    expect(await transitions()).toEqual([])
    await see(0, 'down', 'down', 'down')
    expect(await transitions()).toHaveLength(1)
  })
})

describe('a changed status', () => {
  it.each([1, 3])('is announced once to the processes that evaluate rules, with %d regions', async (regionCount) => {
    const changes = watchChanges({ url: backend.databaseUrl, db: db(), clock: systemClock, log: silentLog })
    const heard: string[] = []
    changes.on('alert_signal', (detail) => heard.push(detail ?? 'from now on'))
    await until(() => heard.length > 0)
    const { see, transitions } = await watched(regionCount, { confirmations: 1 })
    const last = regionCount - 1
    for (const outcome of ['up', 'down'] as const) {
      for (let index = 0; index <= last; index += 1) await see(index, outcome)
      await announceChange(db(), 'alert_signal', [`after ${outcome}`])
    }
    await until(() => heard.at(-1) === 'after down')
    const changed = (await transitions()).map(() => '')
    expect(changed).toHaveLength(regionCount === 1 ? 1 : 2)
    expect(heard).toEqual(['from now on', 'after up', ...changed, 'after down'])
    await changes.stop()
  })
})

describe('a monitor of three regions', () => {
  it('is degraded with one region down, down with two, and recovers with them [CHECK-12, CHECK-13, CHECK-14]', async () => {
    const { see, transitions } = await watched(3)
    for (const index of [0, 1, 2]) await see(index, 'up')
    await see(0, 'down', 'down')
    await see(1, 'down', 'down')
    await see(0, 'up', 'up')
    await see(1, 'up', 'up')
    expect(await transitions()).toEqual([
      'up → degraded: 1 of 3 regions down: no answer within 10 s',
      'degraded → down: 2 of 3 regions down: no answer within 10 s',
      'down → degraded: 1 of 3 regions down',
      'degraded → up: 3 of 3 regions up',
    ])
  })

  it('does not count a region that was silent for more than three intervals [CHECK-11]', async () => {
    const { see, status } = await watched(3, { interval: 10 })
    for (const index of [0, 1, 2]) await see(index, 'up')
    await see(0, 'down', 'down')
    expect(await status()).toBe('degraded')
    backend.clock.advance(31_000)
    await see(1, 'up')
    expect(await status()).toBe('up')
  })

  it.each<[Outcome[], string]>([
    [['down', 'down', 'down'], 'down'],
    [['down', 'up', 'up'], 'degraded'],
    [['down', 'down', 'up'], 'down'],
    [['degraded', 'up', 'up'], 'degraded'],
  ])('counts all regions (%j), whichever instances store them at the same moment', async (outcomes, expected) => {
    for (let round = 0; round < 10; round += 1) {
      const { numbers, status } = await watched(3, { confirmations: 1 })
      const rows = (await Promise.all(numbers.map((region) => claimOf(region)))).flat()
      // Each by a transaction of its own, as three instances would.
      const seen = rows.map((row, index) => observed(row, resultOf(outcomes[index] as Outcome, now())))
      await Promise.all(seen.map((one) => recordChecks(backend.pool, [one], now())))
      expect(await status()).toBe(expected)
    }
  })

  it('gets one transition for results that are stored together', async () => {
    const { numbers, transitions } = await watched(3, { confirmations: 1 })
    const rows = (await Promise.all(numbers.map((region) => claimOf(region)))).flat()
    const outcomes: Outcome[] = ['up', 'down', 'down']
    const together = rows.map((row, index) => observed(row, resultOf(outcomes[index] as Outcome, now())))
    expect(await recordChecks(backend.pool, together, now())).toHaveLength(3)
    expect(await transitions()).toEqual(['up → down: 2 of 3 regions down: no answer within 10 s'])
  })

  it('stored by two instances in different orders cause no deadlock', async () => {
    const names = newRegions(2)
    const [one = 0, two = 0] = await Promise.all(names.map((name) => make.region(name)))
    const many = await Promise.all(
      Array.from({ length: 30 }, () => make.monitor(organization, { regions: names, confirmations: 1 })),
    )
    const rows = [await claimOf(one), (await claimOf(two)).reverse()]
    await Promise.all(
      rows.map((batch) =>
        recordChecks(
          backend.pool,
          batch.map((row) => observed(row, resultOf('down', now()))),
          now(),
        ),
      ),
    )
    expect(await Promise.all(many.map((monitor) => statusOf(db(), monitor)))).toEqual(many.map(() => 'down'))
  })
})

describe('a result with an old fence', () => {
  it.each([true, false])('is refused when another worker has the check (snapshot: %s)', async (knows) => {
    const { monitor, numbers, transitions } = await watched(1, { confirmations: 1 })
    const [first] = await claimOf(numbers[0] as number)
    const [second] = await claimOf(numbers[0] as number, now() + 6_000)
    const late = observed(first as ClaimRow, resultOf('down', now()), now() + 60_000, knows)
    expect(await recordChecks(backend.pool, [late], now() + 60_000)).toEqual([])
    expect(await checksOf(db(), monitor)).toEqual([])
    expect(await transitions()).toEqual([])
    expect(await rowOf(monitor)).toMatchObject({ fence: second?.fence, last_checked_at: null })
    const good = observed(second as ClaimRow, resultOf('up', now()), now(), knows)
    expect(await recordChecks(backend.pool, [good], now())).toEqual([0])
  })

  it.each([true, false])('is refused when the monitor was paused meanwhile (snapshot: %s)', async (knows) => {
    const { monitor, numbers, status } = await watched(1, { confirmations: 1 })
    const [row] = await claimOf(numbers[0] as number)
    await pauseChecks(db(), organization.number, monitor.number)
    await sql`update monitor_status set status = 'paused', before_pause = 'up' where monitor = ${monitor.number}`.execute(db())
    expect(await recordChecks(backend.pool, [observed(row as ClaimRow, resultOf('down', now()), now(), knows)], now())).toEqual(
      [],
    )
    expect(await status()).toBe('paused')
    expect(await checksOf(db(), monitor)).toEqual([])
  })

  it('is refused when the monitor was deleted', async () => {
    const { monitor, numbers } = await watched(1)
    const [row] = await claimOf(numbers[0] as number)
    await sql`delete from check_schedule where monitor = ${monitor.number}`.execute(db())
    await sql`delete from monitor where number = ${monitor.number}`.execute(db())
    for (const knows of [true, false])
      expect(await recordChecks(backend.pool, [observed(row as ClaimRow, resultOf('up', now()), now(), knows)], now())).toEqual(
        [],
      )
    expect(await checksOf(db(), monitor)).toEqual([])
  })

  it('does not affect the others of its batch', async () => {
    const [name = ''] = newRegions(1)
    const region = await make.region(name)
    const monitors = await Promise.all([1, 2, 3].map(() => make.monitor(organization, { regions: [name] })))
    const rows = await claimOf(region)
    await pauseChecks(db(), organization.number, rows[1]?.monitor ?? 0)
    for (const knows of [true, false]) {
      const batch = rows.map((row) => observed(row, resultOf('up', now()), now(), knows))
      expect((await recordChecks(backend.pool, batch, now())).sort((a, b) => a - b)).toEqual(knows ? [0, 2] : [])
    }
    expect((await Promise.all(monitors.map((monitor) => checksOf(db(), monitor)))).flat()).toHaveLength(2)
  })
})

describe('a late result', () => {
  const HOUR = 3_600_000

  it.each([true, false])('of an hour that may be compacted marks the hour as stale (snapshot: %s)', async (knows) => {
    const { monitor, numbers, status } = await watched(1, { confirmations: 1 })
    const [row] = await claimOf(numbers[0] as number)
    const madeAt = now()
    const hour = Math.floor(madeAt / HOUR)
    const late = (hour + 1) * HOUR + 240_001
    const old = observed(row as ClaimRow, resultOf('down', madeAt), madeAt, knows)
    expect(await recordChecks(backend.pool, [old], late)).toEqual([0])
    const stale = await db().selectFrom('check_hour_stale').selectAll().where('monitor', '=', monitor.number).execute()
    expect(stale).toEqual([{ hour, organization: organization.number, monitor: monitor.number }])
    // Stored with its own time, and too old to be what the monitor is now.
    expect(await checksOf(db(), monitor)).toMatchObject([{ at: madeAt, outcome: 2 }])
    expect(await status()).toBe('up')
  })

  it('of an open hour marks nothing', async () => {
    const { monitor, numbers } = await watched(1)
    const [row] = await claimOf(numbers[0] as number)
    const end = (Math.floor(now() / HOUR) + 1) * HOUR
    await recordChecks(backend.pool, [observed(row as ClaimRow, resultOf('up', now()))], end + 240_000)
    expect(await db().selectFrom('check_hour_stale').selectAll().where('monitor', '=', monitor.number).execute()).toEqual([])
  })

  it('waits while its hour is being compacted', async () => {
    const { monitor, numbers } = await watched(1)
    const [row] = await claimOf(numbers[0] as number)
    const madeAt = now()
    const hour = Math.floor(madeAt / HOUR)
    const recording = await db()
      .transaction()
      .execute(async (compacting) => {
        await sql`select pg_advisory_xact_lock(730523, ${hour})`.execute(compacting)
        const later = recordChecks(backend.pool, [observed(row as ClaimRow, resultOf('up', madeAt))], madeAt + 2 * HOUR)
        await waitUntilSomebodyWaits()
        expect(await checksOf(db(), monitor)).toEqual([])
        return { later }
      })
    expect(await recording.later).toEqual([0])
    expect(await checksOf(db(), monitor)).toHaveLength(1)
  })
})

async function waitUntilSomebodyWaits(): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from ${sql.raw(OWN_LOCKS)}
      where locktype = 'advisory' and not granted and classid = 730523`.execute(db())
    if ((rows[0]?.n ?? 0) > 0) return
  }
}

it.each([true, false])('a check that changes a monitor changes its composites (of one region: %s)', async (knows) => {
  const seen = await watched(1, { confirmations: 1 }, knows)
  const as = await backend.apiKey(organization, 'admin')
  const options = { members: [{ type: 'monitor', id: encodeId('monitor', seen.monitor.id) }], down_when: { all_down: true } }
  const made = await backend.call('POST', '/v1/monitors', { as, body: { name: 'Group', type: 'composite', options } })
  const statusNow = async () => (await backend.call('GET', `/v1/monitors/${made.body.id}`, { as })).body.status
  await seen.see(0, 'up')
  expect(await statusNow()).toBe('up')
  await seen.see(0, 'down')
  expect(await statusNow()).toBe('down')
  await seen.see(0, 'up', 'up')
  expect(await statusNow()).toBe('up')
})
