import { shiftSteps, type Steps, countSteps } from '../planning/plan.ts'
import { isStale, setStale } from '../model/stale.ts'
import type { Selector } from '../syntax/ast.ts'
import type { SeriesData } from '../model/types.ts'
import { type Column, isEmpty } from './columns.ts'
import type { Evaluation } from './context.ts'
import { toLabels } from './labels.ts'

/** What an instant selector finds for a step: the value, or the instant of the sample. */
export function selectInstants(
  evaluation: Evaluation,
  selector: Selector,
  steps: Steps,
  wanted: 'value' | 'instant' = 'value',
): Column[] {
  const columns: Column[] = []
  const count = countSteps(steps)
  for (const series of evaluation.seriesOf(selector.id)) {
    const column = evaluation.createColumn(series.labels, count)
    const lookbackMs = series.lookbackMs ?? evaluation.window.lookbackMs
    fillInstants(series, column, shiftSteps(selector, steps, evaluation.window), lookbackMs, wanted)
    if (isEmpty(column)) evaluation.release(column)
    else columns.push(column)
  }
  return columns
}

/** Of each step the last sample in (step − lookback, step], unless it is a stale marker. */
function fillInstants(
  { atMs, values }: SeriesData,
  column: Column,
  steps: Steps,
  lookbackMs: number,
  wanted: 'value' | 'instant',
): void {
  let index = -1
  for (let step = 0; step < column.present.length; step++) {
    const stepAtMs = steps.startMs + step * steps.stepMs
    while (index + 1 < atMs.length && (atMs[index + 1] ?? Infinity) <= stepAtMs) index++
    if (index < 0) continue
    const foundAtMs = atMs[index] ?? -Infinity
    if (foundAtMs <= stepAtMs - lookbackMs || isStale(values, index)) continue
    column.values[step] = wanted === 'value' ? (values[index] ?? NaN) : foundAtMs / 1_000
    column.present[step] = 1
  }
}

/** The series as it is read, with its labels in order. */
export const prepareSeries = (series: SeriesData): SeriesData => ({ ...series, labels: toLabels(series.labels) })

function copySample(
  atMs: Float64Array,
  values: Float64Array,
  from: number,
  target: { atMs: Float64Array; values: Float64Array },
  to: number,
): void {
  target.atMs[to] = atMs[from] ?? NaN
  if (isStale(values, from)) setStale(target.values, to)
  else target.values[to] = values[from] ?? NaN
}

/** The series without its stale markers: a range selector does not see them. */
export function withoutStale(series: SeriesData): SeriesData {
  const { atMs, values } = series
  let stale = 0
  for (let index = 0; index < values.length; index++) if (isStale(values, index)) stale++
  if (stale === 0) return series
  const kept = { atMs: new Float64Array(atMs.length - stale), values: new Float64Array(atMs.length - stale) }
  for (let from = 0, to = 0; from < atMs.length; from++) if (!isStale(values, from)) copySample(atMs, values, from, kept, to++)
  return { labels: series.labels, ...kept }
}
