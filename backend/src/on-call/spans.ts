/** A time from an instant to another one, exclusive, ms. */
export interface Span {
  fromMs: number
  toMs: number
}

/** The parts of ordered spans that lie within others, which are ordered and do not overlap. Pure. */
export function intersect<T extends Span>(spans: readonly T[], within: readonly Span[]): T[] {
  return spans.flatMap((span) =>
    within
      .filter(({ fromMs, toMs }) => fromMs < span.toMs && toMs > span.fromMs)
      .map(({ fromMs, toMs }) => ({ ...span, fromMs: Math.max(fromMs, span.fromMs), toMs: Math.min(toMs, span.toMs) })),
  )
}

/** What is left of spans outside of others, which are ordered and do not overlap. Pure. */
export function cutOut<T extends Span>(spans: readonly T[], others: readonly Span[]): T[] {
  return spans.flatMap((span) => {
    const left: T[] = []
    let { fromMs } = span
    for (const other of others) {
      if (other.toMs <= fromMs || other.fromMs >= span.toMs) continue
      if (other.fromMs > fromMs) left.push({ ...span, fromMs, toMs: other.fromMs })
      fromMs = other.toMs
    }
    if (fromMs < span.toMs) left.push({ ...span, fromMs })
    return left
  })
}

/** The same times as ordered spans that neither overlap nor touch. Pure. */
export function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = []
  for (const span of spans.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = result.at(-1)
    if (last && span.fromMs <= last.toMs) last.toMs = Math.max(last.toMs, span.toMs)
    else result.push({ ...span })
  }
  return result
}
