import { isWatched, type MonitorStatus } from '@vedette/shared'
import type { Span } from '../../../platform/time/spans.ts'

/** A status of a composite, as long as it lasted. */
export interface StatusSpan extends Span {
  status: MonitorStatus
}

/** Milliseconds by status. Pauses are not counted. */
export interface TimeCounts {
  /** Up, degraded and down. */
  counted: number
  down: number
  degraded: number
}

export interface StatusChange {
  atMs: number
  from: MonitorStatus
  to: MonitorStatus
}

/** The statuses of a span by the changes after its begin, in order; `status` is that of now. Pure. */
export function statusSpans(changes: readonly StatusChange[], status: MonitorStatus, { fromMs, toMs }: Span): StatusSpan[] {
  const spans: StatusSpan[] = []
  let [at, now] = [fromMs, changes[0]?.from ?? status]
  const end = (untilMs: number) => {
    const until = Math.min(untilMs, toMs)
    if (at < until) spans.push({ fromMs: at, toMs: until, status: now })
    at = Math.max(at, until)
  }
  for (const change of changes) {
    end(change.atMs)
    now = change.to
  }
  end(toMs)
  return spans
}

/** The time in a span, without what the other spans exclude, which are in order and apart. Pure. */
export function countTime(spans: readonly StatusSpan[], { fromMs, toMs }: Span, excluded: readonly Span[] = []): TimeCounts {
  const counts: TimeCounts = { counted: 0, down: 0, degraded: 0 }
  for (const span of spans) {
    if (!isWatched(span.status)) continue
    const [from, to] = [Math.max(span.fromMs, fromMs), Math.min(span.toMs, toMs)]
    if (from >= to) continue
    const left = excluded.reduce((ms, one) => ms - Math.max(0, Math.min(one.toMs, to) - Math.max(one.fromMs, from)), to - from)
    counts.counted += left
    if (span.status !== 'up') counts[span.status] += left
  }
  return counts
}
