import { METRIC_PERIODS, type MetricPeriod, oldestRawMs, oldestReadableMs, type Plan } from '@vedette/shared'
import { invalid } from '../../../platform/errors.ts'
import { instantAt } from '../../../platform/time/instant.ts'
import type { Window } from '../aggregate/index.ts'
import { DAY_MS } from '../storage/schedule.ts'

/** What a request says of the time that it asks about. */
export interface WindowRequest {
  period?: MetricPeriod
  from?: string
  to?: string
}

const MAX_RANGE_MS = 400 * DAY_MS
/** Length of the means that are read for windows older than the single samples, seconds. */
const ROLLUP_SECONDS = 300

export interface ResolvedWindow {
  window: Window
  /** As the answer names it. */
  period: string
  /** No step of a series may be finer. */
  finestSeconds: number
}

/** What there is to read. */
export interface Readable {
  plan: Plan
  nowMs: number
  sampleIntervalSeconds: number
  /** How long the installation keeps samples one by one. */
  rawRetentionMs: number
}

/**
 * The window that a request names: by `period`, which ends now, or by `from` and `to`; of what is longer than the plan lets read,
 * the last part. What begins before the plan lets samples be read one by one has no steps below 5 minutes; what begins before they
 * are kept so is widened to whole UTC days as well. Throws validation_error.
 */
export function resolveWindow(
  request: WindowRequest,
  { plan, nowMs, sampleIntervalSeconds, rawRetentionMs }: Readable,
): ResolvedWindow {
  const { window, period } = requestedWindow(request, nowMs)
  const { toMs } = window
  const fromMs = Math.min(Math.max(window.fromMs, oldestReadableMs(plan, nowMs)), toMs)
  const isRaw = fromMs >= Math.floor(oldestRawMs(plan, nowMs) / DAY_MS) * DAY_MS
  const finestSeconds = isRaw ? sampleIntervalSeconds : Math.max(ROLLUP_SECONDS, sampleIntervalSeconds)
  const retainedFromMs = Math.floor((nowMs - rawRetentionMs) / DAY_MS) * DAY_MS
  if (fromMs >= retainedFromMs) return { window: { fromMs, toMs }, period, finestSeconds }
  const wholeDays = {
    fromMs: Math.floor(fromMs / DAY_MS) * DAY_MS,
    toMs: toMs > retainedFromMs ? toMs : Math.ceil(toMs / DAY_MS) * DAY_MS,
  }
  return { window: wholeDays, period, finestSeconds: Math.max(ROLLUP_SECONDS, sampleIntervalSeconds) }
}

function requestedWindow({ period, from, to }: WindowRequest, nowMs: number): { window: Window; period: string } {
  if (from === undefined && to === undefined) {
    const word = period ?? '1h'
    // A sample taken at this very millisecond belongs to the period.
    return { window: { fromMs: nowMs - METRIC_PERIODS[word], toMs: nowMs + 1 }, period: word }
  }
  if (period !== undefined) throw invalid({ path: 'period', message: 'must not be combined with from and to' })
  if (from === undefined) throw invalid({ path: 'from', message: 'is required with to' })
  if (to === undefined) throw invalid({ path: 'to', message: 'is required with from' })
  const window = { fromMs: instantAt('from', from).getTime(), toMs: instantAt('to', to).getTime() }
  if (window.toMs <= window.fromMs) throw invalid({ path: 'to', message: 'must be after from' })
  if (window.toMs - window.fromMs > MAX_RANGE_MS) throw invalid({ path: 'to', message: 'must be at most 400 days after from' })
  return { window, period: `${new Date(window.fromMs).toISOString()}/${new Date(window.toMs).toISOString()}` }
}
