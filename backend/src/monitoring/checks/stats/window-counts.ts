import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { type MaintenanceSpan, mergeSpans } from '../../../alerting/alerts/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import type { CountedGroup, GoodCounts } from './counts.ts'
import { countGoodTime, countGoodTimeDays } from './good-time.ts'
import { countReclassified, type ReclassifiedCounts } from '../reclassified/counts.ts'
import { isLeftOut, readExclusions, type Reclassified } from '../reclassified/exclusions.ts'
import { singleChecksFromMs } from '../results/partitions.ts'
import { readBasis } from './progress-store.ts'
import {
  countInconclusive,
  countInMaintenance,
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
  /** Conclusive checks, with those in maintenance windows and without those that people left out: what uptime is computed from. */
  checks: number
  /** Of them. */
  failed: number
  degraded: number
  /** Not among them. */
  inconclusive: number
  /** Of `checks` and `failed`, those in maintenance windows. */
  maintenanceChecks: number
  maintenanceFailed: number
  /** Not among them: those that people reclassified as maintenance, and those that they excluded. */
  asMaintenanceChecks: number
  asMaintenanceFailed: number
  excludedChecks: number
  excludedFailed: number
}

export const NO_WINDOW_COUNTS: WindowCounts = {
  checks: 0,
  failed: 0,
  degraded: 0,
  inconclusive: 0,
  maintenanceChecks: 0,
  maintenanceFailed: 0,
  asMaintenanceChecks: 0,
  asMaintenanceFailed: 0,
  excludedChecks: 0,
  excludedFailed: 0,
}

/**
 * Counts of each monitor; those without checks are absent. Maintenance is what the windows said at the time; before the single checks
 * (35 days) the window must begin at a UTC day.
 */
export async function countWindow(
  db: Db,
  organization: number,
  monitors: readonly number[],
  window: Window,
  nowMs: number,
): Promise<Map<number, WindowCounts>> {
  const query = { organization, monitors }
  const exactMs = singleChecksFromMs(nowMs)
  const counts = new Map<number, WindowCounts>()
  const of = (monitor: number) => {
    const row = counts.get(monitor) ?? { ...NO_WINDOW_COUNTS }
    counts.set(monitor, row)
    return row
  }
  const { progress, reclassified } = await readBasis(db, organization, monitors)
  const said = await countReclassified(db, organization, reclassified, window, nowMs)
  for (const { monitor, ...sums } of await sumWindow(db, query, planWindow(window, progress, true), exactMs))
    counts.set(monitor, { ...NO_WINDOW_COUNTS, ...sums })
  const exact = cutToExact(window, exactMs)
  if (exact) {
    for (const { monitor, count } of await countInconclusive(db, query, exact)) of(monitor).inconclusive += count
    const spans = await readWindowSpans(db, organization, monitors, exact, reclassified)
    for (const { monitor, checks, failed } of await countInMaintenance(db, organization, spans)) {
      of(monitor).maintenanceChecks += checks
      of(monitor).maintenanceFailed += failed
    }
  }
  for (const one of said) reclassify(of(one.monitor), one)
  return counts
}

/** Maintenance by windows, without what people reclassified. */
async function readWindowSpans(
  db: Db,
  organization: number,
  monitors: readonly number[],
  span: MaintenanceSpan,
  reclassified: readonly Reclassified[],
): Promise<Map<number, MaintenanceSpan[]>> {
  const exclusions = await readExclusions(db, organization, monitors, span, reclassified)
  return new Map([...exclusions].map(([monitor, { maintenance }]) => [monitor, maintenance]))
}

function reclassify(counts: WindowCounts, one: ReclassifiedCounts): void {
  const { as, checks, failed, degraded, maintenanceChecks, maintenanceFailed } = one
  counts.maintenanceChecks -= maintenanceChecks
  counts.maintenanceFailed -= maintenanceFailed
  if (!isLeftOut(one)) return
  counts.checks -= checks
  counts.failed -= failed
  counts.degraded -= degraded
  const kind = as === 'maintenance' ? 'asMaintenance' : 'excluded'
  counts[`${kind}Checks`] += checks
  counts[`${kind}Failed`] += failed
}

/** When monitors had a conclusive check, by hours, before the single checks by UTC days; in order. Those without checks are absent. */
export async function readCoverage(
  db: Db,
  organization: number,
  monitors: readonly number[],
  window: Window,
  nowMs: number,
): Promise<Map<number, MaintenanceSpan[]>> {
  const exactMs = singleChecksFromMs(nowMs)
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
  const { progress, composites, reclassified } = await readBasis(db, organization, monitors)
  if (composites.length === monitors.length) {
    const span = { fromMs: window.fromMs, toMs: Math.min(window.toMs, nowMs) }
    return countGoodTime(db, organization, composites, span, thresholdUs, reclassified)
  }
  const exactMs = singleChecksFromMs(nowMs)
  const exact = cutToExact(window, exactMs)
  const spans = exact ? await readWindowSpans(db, organization, monitors, exact, reclassified) : new Map()
  const quiet = await countInMaintenance(db, organization, spans, thresholdUs)
  const said = await countReclassified(db, organization, reclassified, window, nowMs, { thresholdUs })
  const query = { organization, monitors }
  if (thresholdUs !== undefined) {
    const all = { good: 0, total: 0 }
    const early = window.fromMs < exactMs ? [{ fromMs: window.fromMs, toMs: Math.min(window.toMs, exactMs) }] : []
    for (const part of early) {
      const rows = await readStatsRows(db, query, planWindow(part, progress, true))
      addFast(all, withoutDays(rows, reclassified), thresholdUs)
    }
    if (exact)
      addFast(
        all,
        await readStatsRows(db, query, planWindow(exact, progress, monitors.length > MAX_EXACT_LATENCIES)),
        thresholdUs,
      )
    // Of days before the single checks the fast ones are not known.
    for (const { checks, fast } of [...quiet, ...said.filter(isLeftOut)])
      if (fast !== null) {
        all.total -= checks
        all.good -= fast
      }
    return all
  }
  const sums = await sumWindow(db, query, planWindow(window, progress, true), exactMs)
  const all = { ...NO_WINDOW_COUNTS }
  for (const own of sums) {
    all.checks += own.checks - own.maintenanceChecks
    all.failed += own.failed - own.maintenanceFailed
  }
  for (const own of quiet) {
    all.checks -= own.checks
    all.failed -= own.failed
  }
  for (const one of said) {
    reclassify(all, one)
    // These were taken out as maintenance already.
    all.checks += one.maintenanceChecks
    all.failed += one.maintenanceFailed
  }
  return { good: all.checks - all.failed, total: all.checks }
}

/** Without the UTC days that are left out as a whole. */
const withoutDays = (rows: readonly StatsRow[], reclassified: readonly Reclassified[]): readonly StatsRow[] => {
  const left = reclassified.filter(isLeftOut)
  const isLeft = ({ kind, monitor, atMs }: StatsRow) =>
    kind === 'day' && left.some((one) => one.monitor === monitor && one.fromMs <= atMs && atMs + DAY_MS <= one.toMs)
  return left.length === 0 ? rows : rows.filter((row) => !isLeft(row))
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
  const { composites, reclassified } = await readBasis(db, organization, [...new Set(plain.map(({ monitor }) => monitor))])
  return [
    ...days,
    ...(await countGoodTimeDays(db, organization, groups, new Set(composites), reclassified, span)),
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

/**
 * From when counts of a window are exact, and the end of the last compacted hour. `withTimes`: response times count. With the
 * reclassified intervals of the monitors.
 */
export async function exactBounds(
  db: Db,
  organization: number,
  monitors: readonly number[],
  { fromMs, toMs }: Window,
  withTimes: boolean,
  nowMs: number,
): Promise<Window & { reclassified: Reclassified[] }> {
  const { progress, reclassified } = await readBasis(db, organization, monitors)
  const sketchedMs = withTimes && monitors.length > MAX_EXACT_LATENCIES ? (progress.day + 1) * DAY_MS : 0
  return {
    fromMs: Math.min(Math.max(fromMs, singleChecksFromMs(nowMs), sketchedMs), toMs),
    toMs: Math.min(Math.max((progress.hour + 1) * HOUR_MS, fromMs), toMs),
    reclassified,
  }
}
