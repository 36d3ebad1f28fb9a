import type { Plan, StatsPeriod } from '@vedette/shared'
import { oldestReadableMs, SERIES_STEPS_SECONDS, STATS_PERIODS } from '@vedette/shared'
import { invalid } from '../../platform/errors.ts'
import { instantAt } from '../../platform/instant.ts'
import { RAW_CHECKS_MS } from '../partitions.ts'
import { DAY_MS, type Window } from './cut.ts'

/** What a request may say of the time that it asks about. */
export interface WindowRequest {
  period?: StatsPeriod | undefined
  from?: string | undefined
  to?: string | undefined
}

const MAX_RANGE_MS = 400 * DAY_MS
/** Up to here percentiles are exact. */
export const EXACT_UP_TO_MS = STATS_PERIODS['7d']

/** The period that ends now; a check made at this very millisecond belongs to it. Of more than the plan lets read, the last part. */
export function periodWindow(period: StatsPeriod, plan: Plan, nowMs: number): Window {
  return readable({ fromMs: nowMs - STATS_PERIODS[period] + 1, toMs: nowMs + 1 }, plan, nowMs)
}

/** So many whole UTC days, with the one under way as the last: from where the plan lets read, widened to its day. */
export function lastDays(days: number, plan: Plan, nowMs: number): Window {
  const firstMs = (Math.floor(nowMs / DAY_MS) - days + 1) * DAY_MS
  const oldestMs = Math.floor(oldestReadableMs(plan, nowMs) / DAY_MS) * DAY_MS
  return { fromMs: Math.max(firstMs, oldestMs), toMs: nowMs + 1 }
}

/** The window that the request names, by `period` (default 24h) or by `from` and `to`. Throws validation_error. */
export function windowOf({ period, from, to }: WindowRequest, plan: Plan, nowMs: number): Window {
  if (from === undefined && to === undefined) return periodWindow(period ?? '24h', plan, nowMs)
  if (period !== undefined) throw invalid({ path: 'period', message: 'period goes without from and to' })
  if (from === undefined) throw invalid({ path: 'from', message: 'from goes with to' })
  if (to === undefined) throw invalid({ path: 'to', message: 'to goes with from' })
  const window = { fromMs: instantAt('from', from).getTime(), toMs: instantAt('to', to).getTime() }
  if (window.toMs <= window.fromMs) throw invalid({ path: 'to', message: 'to must lie after from' })
  if (window.toMs - window.fromMs > MAX_RANGE_MS)
    throw invalid({ path: 'to', message: 'from and to may lie at most 400 days apart' })
  return readable(window, plan, nowMs)
}

function readable({ fromMs, toMs }: Window, plan: Plan, nowMs: number): Window {
  const oldestMs = oldestReadableMs(plan, nowMs)
  return { fromMs: Math.min(Math.max(fromMs, oldestMs), toMs), toMs }
}

/** Whether single checks of all of the window are still kept. */
export const isRaw = ({ fromMs }: Window, nowMs: number): boolean => fromMs > nowMs - RAW_CHECKS_MS

/** Beyond the single checks there are whole UTC days only: the window widened to them. */
export function wholeDays({ fromMs, toMs }: Window, nowMs: number): Window {
  const from = Math.floor(fromMs / DAY_MS) * DAY_MS
  return { fromMs: from, toMs: isRaw({ fromMs: toMs, toMs }, nowMs) ? toMs : Math.ceil(toMs / DAY_MS) * DAY_MS }
}

/** The smallest step, in seconds, that shows the window in at most so many points and is no finer than this. */
export function stepOf({ fromMs, toMs }: Window, points: number, finestSeconds: number): number {
  const fits = (seconds: number) => Math.ceil((toMs - fromMs) / (seconds * 1000)) <= points
  const step = SERIES_STEPS_SECONDS.find((seconds) => seconds >= finestSeconds && fits(seconds))
  return step ?? Math.max(...SERIES_STEPS_SECONDS)
}

/** The window moved up to whole steps: it ends with the step that holds its end, and has no more steps than its length needs. */
export function alignToSteps({ fromMs, toMs }: Window, stepSeconds: number): Window & { points: number } {
  const stepMs = stepSeconds * 1000
  const points = Math.ceil((toMs - fromMs) / stepMs)
  const endMs = Math.ceil(toMs / stepMs) * stepMs
  return { fromMs: endMs - points * stepMs, toMs: endMs, points }
}
