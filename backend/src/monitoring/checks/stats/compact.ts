import { DAY_MS, HOUR_MS } from '@vedette/shared'
import type { Clock } from '../../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../../platform/db/index.ts'
import { DEGRADED, DOWN } from '../results/outcome-code.ts'
import { LATE_RESULTS_DAYS } from '../results/partitions.ts'
import { readMaintenance } from '../../../alerting/alerts/index.ts'
import { decodeChecks, encodeChecks } from './hour-block.ts'
import * as store from './compact-store.ts'
import { Sketch } from './distribution.ts'
import { countInMaintenance } from './window-counts-store.ts'
import { recountWeeks } from './week.ts'
import { settleReclassified } from './settle-reclassified.ts'
import { lockDay, lockHour, readProgress, setProgress } from './progress-store.ts'

/**
 * An hour is compacted this long after its end. A check that is stored more than 4 minutes after the end of its hour marks the
 * hour as stale; the difference covers statements that are in flight.
 */
const SETTLE_MS = 10 * 60_000
/** Monitors per statement: 500 with a check every 10 s in one region are 180,000 checks, some 30 MB. */
const CHUNK = 500
const STALE_AT_ONCE = 200

/** Compacts the checks of ended hours and days, and counts those of seven days. Several instances may run it at once. Run it every few minutes. */
export async function compactChecks(db: Db, clock: Clock): Promise<void> {
  await recompactStale(db)
  const now = clock.now()
  const lastHour = Math.floor((now - SETTLE_MS) / HOUR_MS) - 1
  if ((await readProgress(db)).hour < 0) await beginAtFirstCheck(db, lastHour)
  const { hour, day } = await readProgress(db)
  // After a long time without a run: older checks are past their retention.
  const first = Math.floor(now / DAY_MS) - LATE_RESULTS_DAYS
  for (let next = Math.max(hour + 1, first * 24); next <= lastHour; next += 1) await compactHour(db, next)
  for (let next = Math.max(day + 1, first); (next + 1) * 24 - 1 <= lastHour; next += 1) await compactDay(db, next)
  await recountWeeks(db, clock)
}

/** A new installation has nothing before its first check: no hour of the days before has to be looked through. */
async function beginAtFirstCheck(db: Db, lastHour: number): Promise<void> {
  const first = Math.min((await store.firstCheckedHour(db)) ?? lastHour + 1, lastHour + 1)
  await inTransaction(db, async (transaction) => {
    const day = Math.floor(first / 24)
    await lockDay(transaction, day - 1)
    await lockHour(transaction, first - 1)
    if ((await readProgress(transaction)).hour >= 0) return
    await setProgress(transaction, 'day', day - 1)
    await setProgress(transaction, 'hour', first - 1)
  })
}

async function compactHour(db: Db, hour: number): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await lockHour(transaction, hour)
    if ((await readProgress(transaction)).hour >= hour) return
    await eachChunk(transaction, async (monitors) => {
      const found = await store.readHourChecks(transaction, monitors, hour)
      await store.insertHours(
        transaction,
        hour,
        found.map((checks) => compactRegionHour(hour, checks)),
      )
    })
    await setProgress(transaction, 'hour', hour)
  })
}

/** Also for a day without checks, which is then done and empty. */
async function compactDay(db: Db, day: number): Promise<void> {
  await inTransaction(db, async (transaction) => {
    await lockDay(transaction, day)
    if ((await readProgress(transaction)).day >= day) return
    await eachChunk(transaction, (monitors) => insertCompactedDays(transaction, monitors, day))
    await setProgress(transaction, 'day', day)
  })
}

async function eachChunk(db: Db, work: (monitors: store.MonitorKey[]) => Promise<void>): Promise<void> {
  let after: store.MonitorKey | undefined = { organization: 0, monitor: 0 }
  while (after) {
    const monitors: store.MonitorKey[] = await store.listMonitors(db, after, CHUNK)
    if (monitors.length > 0) await work(monitors)
    after = monitors.length === CHUNK ? monitors.at(-1) : undefined
  }
}

function compactRegionHour(hour: number, { checks, ...key }: store.RegionChecks): store.CompactedRow {
  const times = checks.flatMap(({ responseUs }) => (responseUs === null ? [] : [responseUs]))
  return {
    ...key,
    checks: checks.length,
    failed: checks.filter(({ outcome }) => outcome === DOWN).length,
    degraded: checks.filter(({ outcome }) => outcome === DEGRADED).length,
    answered: times.length,
    responseSumUs: times.reduce((sum, us) => sum + us, 0),
    data: encodeChecks(hour * HOUR_MS, checks),
  }
}

async function insertCompactedDays(db: Db, monitors: readonly store.MonitorKey[], day: number): Promise<void> {
  const days = new Map<string, { row: store.CompactedRow; sketch: Sketch }>()
  for (const { hour, data, ...part } of await store.readDayHours(db, monitors, day)) {
    const name = `${part.organization}/${part.monitor}/${part.region}`
    const nothing = { ...part, checks: 0, failed: 0, degraded: 0, answered: 0, responseSumUs: 0, data }
    const { row, sketch } = days.get(name) ?? { row: nothing, sketch: new Sketch() }
    days.set(name, { row, sketch })
    row.checks += part.checks
    row.failed += part.failed
    row.degraded += part.degraded
    row.answered += part.answered
    row.responseSumUs += part.responseSumUs
    decodeChecks(hour * HOUR_MS, data, (_atMs, _outcome, responseUs) => responseUs === null || sketch.add(responseUs))
  }
  const left = await countLeftOut(db, monitors, day)
  await store.insertDays(
    db,
    day,
    [...days].map(([name, { row, sketch }]) => ({ ...row, ...(left.get(name) ?? NOTHING_LEFT_OUT), data: sketch.encode() })),
  )
  for (const [organization, own] of Map.groupBy(monitors, (one) => one.organization)) {
    const numbers = own.map(({ monitor }) => monitor)
    await settleReclassified(db, organization, numbers, { from: day, to: day + 1 })
  }
}

const NOTHING_LEFT_OUT = { inconclusive: 0, maintenanceChecks: 0, maintenanceFailed: 0 }

/** What reports leave out of a UTC day, by organization, monitor and region: single checks are deleted before the day is. */
async function countLeftOut(db: Db, monitors: readonly store.MonitorKey[], day: number) {
  const left = new Map<string, typeof NOTHING_LEFT_OUT>()
  const of = (name: string) => {
    const row = left.get(name) ?? { ...NOTHING_LEFT_OUT }
    left.set(name, row)
    return row
  }
  for (const { organization, monitor, region, count } of await store.countInconclusive(db, monitors, day))
    of(`${organization}/${monitor}/${region}`).inconclusive = count
  const window = { fromMs: day * DAY_MS, toMs: (day + 1) * DAY_MS }
  for (const [organization, own] of Map.groupBy(monitors, (one) => one.organization)) {
    const numbers = own.map(({ monitor }) => monitor)
    const maintenance = await readMaintenance(db, organization, numbers, window)
    for (const { monitor, region, checks, failed } of await countInMaintenance(db, organization, maintenance))
      Object.assign(of(`${organization}/${monitor}/${region}`), { maintenanceChecks: checks, maintenanceFailed: failed })
  }
  return left
}

/** Compacts hours that received a late check, and their days, again. */
async function recompactStale(db: Db): Promise<void> {
  for (;;) {
    const stale = await store.listStale(db, STALE_AT_ONCE)
    for (const mark of stale) await recompactHour(db, mark)
    if (stale.length < STALE_AT_ONCE) return
  }
}

async function recompactHour(db: Db, { hour, ...key }: store.MonitorKey & { hour: number }): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const day = Math.floor(hour / 24)
    await lockDay(transaction, day)
    await lockHour(transaction, hour)
    if (!(await store.deleteStale(transaction, key, hour))) return
    const progress = await readProgress(transaction)
    if (progress.hour < hour) return
    await store.deleteHour(transaction, key, hour)
    const found = await store.readHourChecks(transaction, [key], hour)
    await store.insertHours(
      transaction,
      hour,
      found.map((checks) => compactRegionHour(hour, checks)),
    )
    if (progress.day < day) return
    await store.deleteDay(transaction, key, day)
    await insertCompactedDays(transaction, [key], day)
  })
}
