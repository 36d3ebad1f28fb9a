import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { type MaintenanceSpan, mergeSpans, readMaintenance } from '../../../alerting/alerts/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { RAW_CHECKS_MS } from '../results/partitions.ts'
import type { CountedGroup, GoodCounts } from './counts.ts'
import { countGoodTime, countGoodTimeDays } from './good-time.ts'
import { readBasis, readProgress } from './progress-store.ts'
import {
  countInconclusive,
  countInMaintenance,
  exactDayMs,
  type GroupDay,
  listCovered,
  listGroupSketches,
  sumGroupDays,
  sumWindow,
} from './window-counts-store.ts'
import { countBelow } from './distribution.ts'
import { decodeChecks } from './hour-block.ts'
import { readStatsRows, type StatsRow } from './store.ts'
import { planWindow, type Span, type Window } from './window-plan.ts'

/** The checks of a monitor over a window. */
export interface WindowCounts {
  /** Conclusive checks, with those in maintenance: what uptime is computed from. */
  checks: number
  /** Of them. */
  failed: number
  degraded: number
  /** Not among them. */
  inconclusive: number
  /** Of `checks` and `failed`, those in maintenance. */
  maintenanceChecks: number
  maintenanceFailed: number
}

export const NO_WINDOW_COUNTS: WindowCounts = {
  checks: 0,
  failed: 0,
  degraded: 0,
  inconclusive: 0,
  maintenanceChecks: 0,
  maintenanceFailed: 0,
}

/**
 * Counts of each monitor; those without checks are absent. Maintenance is what the windows say now; before the single checks (35
 * days), where the window must begin at a UTC day, it is what they said when the day was compacted.
 */
export async function countWindow(
  db: Db,
  organization: number,
  monitors: readonly number[],
  window: Window,
  nowMs: number,
): Promise<Map<number, WindowCounts>> {
  const query = { organization, monitors }
  const exactMs = exactDayMs(nowMs - RAW_CHECKS_MS)
  const counts = new Map<number, WindowCounts>()
  const of = (monitor: number) => {
    const row = counts.get(monitor) ?? { ...NO_WINDOW_COUNTS }
    counts.set(monitor, row)
    return row
  }
  for (const { monitor, ...sums } of await sumWindow(db, query, planWindow(window, await readProgress(db), true), exactMs))
    counts.set(monitor, sums)
  const exact = cutToExact(window, exactMs)
  if (exact) {
    for (const { monitor, count } of await countInconclusive(db, query, exact)) of(monitor).inconclusive += count
    const spans = await readMaintenance(db, organization, monitors, exact)
    for (const { monitor, checks, failed } of await countInMaintenance(db, organization, spans)) {
      of(monitor).maintenanceChecks += checks
      of(monitor).maintenanceFailed += failed
    }
  }
  return counts
}

/** When monitors had a conclusive check, by hours, before the single checks by UTC days; in order. Those without checks are absent. */
export async function readCoverage(
  db: Db,
  organization: number,
  monitors: readonly number[],
  window: Window,
  nowMs: number,
): Promise<Map<number, MaintenanceSpan[]>> {
  const exactMs = exactDayMs(nowMs - RAW_CHECKS_MS)
  const spansOf = (units: readonly number[], unitMs: number) =>
    units.map((unit) => ({ fromMs: unit * unitMs, toMs: (unit + 1) * unitMs }))
  const covered = await listCovered(db, { organization, monitors }, window, exactMs)
  return new Map(
    covered.map(({ monitor, days, hours }) => [monitor, mergeSpans([...spansOf(days, DAY_MS), ...spansOf(hours, HOUR_MS)])]),
  )
}

/** The part of a window of which all single checks are stored. */
export function cutToExact({ fromMs, toMs }: Window, exactMs: number): MaintenanceSpan | undefined {
  const cut = { fromMs: Math.max(fromMs, exactMs), toMs }
  return cut.fromMs < toMs ? cut : undefined
}

/** More monitors would take the decoding of millions of checks: response times of their whole days are read from sketches. */
export const MAX_EXACT_LATENCIES = 100

/**
 * Good checks of a window, by `countWindow`'s rules: those that were not down, or with a threshold those with a response in less than
 * that. Before the single checks (35 days) the latter are within 1 % of the threshold, and include maintenance; of more than
 * `MAX_EXACT_LATENCIES` monitors they are within 1 % on all compacted UTC days. Of composites alone their seconds are counted; next to
 * monitors with checks composites do not count.
 */
export async function countGood(
  db: Db,
  organization: number,
  monitors: readonly number[],
  window: Window,
  thresholdUs: number | undefined,
  nowMs: number,
): Promise<GoodCounts> {
  if (monitors.length === 0) return { good: 0, total: 0 }
  const { progress, composites } = await readBasis(db, organization, monitors)
  if (composites.length === monitors.length)
    return countGoodTime(db, organization, composites, { fromMs: window.fromMs, toMs: Math.min(window.toMs, nowMs) }, thresholdUs)
  const exactMs = exactDayMs(nowMs - RAW_CHECKS_MS)
  const exact = cutToExact(window, exactMs)
  const spans = exact ? await readMaintenance(db, organization, monitors, exact) : new Map()
  const quiet = await countInMaintenance(db, organization, spans, thresholdUs)
  const query = { organization, monitors }
  if (thresholdUs !== undefined) {
    const all = { good: 0, total: 0 }
    const early = window.fromMs < exactMs ? [{ fromMs: window.fromMs, toMs: Math.min(window.toMs, exactMs) }] : []
    for (const part of early) addFast(all, await readStatsRows(db, query, planWindow(part, progress, true)), thresholdUs)
    if (exact)
      addFast(
        all,
        await readStatsRows(db, query, planWindow(exact, progress, monitors.length > MAX_EXACT_LATENCIES)),
        thresholdUs,
      )
    for (const { checks, fast } of quiet) {
      all.total -= checks
      all.good -= fast
    }
    return all
  }
  const sums = await sumWindow(db, query, planWindow(window, progress, true), exactMs)
  const checks = sums.reduce((sum, own) => sum + own.checks - own.maintenanceChecks, 0)
  const failed = sums.reduce((sum, own) => sum + own.failed - own.maintenanceFailed, 0)
  const quietChecks = quiet.reduce((sum, own) => sum + own.checks, 0)
  const quietFailed = quiet.reduce((sum, own) => sum + own.failed, 0)
  return { good: checks - quietChecks - (failed - quietFailed), total: checks - quietChecks }
}

function addFast(all: GoodCounts, rows: readonly StatsRow[], thresholdUs: number): void {
  for (const { kind, atMs, data, checks, responseUs } of rows) {
    if (kind === 'day') {
      all.total += checks
      if (data) all.good += countBelow(data, thresholdUs)
      continue
    }
    const take = (us: number | null) => {
      all.total += 1
      if (us !== null && us < thresholdUs) all.good += 1
    }
    if (kind === 'check') take(responseUs)
    else if (data) decodeChecks(atMs, data, (_atMs, _outcome, us) => take(us))
  }
}

/**
 * Good checks of each compacted UTC day in [from, to), by the index of the group; days without checks are absent. Maintenance is what the
 * windows said when the day was compacted; response times are within 1 % of the threshold, and include it.
 */
export async function countGoodDays(
  db: Db,
  organization: number,
  groups: readonly CountedGroup[],
  span: Span,
): Promise<GroupDay[]> {
  const membersOf = (hasThreshold: boolean) =>
    groups.flatMap(({ monitors, thresholdUs }, group) =>
      (thresholdUs !== undefined) === hasThreshold ? monitors.map((monitor) => ({ group, monitor })) : [],
    )
  const [plain, timed] = [membersOf(false), membersOf(true)]
  const days = plain.length === 0 ? [] : await sumGroupDays(db, organization, plain, span)
  const sketches = timed.length === 0 ? [] : await listGroupSketches(db, organization, timed, span)
  const fast = Map.groupBy(sketches, ({ group, day }) => `${group} ${day}`)
  const { composites } = await readBasis(db, organization, [...new Set(plain.map(({ monitor }) => monitor))])
  return [
    ...days,
    ...(await countGoodTimeDays(db, organization, groups, new Set(composites), span)),
    ...[...fast.values()].map((own): GroupDay => {
      const { group, day } = own[0] as (typeof own)[number]
      const thresholdUs = groups[group]?.thresholdUs ?? 0
      const counts = { total: 0, good: 0 }
      for (const { checks, sketch } of own) {
        counts.total += checks
        counts.good += countBelow(sketch, thresholdUs)
      }
      return { group, day, ...counts }
    }),
  ]
}

/** From when counts of a window are exact, and the end of the last compacted hour. `latencies`: monitors whose response times count. */
export async function exactBounds(db: Db, { fromMs, toMs }: Window, latencies: number, nowMs: number): Promise<Window> {
  const { day, hour } = await readProgress(db)
  const sketchedMs = latencies > MAX_EXACT_LATENCIES ? (day + 1) * DAY_MS : 0
  return {
    fromMs: Math.min(Math.max(fromMs, exactDayMs(nowMs - RAW_CHECKS_MS), sketchedMs), toMs),
    toMs: Math.min(Math.max((hour + 1) * HOUR_MS, fromMs), toMs),
  }
}
