import { type MaintenanceSpan as Span, mergeSpans } from '../../alerting/alerts/index.ts'

export { mergeSpans, type Span }

/** The instants of the first that are in none of the second; both are in order and do not overlap. Pure. */
export function subtract(spans: readonly Span[], cuts: readonly Span[]): Span[] {
  const left: Span[] = []
  let next = 0
  for (const span of spans) {
    let fromMs = span.fromMs
    while (next > 0 && (cuts[next - 1] as Span).toMs > fromMs) next -= 1
    for (; next < cuts.length && (cuts[next] as Span).fromMs < span.toMs; next += 1) {
      const cut = cuts[next] as Span
      if (cut.fromMs > fromMs) left.push({ fromMs, toMs: cut.fromMs })
      fromMs = Math.max(fromMs, cut.toMs)
    }
    if (fromMs < span.toMs) left.push({ fromMs, toMs: span.toMs })
  }
  return left
}

export const secondsOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs), 0) / 1000
