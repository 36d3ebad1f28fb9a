import { executionError, PromqlError } from '../model/error.ts'
import { countSteps, type Steps } from '../planning/plan.ts'
import { type Expr, withoutParens } from '../syntax/ast.ts'
import { parseExpression } from '../syntax/parse.ts'
import type { Bounds, QueryPlan, QueryResult, SeriesData } from '../model/types.ts'
import { aggregate } from './aggregations.ts'
import { evaluateBinary } from './binary.ts'
import { type Column, columnBytes, createColumn, mergeColumns, refuseDuplicates, sizeOf } from './columns.ts'
import { createAnnotations, type Evaluation, MAX_BYTES, MAX_POINTS, MAX_SAMPLES, tooLarge, type Value } from './context.ts'
import { callFunction } from './functions.ts'
import { compareLabels, withoutMetadata } from './labels.ts'
import { readMatrix } from './ranges.ts'
import { prepareSeries, selectInstants } from './selectors.ts'

/** An instant and a value. */
const SAMPLE_BYTES = 16

/** Computes a query from the series of its selections, by their id. Throws a PromqlError. */
export function evaluate(plan: QueryPlan, data: ReadonlyMap<number, readonly SeriesData[]>, bounds: Bounds = {}): QueryResult {
  const { window, expression } = plan
  const { maxSamples = MAX_SAMPLES, maxPoints = MAX_POINTS, maxBytes = MAX_BYTES } = bounds
  if (countSteps(window) > maxPoints)
    throw new PromqlError(
      'bad_data',
      `exceeded maximum resolution of ${maxPoints.toLocaleString('en')} points per timeseries. Try decreasing the query resolution (?step=XX)`,
    )
  const samplesRead = countSamples(data)
  if (samplesRead > maxSamples)
    throw executionError(`query processing would load too many samples into memory: ${samplesRead}, at most ${maxSamples}`)
  const annotations = createAnnotations(expression)
  const evaluation = createEvaluation(plan, data, { ...annotations, maxBytes })
  const { expr } = parseExpression(expression)
  const result = answer(evaluation, expr)
  return { ...result, ...annotations.all(), samplesRead }
}

const countSamples = (data: ReadonlyMap<number, readonly SeriesData[]>): number =>
  [...data.values()].flat().reduce((sum, { atMs }) => sum + atMs.length, 0)

function createEvaluation(
  { window, expression }: QueryPlan,
  data: ReadonlyMap<number, readonly SeriesData[]>,
  { warn, inform, maxBytes }: Pick<Evaluation, 'warn' | 'inform'> & { maxBytes: number },
): Evaluation {
  const prepared = new Map<number, readonly SeriesData[]>()
  let heldBytes = 0
  function hold(bytes: number): void {
    heldBytes += bytes
    if (heldBytes > maxBytes) throw tooLarge(maxBytes)
  }
  hold(SAMPLE_BYTES * countSamples(data))
  const evaluation: Evaluation = {
    expression,
    window,
    warn,
    inform,
    createColumn(labels, steps) {
      hold(columnBytes(steps))
      return createColumn(labels, steps)
    },
    release: (column) => hold(-sizeOf([column])),
    seriesOf(id) {
      const series = prepared.get(id) ?? (data.get(id) ?? []).map(prepareSeries).sort((a, b) => compareLabels(a.labels, b.labels))
      prepared.set(id, series)
      return series
    },
    // Of an expression only its result is held once it is computed.
    evaluate(expr, steps) {
      const before = heldBytes
      // A scalar, and what is made for each step in addition to columns.
      hold(countSteps(steps) * 8)
      const value = evaluateExpr(evaluation, expr, steps)
      heldBytes = before
      hold(value.type === 'vector' ? sizeOf(value.columns) : value.type === 'scalar' ? value.values.byteLength : 0)
      return value
    },
    vector(expr, steps) {
      const value = evaluation.evaluate(expr, steps)
      if (value.type !== 'vector') throw executionError('an instant vector is needed')
      return value.columns
    },
    scalar(expr, steps) {
      const value = evaluation.evaluate(expr, steps)
      if (value.type !== 'scalar') throw executionError('a scalar is needed')
      return value.values
    },
  }
  return evaluation
}

function evaluateExpr(evaluation: Evaluation, expr: Expr, steps: Steps): Value {
  switch (expr.kind) {
    case 'number':
      return { type: 'scalar', values: new Float64Array(countSteps(steps)).fill(expr.value) }
    case 'string':
      return { type: 'string', value: expr.value }
    case 'paren':
      return evaluation.evaluate(expr.expr, steps)
    case 'unary':
      return negate(evaluation.evaluate(expr.expr, steps), expr.op)
    case 'selector':
      return { type: 'vector', columns: selectInstants(evaluation, expr, steps) }
    case 'subquery':
      throw executionError('a subquery has no value of one instant')
    case 'call':
      return callFunction(evaluation, expr, steps)
    case 'aggregation':
      return { type: 'vector', columns: aggregate(evaluation, expr, steps) }
    case 'binary':
      return evaluateBinary(evaluation, expr, steps)
  }
}

function negate(value: Value, op: '-' | '+'): Value {
  if (op === '+' || value.type === 'string') return value
  if (value.type === 'scalar') return { type: 'scalar', values: value.values.map((one) => -one) }
  const columns = value.columns.map(({ labels, values, present }) => ({
    labels: withoutMetadata(labels),
    values: values.map((one) => -one),
    present,
  }))
  return { type: 'vector', columns: refuseDuplicates(columns) }
}

function answer(evaluation: Evaluation, expr: Expr) {
  const { window } = evaluation
  const isInstant = window.stepMs === 0
  const top = withoutParens(expr)
  if (isInstant && (top.kind === 'subquery' || (top.kind === 'selector' && top.range))) {
    const { series, shifted, rangeMs } = readMatrix(evaluation, top, window)
    const samples = series
      .map(({ labels, atMs, values }) => {
        const [from, to] = [
          atMs.findIndex((at) => at > shifted.startMs - rangeMs),
          atMs.findLastIndex((at) => at <= shifted.startMs) + 1,
        ]
        return from < 0
          ? { labels, atMs: atMs.subarray(0, 0), values: values.subarray(0, 0) }
          : { labels, atMs: atMs.subarray(from, to), values: values.subarray(from, to) }
      })
      .filter(({ atMs }) => atMs.length > 0)
    return { resultType: 'matrix' as const, samples }
  }
  const value = evaluation.evaluate(expr, window)
  if (value.type === 'string') return { resultType: 'string' as const, atMs: window.startMs, value: value.value }
  if (isInstant && value.type === 'scalar')
    return { resultType: 'scalar' as const, atMs: window.startMs, value: value.values[0] ?? NaN }
  if (value.type === 'scalar') return { resultType: 'matrix' as const, ...window, series: scalarSeries(value.values) }
  const series = mergeColumns(value.columns)
  if (isInstant) return { resultType: 'vector' as const, atMs: window.startMs, series }
  return { resultType: 'matrix' as const, ...window, series: series.sort((a, b) => compareLabels(a.labels, b.labels)) }
}

const scalarSeries = (values: Float64Array): Column[] => [{ labels: {}, values, present: new Uint8Array(values.length).fill(1) }]
