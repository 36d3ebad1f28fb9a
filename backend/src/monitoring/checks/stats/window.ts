import { DAY_MS } from '@vedette/shared'
import type { Plan, StatsPeriod } from '@vedette/shared'
import { oldestReadableMs, SERIES_STEPS_SECONDS, STATS_PERIODS } from '@vedette/shared'
import { invalid } from '../../../platform/errors.ts'
import { instantAt } from '../../../platform/time/instant.ts'
import { hasRawChecks } from '../results/partitions.ts'
import { type Window } from './window-plan.ts'

/** The window of a request. */
export interface WindowRequest {
  period?: StatsPeriod | undefined
  from?: string | undefined
  to?: string | undefined
}

const MAX_RANGE_MS = 400 * DAY_MS
/** Percentiles are exact up to this length. */
export const EXACT_UP_TO_MS = STATS_PERIODS['7d']

/**
 * The period that ends now, including a check of this millisecond. A period longer than the plan's history is cut to its last
 * part.
 */
export function periodWindow(period: StatsPeriod, plan: Plan, nowMs: number): Window {
  return readable({ fromMs: nowMs - STATS_PERIODS[period] + 1, toMs: nowMs + 1 }, plan, nowMs)
}

/** This many whole UTC days with today as the last, cut to the plan's history in whole days. */
export function lastDays(days: number, plan: Plan, nowMs: number): Window {
  const firstMs = (Math.floor(nowMs / DAY_MS) - days + 1) * DAY_MS
  const oldestMs = Math.floor(oldestReadableMs(plan, nowMs) / DAY_MS) * DAY_MS
  return { fromMs: Math.max(firstMs, oldestMs), toMs: nowMs + 1 }
}

/** The window that a request names by `period` (default 24h) or by `from` and `to`. Throws validation_error. */
export function windowOf({ period, from, to }: WindowRequest, plan: Plan, nowMs: number): Window {
  if (from === undefined && to === undefined) return periodWindow(period ?? '24h', plan, nowMs)
  if (period !== undefined) throw invalid({ path: 'period', message: 'must not be combined with from and to' })
  if (from === undefined) throw invalid({ path: 'from', message: 'is required with to' })
  if (to === undefined) throw invalid({ path: 'to', message: 'is required with from' })
  const window = { fromMs: instantAt('from', from).getTime(), toMs: instantAt('to', to).getTime() }
  if (window.toMs <= window.fromMs) throw invalid({ path: 'to', message: 'must be after from' })
  if (window.toMs - window.fromMs > MAX_RANGE_MS) throw invalid({ path: 'to', message: 'must be at most 400 days after from' })
  return readable(window, plan, nowMs)
}

function readable({ fromMs, toMs }: Window, plan: Plan, nowMs: number): Window {
  const oldestMs = oldestReadableMs(plan, nowMs)
  return { fromMs: Math.min(Math.max(fromMs, oldestMs), toMs), toMs }
}

/** Older than the single checks there are only whole UTC days: widens the window to them. */
export function widenToDays({ fromMs, toMs }: Window, nowMs: number): Window {
  const from = Math.floor(fromMs / DAY_MS) * DAY_MS
  return { fromMs: from, toMs: hasRawChecks(toMs, nowMs) ? toMs : Math.ceil(toMs / DAY_MS) * DAY_MS }
}

/** The smallest step in seconds that is at least `finestSeconds` and divides the window into at most `points`. */
export function stepOf({ fromMs, toMs }: Window, points: number, finestSeconds: number): number {
  const fits = (seconds: number) => Math.ceil((toMs - fromMs) / (seconds * 1000)) <= points
  const step = SERIES_STEPS_SECONDS.find((seconds) => seconds >= finestSeconds && fits(seconds))
  return step ?? Math.max(...SERIES_STEPS_SECONDS)
}

/** Aligns the window to steps: it ends with the step that contains its end and keeps its number of steps. */
export function alignToSteps({ fromMs, toMs }: Window, stepSeconds: number): Window & { points: number } {
  const stepMs = stepSeconds * 1000
  const points = Math.ceil((toMs - fromMs) / stepMs)
  const endMs = Math.ceil(toMs / stepMs) * stepMs
  return { fromMs: endMs - points * stepMs, toMs: endMs, points }
}
