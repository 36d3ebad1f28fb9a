import { MAX_RULE_SERIES } from '@vedette/shared'
import type { RuleColumns } from '../rules/rule.ts'
import { type QueriedSeries, seriesId } from './answer.ts'
import { evaluateSeries, type SeriesState } from './evaluate-series.ts'

/** Instants of one preview. */
const MAX_STEPS = 2_000

/** Evaluations as far apart as the rule has them, or a multiple of that. Pure. */
export const stepOf = (everySeconds: number, spanMs: number): number =>
  Math.ceil(spanMs / (MAX_STEPS * everySeconds * 1_000)) * everySeconds * 1_000

export interface PreviewedSeries {
  labels: QueriedSeries['labels']
  openedAtMs: number
  resolvedAtMs: number | null
}

/** The incidents that a rule would have opened by the answers at these instants. At one with too many series nothing happens. Pure. */
export function previewSeries(
  rule: Pick<RuleColumns, 'operator' | 'value' | 'clear_value' | 'for_seconds'>,
  series: readonly QueriedSeries[],
  { startMs, endMs, stepMs }: { startMs: number; endMs: number; stepMs: number },
): PreviewedSeries[] {
  const byInstant = new Map<number, Set<string>>()
  const labelsOf = new Map<string, QueriedSeries['labels']>()
  for (const { labels, points } of series) {
    const id = seriesId(labels)
    labelsOf.set(id, labels)
    for (const { atMs } of points) byInstant.set(atMs, (byInstant.get(atMs) ?? new Set()).add(id))
  }
  const all: PreviewedSeries[] = []
  const open = new Map<string, PreviewedSeries>()
  let state: SeriesState = { since: new Map(), open: new Set() }
  for (let atMs = startMs; atMs <= endMs; atMs += stepMs) {
    const answer = byInstant.get(atMs) ?? new Set<string>()
    if (answer.size > MAX_RULE_SERIES) continue
    const { since, opened, resolved } = evaluateSeries(rule, state, answer, atMs)
    for (const id of opened) {
      const incident = { labels: labelsOf.get(id) ?? {}, openedAtMs: atMs, resolvedAtMs: null }
      open.set(id, incident)
      all.push(incident)
    }
    for (const id of resolved) {
      const incident = open.get(id)
      if (incident) incident.resolvedAtMs = atMs
      open.delete(id)
    }
    state = { since, open: new Set(open.keys()) }
  }
  return all
}
