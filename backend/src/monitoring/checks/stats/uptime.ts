import { DAY_MS, HOUR_MS } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { findPlan } from '../../../access/plans/index.ts'
import { decodeChecks } from './hour-block.ts'
import { planWindow, type Window } from './window-plan.ts'
import { Sketch } from './distribution.ts'
import { type Counts, toMs, uptimePercent } from './counts.ts'
import { countTime, type StatusSpan } from '../composites/times.ts'
import { readStatusSpans } from '../composites/times-store.ts'
import { isLeftOut, leftOutOf } from '../reclassified/exclusions.ts'
import { readBasis } from './progress-store.ts'
import { countReclassified, type ReclassifiedCounts, takeOut } from '../reclassified/counts.ts'
import { readUptimeParts, type UptimePart } from './uptime-store.ts'
import { lastDays } from './window.ts'

const HOURS_A_DAY = DAY_MS / HOUR_MS
const DAYS_SHOWN = 90
/** The last of these days, over which response times are reported. */
const DAYS_OF_TIMES = 7

export interface Uptime {
  /** UTC days, oldest first, today last; null for a day without conclusive checks or outside the plan's history. */
  days: (number | null)[]
  /** Of all these days together. */
  counts: Pick<Counts, 'checks' | 'failed'>
  /** Over the last seven days, within 1 %; null without a response, and where it was not wanted. */
  p95ResponseMs: number | null
}

/**
 * The last 90 UTC days of each monitor, read with one statement; every monitor has an entry. Without `withTimes` no response times are
 * decoded, which is most of the work.
 */
export async function readUptime(
  db: Db,
  organization: number,
  monitors: readonly number[],
  nowMs: number,
  withTimes = true,
): Promise<{ fromMs: number; stepSeconds: number; uptimes: Map<number, Uptime> }> {
  const window = lastDays(DAYS_SHOWN, await findPlan(db, organization), nowMs)
  const first = Math.floor(nowMs / DAY_MS) - DAYS_SHOWN + 1
  const { progress, composites, reclassified } = await readBasis(db, organization, monitors)
  const cut = planWindow(window, progress, true)
  const left = (await countReclassified(db, organization, reclassified, window, nowMs)).filter(isLeftOut)
  const leftOf = Map.groupBy(left, ({ monitor }) => monitor)
  const firstOfTimes = first + DAYS_SHOWN - (withTimes ? DAYS_OF_TIMES : 0)
  const parts = await readUptimeParts(db, { organization, monitors }, cut, firstOfTimes)
  const own = Map.groupBy(parts, ({ monitor }) => monitor)
  const uptimes = new Map(
    monitors.map((monitor) => [monitor, addUp(own.get(monitor) ?? [], first, firstOfTimes, leftOf.get(monitor))]),
  )
  if (composites.length > 0)
    for (const [monitor, spans] of await readStatusSpans(db, organization, composites, window))
      uptimes.set(monitor, uptimeByTime(spans, first, window, leftOutOf(monitor, reclassified)))
  return { fromMs: first * DAY_MS, stepSeconds: DAY_MS / 1000, uptimes }
}

/** Of a composite, whose milliseconds are counted in place of checks. */
function uptimeByTime(
  spans: readonly StatusSpan[],
  first: number,
  { fromMs, toMs }: Window,
  excluded: readonly Window[],
): Uptime {
  const countsIn = (from: number, to: number) => {
    const { counted, down } = countTime(spans, { fromMs: Math.max(from, fromMs), toMs: Math.min(to, toMs) }, excluded)
    return { checks: counted, failed: down }
  }
  const days = Array.from({ length: DAYS_SHOWN }, (_, index) => countsIn((first + index) * DAY_MS, (first + index + 1) * DAY_MS))
  return {
    days: days.map((own) => (own.checks === 0 ? null : uptimePercent(own))),
    counts: countsIn(fromMs, toMs),
    p95ResponseMs: null,
  }
}

function addUp(
  parts: readonly UptimePart[],
  first: number,
  firstOfTimes: number,
  left: readonly ReclassifiedCounts[] = [],
): Uptime {
  const counts = Array.from({ length: DAYS_SHOWN }, () => ({ checks: 0, failed: 0 }))
  const count = (day: number, checks: number, failed: number): void => {
    const own = counts[day - first]
    if (!own) return
    own.checks += checks
    own.failed += failed
  }
  const times = new Sketch()
  for (const part of parts) {
    if (part.kind === 'days') {
      for (const [day, checks, failed] of part.numbers) count(day, checks, failed)
      continue
    }
    const day = part.kind === 'hour' ? Math.floor(part.unit / HOURS_A_DAY) : part.unit
    count(day, part.checks, part.failed)
    if (day >= firstOfTimes) addTimes(times, part)
  }
  for (const { step: day, checks, failed } of left) count(day, -checks, -failed)
  return {
    days: counts.map((own) => (own.checks === 0 ? null : uptimePercent(own))),
    counts: counts.reduce((all, own) => ({ checks: all.checks + own.checks, failed: all.failed + own.failed }), {
      checks: 0,
      failed: 0,
    }),
    p95ResponseMs: p95Of(times),
  }
}

export interface WindowFigures {
  checks: number
  failed: number
  /** Within 1 %; null without a response. */
  p95ResponseMs: number | null
  /** Of a composite: milliseconds are counted in place of checks. */
  isTime?: true
}

/** Each monitor over whole UTC days, of a composite in milliseconds; monitors without checks are absent. */
export async function readWindowFigures(
  db: Db,
  organization: number,
  monitors: readonly number[],
  window: Window,
): Promise<Map<number, WindowFigures>> {
  const { progress, composites, reclassified } = await readBasis(db, organization, monitors)
  const cut = planWindow(window, progress, true)
  const left = await countReclassified(db, organization, reclassified, window, window.toMs)
  const parts = await readUptimeParts(db, { organization, monitors }, cut, Math.floor(window.fromMs / DAY_MS))
  const figures = new Map<number, WindowFigures>()
  for (const [monitor, own] of Map.groupBy(parts, (part) => part.monitor)) {
    const times = new Sketch()
    const counts = { checks: 0, failed: 0 }
    for (const part of own) {
      // All days are read one by one.
      if (part.kind === 'days') continue
      counts.checks += part.checks
      counts.failed += part.failed
      addTimes(times, part)
    }
    figures.set(monitor, { ...counts, p95ResponseMs: p95Of(times) })
  }
  takeOut(figures, left)
  if (composites.length > 0)
    for (const [monitor, spans] of await readStatusSpans(db, organization, composites, window)) {
      const { counted, down } = countTime(spans, window, leftOutOf(monitor, reclassified))
      if (counted > 0) figures.set(monitor, { checks: counted, failed: down, p95ResponseMs: null, isTime: true })
    }
  return figures
}

const p95Of = (times: Sketch): number | null => (times.isEmpty ? null : toMs(times.percentile(95)))

function addTimes(times: Sketch, part: Exclude<UptimePart, { kind: 'days' }>): void {
  if (part.kind === 'day') times.addEncoded(part.data)
  else if (part.kind === 'checks') for (const us of part.numbers ?? []) times.add(us)
  else decodeChecks(part.unit * HOUR_MS, part.data, (_atMs, _outcome, us) => us === null || times.add(us))
}
