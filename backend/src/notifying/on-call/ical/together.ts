import type { Span } from '../../../platform/time/spans.ts'

/** A time in which one person is on duty. */
export interface PersonSpan extends Span {
  userId: string
}

/** A time in which the same people are on duty. */
export interface TogetherSpan extends Span {
  userIds: string[]
}

/** The times of people, which may overlap, as ordered times without overlaps in which the same people are on duty. Pure. */
export function togetherIn(spans: readonly PersonSpan[]): TogetherSpan[] {
  const sorted = spans.toSorted((one, other) => one.fromMs - other.fromMs)
  const edges = [...new Set(sorted.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].toSorted((one, other) => one - other)
  let active: PersonSpan[] = []
  let next = 0
  return edges.slice(0, -1).flatMap((fromMs, index) => {
    while (next < sorted.length && (sorted[next] as PersonSpan).fromMs <= fromMs) active.push(sorted[next++] as PersonSpan)
    active = active.filter(({ toMs }) => toMs > fromMs)
    const userIds = [...new Set(active.map(({ userId }) => userId))]
    return userIds.length === 0 ? [] : [{ fromMs, toMs: edges[index + 1] as number, userIds }]
  })
}

/** The times of each person, by their start; those that follow each other are one. Pure. */
export function personSpansOf(spans: readonly TogetherSpan[]): PersonSpan[] {
  const result: PersonSpan[] = []
  const lastOf = new Map<string, PersonSpan>()
  for (const { userIds, fromMs, toMs } of spans.toSorted((one, other) => one.fromMs - other.fromMs))
    for (const userId of userIds) {
      const last = lastOf.get(userId)
      if (last?.toMs === fromMs) last.toMs = toMs
      else {
        const begun = { userId, fromMs, toMs }
        lastOf.set(userId, begun)
        result.push(begun)
      }
    }
  return result
}
