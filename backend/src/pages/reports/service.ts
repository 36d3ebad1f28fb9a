import {
  MAX_LISTED_DOWNTIMES,
  MAX_REPORT_DOWNTIMES,
  MAX_REPORT_MONITORS,
  type ReportFigures,
  type ReportMonitor,
  toTimestamp,
  isTimeZone,
  type UptimeReport,
  type UptimeReportQuery,
} from '@vedette/shared'
import { listLateWindows } from '../../alerting/alerts/index.ts'
import type { Tenant } from '../../access/auth/index.ts'
import {
  countWindow,
  hasRawChecks,
  NOTHING_EXCLUDED,
  NO_WINDOW_COUNTS,
  readBasis,
  readCoverage,
  readExclusions,
  readSaid,
  type Reclassified,
  uptimePercent,
  widenToDays,
  type Window,
  type WindowCounts,
  windowOf,
} from '../../monitoring/checks/index.ts'
import { findPlan } from '../../access/plans/index.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../platform/db/index.ts'
import { invalid } from '../../platform/errors.ts'
import { encodeId, parseId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { parseDay, startOfPeriod } from '../../platform/time/zone.ts'
import { listMonitorsOfPage } from '../status-pages/index.ts'
import * as store from './store.ts'
import { mergeSpans } from './spans.ts'
import { divideTime, type Timeline } from './timeline.ts'

export interface ReportDeps {
  db: Db
  clock: Clock
}

/** The report of a query. Throws validation_error for a range, time zone, monitor or status page that does not exist. */
export async function readUptimeReport(deps: ReportDeps, tenant: Tenant, query: UptimeReportQuery): Promise<UptimeReport> {
  const among = query.page === undefined ? null : await monitorsOfPage(deps, tenant, query.page)
  const ids = (query.monitor ?? []).map((text, index) => {
    const id = parseId('monitor', text)
    if (id === undefined) throw unknownMonitor(index)
    return id
  })
  const monitors = await store.listReported(
    deps.db,
    tenant.number,
    { ids: ids.length > 0 ? ids : null, among, tags: query.tag ?? [] },
    MAX_REPORT_MONITORS + 1,
  )
  if (monitors.length > MAX_REPORT_MONITORS)
    throw invalid({ path: 'tag', message: `must leave at most ${MAX_REPORT_MONITORS} monitors for one report` })
  if (!among && (query.tag ?? []).length === 0) {
    const known = new Set(monitors.map(({ id }) => id))
    const missing = ids.findIndex((id) => !known.has(id))
    if (missing >= 0) throw unknownMonitor(missing)
  }
  return reportOn(deps, tenant, monitors, query)
}

async function monitorsOfPage({ db }: ReportDeps, tenant: Tenant, text: string): Promise<string[]> {
  const id = parseId('statusPage', text)
  const monitors = id && (await listMonitorsOfPage(db, tenant.number, id))
  if (!monitors) throw invalid({ path: 'page', message: 'is not a status page of this organization' })
  return monitors
}

const unknownMonitor = (index: number) => invalid({ path: `monitor.${index}`, message: 'is not a monitor of this organization' })

/** When, in which time zone, and with which objective. */
type ReportRange = Pick<UptimeReportQuery, 'from' | 'to' | 'time_zone' | 'objective'>

async function reportOn(
  { db, clock }: ReportDeps,
  tenant: Tenant,
  monitors: readonly store.ReportedMonitor[],
  { from, to, time_zone: timeZone = 'UTC', objective }: ReportRange,
): Promise<UptimeReport> {
  if (!isTimeZone(timeZone)) throw invalid({ path: 'time_zone', message: 'must be a time zone, for example Europe/Berlin' })
  const nowMs = clock.now()
  const requested = windowOf(rangeOf(from, to, timeZone, nowMs), await findPlan(db, tenant.number), nowMs)
  if (requested.fromMs >= nowMs) throw invalid({ path: 'from', message: 'must be in the past' })
  const wide = hasRawChecks(requested.fromMs, nowMs) ? requested : widenToDays(requested, nowMs)
  const window = { fromMs: wide.fromMs, toMs: Math.min(wide.toMs, nowMs) }
  const listed = Math.min(MAX_REPORT_DOWNTIMES, Math.floor(MAX_LISTED_DOWNTIMES / Math.max(1, monitors.length)))
  const numbers = monitors.map(({ number }) => number)
  const { reclassified } = await readBasis(db, tenant.number, numbers)
  const reported = await reportMonitors(db, tenant.number, monitors, reclassified, window, nowMs)
  const late = await listLateWindows(db, tenant.number, numbers, window)
  return {
    from: toTimestamp(window.fromMs),
    to: toTimestamp(window.toMs),
    time_zone: timeZone,
    generated_at: toTimestamp(nowMs),
    summary: figuresOf(sumUp(reported), objective),
    monitors: reported.map(({ monitor, ...parts }) => toMonitor(monitor, parts, { nowMs, objective, listed })),
    late_maintenance: late.map(({ id, name, since }) => ({
      id: encodeId('maintenanceWindow', id),
      name,
      changed_at: toTimestamp(since.getTime()),
    })),
    ...(await readSaid(db, tenant.number, reclassified, window)),
  }
}

/** The named range, or the last calendar month. A day is its first instant. */
function rangeOf(from: string | undefined, to: string | undefined, timeZone: string, nowMs: number) {
  const edge = (text: string | undefined) => {
    const dayMs = text === undefined ? undefined : parseDay(timeZone, text)
    return dayMs === undefined ? text : toTimestamp(dayMs)
  }
  if (from !== undefined || to !== undefined) return { from: edge(from), to: edge(to) }
  return {
    from: toTimestamp(startOfPeriod(timeZone, nowMs, 1, 1)),
    to: toTimestamp(startOfPeriod(timeZone, nowMs, 1)),
  }
}

interface Parts {
  /** The share of the time counts in place of that of the checks. */
  byTime: boolean
  counts: WindowCounts
  time: Timeline
  inconclusiveSeconds: number
}

/** Without a pause for other requests. */
const MONITORS_AT_ONCE = 50

async function reportMonitors(
  db: Db,
  organization: number,
  monitors: readonly store.ReportedMonitor[],
  reclassified: readonly Reclassified[],
  window: Window,
  nowMs: number,
): Promise<(Parts & { monitor: store.ReportedMonitor })[]> {
  const numbers = monitors.map(({ number }) => number)
  const counts = await countWindow(db, organization, numbers, window, nowMs)
  const covered = await readCoverage(db, organization, numbers, window, nowMs)
  const exclusions = await readExclusions(db, organization, numbers, window, reclassified)
  const changes = Map.groupBy(await store.listChanges(db, organization, numbers, window), (change) => change.monitor)
  const reported: (Parts & { monitor: store.ReportedMonitor })[] = []
  for (const [index, monitor] of monitors.entries()) {
    if (index % MONITORS_AT_ONCE === MONITORS_AT_ONCE - 1) await yieldToEventLoop()
    const { number, intervalSeconds, regions, byTime, status, created_at: createdAt } = monitor
    const own = counts.get(number) ?? NO_WINDOW_COUNTS
    const { maintenance, asMaintenance, excluded } = exclusions.get(number) ?? NOTHING_EXCLUDED
    const history = {
      createdMs: createdAt.getTime(),
      intervalMs: intervalSeconds * 1000,
      status,
      changes: (changes.get(number) ?? []).map(({ at, from_status, to_status, reason }) => ({
        atMs: at.getTime(),
        from: from_status,
        to: to_status,
        reason,
      })),
      covered: byTime ? [window] : (covered.get(number) ?? []),
      maintenance: mergeSpans([...maintenance, ...asMaintenance]),
      excluded,
    }
    const inconclusiveSeconds = (own.inconclusive * intervalSeconds) / Math.max(1, regions)
    reported.push({ monitor, byTime, counts: own, time: divideTime(history, window), inconclusiveSeconds })
  }
  return reported
}

function sumUp(all: readonly Parts[]): Parts {
  const add = (pick: (parts: Parts) => number) => all.reduce((sum, parts) => sum + pick(parts), 0)
  const counts = Object.fromEntries(
    (Object.keys(NO_WINDOW_COUNTS) as (keyof WindowCounts)[]).map((name) => [name, add((parts) => parts.counts[name])]),
  ) as unknown as WindowCounts
  const status = (name: 'up' | 'degraded' | 'down') => add(({ time }) => time.seconds[name])
  return {
    byTime: all.length > 0 && all.every(({ byTime }) => byTime),
    counts,
    time: {
      seconds: { up: status('up'), degraded: status('degraded'), down: status('down') },
      pausedSeconds: add(({ time }) => time.pausedSeconds),
      noDataSeconds: add(({ time }) => time.noDataSeconds),
      maintenanceSeconds: add(({ time }) => time.maintenanceSeconds),
      excludedSeconds: add(({ time }) => time.excludedSeconds),
      downtimes: all.flatMap(({ time }) => time.downtimes),
    },
    inconclusiveSeconds: add((parts) => parts.inconclusiveSeconds),
  }
}

function figuresOf({ byTime, counts, time, inconclusiveSeconds }: Parts, objective: number | undefined): ReportFigures {
  const { checks, failed, degraded, inconclusive, maintenanceChecks, maintenanceFailed } = counts
  const seconds = { up: rounded(time.seconds.up), degraded: rounded(time.seconds.degraded), down: rounded(time.seconds.down) }
  const counted = byTime
    ? { checks: seconds.up + seconds.degraded + seconds.down, failed: seconds.down }
    : { checks: checks - maintenanceChecks, failed: failed - maintenanceFailed }
  const all = byTime ? counted : counts
  return {
    uptime_percent: all.checks === 0 ? null : uptimePercent(all),
    availability_percent: counted.checks === 0 ? null : uptimePercent(counted),
    checks: { total: checks, up: checks - failed - degraded, degraded, down: failed },
    seconds,
    excluded: {
      maintenance_checks: maintenanceChecks + counts.asMaintenanceChecks,
      maintenance_failed_checks: maintenanceFailed + counts.asMaintenanceFailed,
      maintenance_seconds: rounded(time.maintenanceSeconds),
      inconclusive_checks: inconclusive,
      inconclusive_seconds: rounded(inconclusiveSeconds),
      paused_seconds: rounded(time.pausedSeconds),
      no_data_seconds: rounded(time.noDataSeconds),
      reclassified_checks: counts.excludedChecks,
      reclassified_failed_checks: counts.excludedFailed,
      reclassified_seconds: rounded(time.excludedSeconds),
    },
    downtime_count: time.downtimes.length,
    objective:
      objective === undefined
        ? null
        : {
            percent: objective,
            // By the counts: the percentage is truncated.
            met: counted.checks === 0 ? null : (counted.checks - counted.failed) * 100 >= objective * counted.checks,
            allowed_downtime_seconds: rounded(((100 - objective) * (seconds.up + seconds.degraded + seconds.down)) / 100),
            used_downtime_seconds: seconds.down,
          },
  }
}

/** Milliseconds. */
const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000

function toMonitor(
  { id, name, status }: store.ReportedMonitor,
  parts: Parts,
  { nowMs, objective, listed }: { nowMs: number; objective: number | undefined; listed: number },
): ReportMonitor {
  return {
    id: encodeId('monitor', id),
    name,
    ...figuresOf(parts, objective),
    downtimes: parts.time.downtimes.slice(0, listed).map(({ fromMs, toMs, isOpen, reason, excludedSeconds }) => ({
      from: toTimestamp(fromMs),
      to: isOpen && toMs >= nowMs && status === 'down' ? null : toTimestamp(toMs),
      seconds: rounded((toMs - fromMs) / 1000),
      excluded_seconds: rounded(excludedSeconds),
      reason,
    })),
  }
}
