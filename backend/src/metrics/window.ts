import { METRIC_PERIODS, type MetricPeriod, oldestReadableMs, type Plan } from '@vedette/shared'
import { invalid } from '../platform/errors.ts'
import { instantAt } from '../platform/instant.ts'
import type { Window } from './aggregate.ts'
import { RAW_RETENTION_MS } from './partitions.ts'

/** What a request says of the time that it asks about. */
export interface WindowRequest {
  period?: MetricPeriod
  from?: string
  to?: string
}

const DAY_MS = 86_400_000
const MAX_RANGE_MS = 400 * DAY_MS
/** What is older than the samples is kept as means over so long. */
const ROLLUP_SECONDS = 300

export interface AskedWindow {
  window: Window
  /** As the answer names it. */
  period: string
  /** No step of a series may be finer. */
  finestSeconds: number
}

/**
 * The window that a request names: by `period`, which ends now, or by `from` and `to`; of what is longer than the plan lets read,
 * the last part. Before the samples are kept one by one it is widened to whole UTC days. Throws validation_error.
 */
export function windowOf(request: WindowRequest, plan: Plan, nowMs: number, sampleIntervalSeconds: number): AskedWindow {
  const { window, period } = asked(request, nowMs)
  const oldestMs = oldestReadableMs(plan, nowMs)
  const readable = { fromMs: Math.min(Math.max(window.fromMs, oldestMs), window.toMs), toMs: window.toMs }
  const rawFromMs = Math.floor((nowMs - RAW_RETENTION_MS) / DAY_MS) * DAY_MS
  if (readable.fromMs >= rawFromMs) return { window: readable, period, finestSeconds: sampleIntervalSeconds }
  const fromMs = Math.floor(readable.fromMs / DAY_MS) * DAY_MS
  const toMs = readable.toMs > rawFromMs ? readable.toMs : Math.ceil(readable.toMs / DAY_MS) * DAY_MS
  return { window: { fromMs, toMs }, period, finestSeconds: Math.max(ROLLUP_SECONDS, sampleIntervalSeconds) }
}

function asked({ period, from, to }: WindowRequest, nowMs: number): { window: Window; period: string } {
  if (from === undefined && to === undefined) {
    const word = period ?? '1h'
    // A sample taken at this very millisecond belongs to the period.
    return { window: { fromMs: nowMs - METRIC_PERIODS[word], toMs: nowMs + 1 }, period: word }
  }
  if (period !== undefined) throw invalid({ path: 'period', message: 'goes without from and to' })
  if (from === undefined) throw invalid({ path: 'from', message: 'goes with to' })
  if (to === undefined) throw invalid({ path: 'to', message: 'goes with from' })
  const window = { fromMs: instantAt('from', from).getTime(), toMs: instantAt('to', to).getTime() }
  if (window.toMs <= window.fromMs) throw invalid({ path: 'to', message: 'must lie after from' })
  if (window.toMs - window.fromMs > MAX_RANGE_MS) throw invalid({ path: 'to', message: 'may lie at most 400 days after from' })
  return { window, period: `${new Date(window.fromMs).toISOString()}/${new Date(window.toMs).toISOString()}` }
}
