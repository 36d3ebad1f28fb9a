import { DAY_MS } from '@vedette/shared'
import type { LabelSet, ReceivedSeries } from '../decoding/index.ts'
import { joinSamples, type Samples } from '../storage/samples.ts'

/** How far samples may be ahead of the clock, and how old they may be, ms. */
export const MAX_AHEAD_MS = 5 * 60_000
export const MAX_AGE_MS = 8 * DAY_MS

export interface Accepted {
  /** In order, each instant once. */
  samples: Map<LabelSet, Samples>
  refused: { reason: string; points: number }[]
}

/** The samples whose instants may be right, by series. Pure. */
export function acceptSamples(series: readonly Pick<ReceivedSeries, 'labels' | 'times' | 'values'>[], nowMs: number): Accepted {
  const [from, to] = [nowMs - MAX_AGE_MS, nowMs + MAX_AHEAD_MS]
  let [early, late] = [0, 0]
  const pieces = new Map<LabelSet, Samples[]>()
  for (const { labels, times, values } of series) {
    let [first, end] = [0, times.length]
    while (first < end && (times[first] as number) < from) first += 1
    while (end > first && (times[end - 1] as number) > to) end -= 1
    early += first
    late += times.length - end
    if (first === end) continue
    const own = pieces.get(labels) ?? []
    if (own.length === 0) pieces.set(labels, own)
    own.push({ atMs: times.subarray(first, end), values: values.subarray(first, end) })
  }
  const refused = []
  if (early > 0) refused.push({ reason: 'older than 8 days', points: early })
  if (late > 0) refused.push({ reason: 'more than 5 minutes ahead of the clock of the backend', points: late })
  return { samples: new Map([...pieces].map(([labels, own]) => [labels, joinSamples(own)])), refused }
}
