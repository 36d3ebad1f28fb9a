import { DAY_MS, HOUR_MS, type MonitorStats, type StatsPeriod, toTimestamp } from '@vedette/shared'
import type { Tenant } from '../../../access/auth/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Db } from '../../../platform/db/index.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { findPlan } from '../../../access/plans/index.ts'
import { countTime } from '../composites/times.ts'
import { readStatusSpans } from '../composites/times-store.ts'
import { findMonitor, listRegions } from './monitor-store.ts'
import { hasRawChecks } from '../results/partitions.ts'
import { planWindow, type Window } from './window-plan.ts'
import { avgResponseMs, type Counts, NO_CHECKS, toMs, uptimePercent } from './counts.ts'
import { tallyRows, Tally } from './tally.ts'
import { readBasis, readProgress } from './progress-store.ts'
import { countReclassified, type ReclassifiedCounts, takeOut } from '../reclassified/counts.ts'
import { isLeftOut, leftOutOf } from '../reclassified/exclusions.ts'
import { readSaid } from '../reclassified/said.ts'
import { readPhases } from './phases-store.ts'
import { type StatsRow, readStatsRows, sumHours, sumCounts } from './store.ts'
import {
  alignToSteps,
  EXACT_UP_TO_MS,
  lastDays,
  periodWindow,
  stepOf,
  type WindowRequest,
  widenToDays,
  windowOf,
} from './window.ts'

export interface StatsDeps {
  db: Db
  clock: Clock
}

export interface StatsRequest extends WindowRequest {
  region?: string | undefined
  points?: number | undefined
  include?: string | undefined
}

const DAY_SECONDS = DAY_MS / 1000
const HOURS_SHOWN = 24
const FINEST_TIME_STEP_SECONDS = 60

/**
 * Stats of a monitor's checks over a window. Percentiles are exact up to 7 days and within 1 % above. A window that begins before
 * the retention of single checks (35 days) is widened to whole UTC days. Throws not_found across organizations, validation_error
 * for an unknown region or an invalid window.
 */
export async function readMonitorStats(
  { db, clock }: StatsDeps,
  tenant: Tenant,
  monitorId: string,
  request: StatsRequest,
): Promise<MonitorStats> {
  const now = clock.now()
  const monitor = await findMonitor(db, tenant.number, monitorId)
  if (!monitor) throw notFound()
  const regions = await listRegions(db)
  const requested = windowOf(request, await findPlan(db, tenant.number), now)
  const region = request.region === undefined ? undefined : regions.find(({ id }) => id === request.region)
  if (request.region !== undefined && !region) throw invalid({ path: 'region', message: 'must be the id of a region' })

  if (monitor.type === 'composite') {
    const passed = { ...requested, toMs: Math.min(requested.toMs, now + 1) }
    const { reclassified } = await readBasis(db, tenant.number, [monitor.number])
    const leftOut = leftOutOf(monitor.number, reclassified)
    const stats = await readTimeStats(db, tenant.number, monitor.number, passed, request.points, leftOut)
    return { ...stats, ...(await readSaid(db, tenant.number, reclassified, passed)) }
  }
  const window = hasRawChecks(requested.fromMs, now) ? requested : widenToDays(requested, now)
  const isExact = window.toMs - window.fromMs <= EXACT_UP_TO_MS && hasRawChecks(window.fromMs, now)
  const finest = hasRawChecks(window.fromMs, now) ? monitor.intervalSeconds : DAY_SECONDS
  const step = request.points === undefined ? undefined : stepOf(window, request.points, finest)
  const withDays = !isExact && (step === undefined || step === DAY_SECONDS)
  const query = { organization: tenant.number, monitors: [monitor.number], region: region?.number }
  const { progress, reclassified } = await readBasis(db, tenant.number, query.monitors)
  const steps = step === undefined ? undefined : { fromMs: alignToSteps(window, step).fromMs, stepMs: step * 1000 }
  const left = (await countReclassified(db, tenant.number, reclassified, window, now, steps && { steps })).filter(isLeftOut)
  const pieces = await readStatsRows(db, query, planWindow(window, progress, withDays))
  const own = region ? left.filter((one) => one.region === region.number) : left
  const summary = {
    ...summarize(pieces, isExact, new Map(regions.map(({ number, id }) => [number, id])), own),
    ...(await readSaid(db, tenant.number, reclassified, window)),
  }
  if (step === undefined) return summary
  const series = toSeries(pieces, window, step, isExact, own)
  if (request.include === undefined) return { ...summary, series }
  return { ...summary, series: { ...series, phases: await readPhases(db, query, alignToSteps(window, step), step) } }
}

/** Of a composite, by its time: it has no checks, regions and response times. A step shorter than a minute shows nothing more. */
async function readTimeStats(
  db: Db,
  organization: number,
  monitor: number,
  window: Window,
  points: number | undefined,
  excluded: readonly Window[],
): Promise<MonitorStats> {
  const spans = (await readStatusSpans(db, organization, [monitor], window)).get(monitor) ?? []
  const uptimeIn = (part: Window): number | null => {
    const { counted, down } = countTime(spans, part, excluded)
    return counted === 0 ? null : uptimePercent({ checks: counted, failed: down })
  }
  const summary = { ...summarize([], false, new Map(), []), uptime_percent: uptimeIn(window) ?? 100 }
  if (points === undefined) return summary
  const step = stepOf(window, points, FINEST_TIME_STEP_SECONDS)
  const { fromMs, points: count } = alignToSteps(window, step)
  const steps = Array.from({ length: count }, (_, index) => fromMs + index * step * 1000)
  const nothing = steps.map(() => null)
  return {
    ...summary,
    series: {
      step_seconds: step,
      from: toTimestamp(fromMs),
      avg_response_ms: nothing,
      p95_response_ms: nothing,
      uptime_percent: steps.map((atMs) => uptimeIn({ fromMs: atMs, toMs: atMs + step * 1000 })),
    },
  }
}

function summarize(
  pieces: readonly StatsRow[],
  isExact: boolean,
  names: ReadonlyMap<number, string>,
  left: readonly ReclassifiedCounts[],
): MonitorStats {
  const all = new Tally(isExact)
  const regions = new Map<number, Tally>()
  tallyRows(pieces, (region) => {
    const own = regions.get(region) ?? new Tally(isExact)
    regions.set(region, own)
    return [all, own]
  })
  for (const { region, checks, failed } of left) for (const tally of [all, regions.get(region)]) tally?.takeOut(checks, failed)
  const named = [...regions].map(([region, tally]) => [names.get(region) ?? String(region), tally] as const)
  return {
    uptime_percent: uptimePercent(all),
    avg_response_ms: avgResponseMs(all),
    p95_response_ms: toMs(all.times.percentile(95)),
    p99_response_ms: toMs(all.times.percentile(99)),
    total_checks: all.checks,
    failed_checks: all.failed,
    by_region: Object.fromEntries(
      named
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([id, tally]) => [id, { avg_response_ms: avgResponseMs(tally), uptime_percent: uptimePercent(tally) }]),
    ),
  }
}

/** One value per step of the window; null for a step without checks, and times also without a response. */
function toSeries(
  pieces: readonly StatsRow[],
  window: Window,
  stepSeconds: number,
  isExact: boolean,
  left: readonly ReclassifiedCounts[],
): NonNullable<MonitorStats['series']> {
  const { fromMs, points } = alignToSteps(window, stepSeconds)
  const steps: (Tally | undefined)[] = Array.from({ length: points })
  tallyRows(pieces, (_region, atMs) => {
    const index = Math.floor((atMs - fromMs) / (stepSeconds * 1000))
    if (index < 0) return []
    const tally = steps[index] ?? new Tally(isExact)
    steps[index] = tally
    return [tally]
  })
  for (const { step, checks, failed } of left) steps[step]?.takeOut(checks, failed)
  const answered = (tally: Tally | undefined): tally is Tally => tally !== undefined && tally.answered > 0
  return {
    step_seconds: stepSeconds,
    from: toTimestamp(fromMs),
    avg_response_ms: steps.map((tally) => (answered(tally) ? avgResponseMs(tally) : null)),
    p95_response_ms: steps.map((tally) => (answered(tally) ? toMs(tally.times.percentile(95)) : null)),
    uptime_percent: steps.map((tally) => (tally && tally.checks > 0 ? uptimePercent(tally) : null)),
  }
}

/** Counts of each monitor over a period that ends at `nowMs`, by surrogate, of a composite in milliseconds; monitors without checks are absent. */
export async function readPeriodCounts(
  db: Db,
  organization: number,
  monitors: readonly number[],
  period: StatsPeriod,
  nowMs: number,
): Promise<Map<number, Counts>> {
  return countPlain(db, organization, monitors, periodWindow(period, await findPlan(db, organization), nowMs), nowMs)
}

/** The same of whole UTC days with today as the last, as `readUptime` counts them. */
export async function readDayCounts(
  db: Db,
  organization: number,
  monitors: readonly number[],
  days: number,
  nowMs: number,
): Promise<Map<number, Counts>> {
  return countPlain(db, organization, monitors, lastDays(days, await findPlan(db, organization), nowMs), nowMs)
}

/** Without what is out of uptime; of a composite the milliseconds in place of checks. */
async function countPlain(
  db: Db,
  organization: number,
  monitors: readonly number[],
  window: Window,
  nowMs: number,
): Promise<Map<number, Counts>> {
  const { progress, composites, reclassified } = await readBasis(db, organization, monitors)
  const left = await countReclassified(db, organization, reclassified, window, nowMs)
  const counts = await sumCounts(db, { organization, monitors }, planWindow(window, progress, true))
  takeOut(counts, left)
  if (composites.length === 0) return counts
  for (const [number, spans] of await readStatusSpans(db, organization, composites, window)) {
    const { counted, down } = countTime(spans, window, leftOutOf(number, reclassified))
    counts.set(number, { ...NO_CHECKS, checks: counted, failed: down })
  }
  return counts
}

/** Hourly mean response times of each monitor over the last 24 hours, oldest first; null without a response in the hour. */
export async function readHourlyMeans(
  db: Db,
  organization: number,
  monitors: readonly number[],
  nowMs: number,
): Promise<{ fromMs: number; stepSeconds: number; means: Map<number, (number | null)[]> }> {
  const last = Math.floor(nowMs / HOUR_MS)
  const first = last - HOURS_SHOWN + 1
  const cut = planWindow({ fromMs: first * HOUR_MS, toMs: nowMs + 1 }, await readProgress(db), false)
  const means = new Map(monitors.map((monitor) => [monitor, Array.from({ length: HOURS_SHOWN }, (): number | null => null)]))
  for (const { monitor, hour, ...counts } of await sumHours(db, { organization, monitors }, cut)) {
    const own = means.get(monitor)
    if (own && counts.answered > 0) own[hour - first] = avgResponseMs(counts)
  }
  return { fromMs: first * HOUR_MS, stepSeconds: HOUR_MS / 1000, means }
}
