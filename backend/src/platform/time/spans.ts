/** A time from an instant to another one, exclusive, ms. */
export interface Span {
  fromMs: number
  toMs: number
}

/** The span at an instant. Pure. */
export const spanAt = <T extends Span>(spans: readonly T[], atMs: number): T | undefined =>
  spans.find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs)

/** The parts of spans that lie within others. Each of the two lists is ordered and without overlaps. Pure. */
export function intersect<T extends Span>(spans: readonly T[], within: readonly Span[]): T[] {
  const result: T[] = []
  let first = 0
  for (const span of spans) {
    while (first < within.length && (within[first] as Span).toMs <= span.fromMs) first += 1
    for (let index = first; index < within.length && (within[index] as Span).fromMs < span.toMs; index += 1) {
      const { fromMs, toMs } = within[index] as Span
      result.push({ ...span, fromMs: Math.max(fromMs, span.fromMs), toMs: Math.min(toMs, span.toMs) })
    }
  }
  return result
}

/** What is left of spans outside of others. Each of the two lists is ordered and without overlaps. Pure. */
export function cutOut<T extends Span>(spans: readonly T[], others: readonly Span[]): T[] {
  const edges = [-Infinity, ...others.flatMap(({ fromMs, toMs }) => [fromMs, toMs]), Infinity]
  const outside = Array.from({ length: edges.length / 2 }, (_, index) => ({
    fromMs: edges[2 * index] as number,
    toMs: edges[2 * index + 1] as number,
  }))
  return intersect(spans, outside).filter(({ fromMs, toMs }) => fromMs < toMs)
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
