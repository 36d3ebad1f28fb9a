import { formatNumber } from '../model/numbers.ts'
import { executionError } from '../model/error.ts'
import { countSteps, rangeOf, shiftSteps, type Steps, subquerySteps } from '../planning/plan.ts'
import { type Call, type Expr, type Selector, type Subquery, withoutParens } from '../syntax/ast.ts'
import type { SeriesData } from '../model/types.ts'
import { type Column, createColumn, isEmpty, refuseDuplicates } from './columns.ts'
import type { Evaluation } from './context.ts'
import { type Labels, NAME, valueOf, withLabel, withoutMetadata } from './labels.ts'
import { KEEPS_NAME, RANGE_FUNCTIONS, type Range } from './range-functions.ts'
import { withoutStale } from './selectors.ts'

type Matrix = Selector | Subquery

/** A function over the ranges of a selector or a subquery. */
export function callRangeFunction(evaluation: Evaluation, call: Call, steps: Steps): Column[] {
  const [matrix, parameter] = split(call)
  const parameters = parameter && evaluation.scalar(parameter, steps)
  const compute = RANGE_FUNCTIONS[call.func]
  if (!compute) throw executionError(`${call.func}() cannot be evaluated`)
  const { series, shifted, rangeMs } = readMatrix(evaluation, matrix, steps)
  const columns: Column[] = []
  for (const one of series) {
    const labels = KEEPS_NAME.has(call.func) ? one.labels : withoutMetadata(one.labels)
    const column = evaluation.createColumn(labels, countSteps(steps))
    fill(one, column, { steps, shifted, rangeMs }, (range, step) => compute(range, parameters?.[step] ?? NaN))
    if (isEmpty(column)) {
      evaluation.release(column)
      continue
    }
    columns.push(column)
    if (call.func === 'rate' || call.func === 'increase') informOfGauge(evaluation, one.labels, matrix)
  }
  if (call.func === 'quantile_over_time' && parameters && parameter) {
    const used = parameters.filter((_, step) => columns.some(({ present }) => present[step] === 1))
    warnOfQuantiles(evaluation, used, parameter.from)
  }
  return call.func === 'absent_over_time' ? absent(columns, absentLabels(matrix), countSteps(steps)) : refuseDuplicates(columns)
}

/** The argument that is a range, and the other one. */
function split(call: Call): [Matrix, Expr | undefined] {
  const isMatrix = (expr: Expr): expr is Matrix =>
    expr.kind === 'subquery' || (expr.kind === 'selector' && expr.range !== undefined)
  const args = call.args.map(withoutParens)
  const matrix = args.find(isMatrix)
  if (!matrix) throw executionError(`${call.func}() needs a range`)
  return [matrix, args.find((arg) => arg !== matrix)]
}

/** Of a range vector: its series without stale markers, and where the range of each step ends. */
export function readMatrix(
  evaluation: Evaluation,
  matrix: Matrix,
  steps: Steps,
): { series: readonly SeriesData[]; shifted: Steps; rangeMs: number } {
  const { window } = evaluation
  const shifted = shiftSteps(matrix, steps, window)
  if (matrix.kind === 'selector') {
    const rangeMs = matrix.range ? rangeOf(matrix.range, window) : 0
    return { series: evaluation.seriesOf(matrix.id).map(withoutStale), shifted, rangeMs }
  }
  const inner = subquerySteps(matrix, steps, window)
  const series = evaluation.vector(matrix.expr, inner).map((column) => toSamples(column, inner))
  return { series, shifted, rangeMs: rangeOf(matrix.range, window) }
}

function toSamples({ labels, values, present }: Column, steps: Steps): SeriesData {
  const count = present.reduce((sum, one) => sum + one, 0)
  const samples = { labels, atMs: new Float64Array(count), values: new Float64Array(count) }
  for (let step = 0, to = 0; step < present.length; step++) {
    if (present[step] === 0) continue
    samples.atMs[to] = steps.startMs + step * steps.stepMs
    samples.values[to++] = values[step] ?? NaN
  }
  return samples
}

function fill(
  { atMs, values }: SeriesData,
  column: Column,
  { steps, shifted, rangeMs }: { steps: Steps; shifted: Steps; rangeMs: number },
  compute: (range: Range, step: number) => number | undefined,
): void {
  const range: Range = { atMs, values, from: 0, to: 0, startMs: 0, endMs: 0, stepAtMs: 0 }
  for (let step = 0; step < column.present.length; step++) {
    range.endMs = shifted.startMs + step * shifted.stepMs
    range.startMs = range.endMs - rangeMs
    range.stepAtMs = steps.startMs + step * steps.stepMs
    while (range.from < atMs.length && (atMs[range.from] ?? Infinity) <= range.startMs) range.from++
    while (range.to < atMs.length && (atMs[range.to] ?? Infinity) <= range.endMs) range.to++
    if (range.to <= range.from) continue
    const value = compute(range, step)
    if (value === undefined) continue
    column.values[step] = value
    column.present[step] = 1
  }
}

const COUNTERS = /_(?:total|sum|count|bucket)$/

function informOfGauge(evaluation: Evaluation, labels: Labels, matrix: Matrix): void {
  const name = valueOf(labels, NAME)
  if (name === '' || COUNTERS.test(name)) return
  evaluation.inform(
    `metric might not be a counter, name does not end in _total/_sum/_count/_bucket: ${JSON.stringify(name)}`,
    matrix.kind === 'selector' ? matrix.from : 0,
  )
}

export function warnOfQuantiles(evaluation: Evaluation, quantiles: Float64Array, at: number): void {
  for (const q of new Set(quantiles))
    if (!(q >= 0 && q <= 1)) evaluation.warn(`quantile value should be between 0 and 1, got ${formatNumber(q)}`, at)
}

/** 1 at each step at which no column has a value. */
export function absent(columns: readonly Column[], labels: Labels, steps: number): Column[] {
  const column = createColumn(labels, steps)
  for (let step = 0; step < steps; step++) {
    if (columns.some(({ present }) => present[step] === 1)) continue
    column.values[step] = 1
    column.present[step] = 1
  }
  return isEmpty(column) ? [] : [column]
}

/** The labels that a selector demands with `=` and no other matcher. */
export function absentLabels(expr: Expr): Labels {
  const selector = withoutParens(expr)
  let labels: Labels = {}
  if (selector.kind !== 'selector') return labels
  const seen = new Set<string>()
  for (const { label, op, value } of selector.matchers) {
    if (label === NAME) continue
    labels = withLabel(labels, label, op === '=' && !seen.has(label) ? value : '')
    if (op === '=') seen.add(label)
  }
  return labels
}
