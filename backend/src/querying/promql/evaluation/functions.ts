import { executionError } from '../model/error.ts'
import { countSteps, type Steps } from '../planning/plan.ts'
import { type Call, type Expr, withoutParens } from '../syntax/ast.ts'
import { type Column, mergeColumns } from './columns.ts'
import type { Evaluation, Value } from './context.ts'
import { histogramQuantile } from './histograms.ts'
import { joinLabels, replaceLabel } from './label-functions.ts'
import { withoutMetadata } from './labels.ts'
import { DATES, MATHS, clamp, dateOf, round } from './maths.ts'
import { absent, absentLabels, callRangeFunction } from './ranges.ts'
import { RANGE_FUNCTIONS } from './range-functions.ts'
import { selectInstants } from './selectors.ts'

/** The value of a call whose arguments have the right types. */
export function callFunction(evaluation: Evaluation, call: Call, steps: Steps): Value {
  if (call.func === 'time' || call.func === 'pi' || call.func === 'scalar')
    return { type: 'scalar', values: callScalar(evaluation, call, steps) }
  if (call.func in RANGE_FUNCTIONS) return { type: 'vector', columns: callRangeFunction(evaluation, call, steps) }
  return { type: 'vector', columns: callVector(evaluation, call, steps) }
}

function callScalar(evaluation: Evaluation, { func, args }: Call, steps: Steps): Float64Array {
  const values = new Float64Array(countSteps(steps)).fill(func === 'pi' ? Math.PI : NaN)
  if (func === 'time') return values.map((_, step) => (steps.startMs + step * steps.stepMs) / 1_000)
  if (func === 'pi' || !args[0]) return values
  const columns = evaluation.vector(args[0], steps)
  return values.map((_, step) => {
    const found = columns.filter(({ present }) => present[step] === 1)
    return found.length === 1 ? (found[0]?.values[step] ?? NaN) : NaN
  })
}

function callVector(evaluation: Evaluation, call: Call, steps: Steps): Column[] {
  const { func, args } = call
  const [first, second, third] = args
  const count = countSteps(steps)
  if (func in DATES && !first) return constant(evaluation.scalar(TIME, steps).map((seconds) => dateOf(func, seconds)))
  if (!first) throw executionError(`${func}() needs an argument`)
  if (func === 'vector') return constant(Float64Array.from(evaluation.scalar(first, steps)))
  if (func === 'histogram_quantile' && second) return histogramQuantile(evaluation, call, steps)
  if (func === 'timestamp') return timestamps(evaluation, first, steps)
  const columns = evaluation.vector(first, steps)
  switch (func) {
    case 'absent':
      return absent(columns, absentLabels(first), count)
    case 'sort':
    case 'sort_desc':
      return steps.stepMs === 0 || count === 1 ? sortByValue(columns, func === 'sort' ? 1 : -1) : columns
    case 'label_replace':
      return replaceLabel(columns, args)
    case 'label_join':
      return joinLabels(columns, args)
  }
  const parameters = [second, third].map((arg) => arg && evaluation.scalar(arg, steps))
  const [low, high] = parameters
  return mapColumns(evaluation, columns, (value, step) => compute(func, value, low?.[step], high?.[step]))
}

/** Undefined: the step has no value. */
function compute(func: string, value: number, low: number | undefined, high: number | undefined): number | undefined {
  if (func === 'clamp') return clamp(value, low ?? NaN, high ?? NaN)
  if (func === 'clamp_min') return clamp(value, low ?? NaN, Infinity)
  if (func === 'clamp_max') return clamp(value, -Infinity, low ?? NaN)
  if (func === 'round') return round(value, low ?? 1)
  if (func in DATES) return dateOf(func, value)
  const maths = MATHS[func]
  if (!maths) throw executionError(`${func}() cannot be evaluated`)
  return maths(value)
}

const TIME: Call = { kind: 'call', func: 'time', args: [], from: 0, to: 0 }

const constant = (values: Float64Array): Column[] => [{ labels: {}, values, present: new Uint8Array(values.length).fill(1) }]

/** New values without the names of metrics. */
export function mapColumns(
  evaluation: Evaluation,
  columns: readonly Column[],
  compute: (value: number, step: number) => number | undefined,
): Column[] {
  const mapped = columns.map(({ labels, values, present }) => {
    const column = evaluation.createColumn(withoutMetadata(labels), present.length)
    for (let step = 0; step < present.length; step++) {
      if (present[step] === 0) continue
      const value = compute(values[step] ?? NaN, step)
      if (value === undefined) continue
      column.values[step] = value
      column.present[step] = 1
    }
    return column
  })
  return mergeColumns(mapped)
}

/** Of a selector the instants of its samples, of any other expression those of the steps. */
function timestamps(evaluation: Evaluation, expr: Expr, steps: Steps): Column[] {
  const selector = withoutParens(expr)
  if (selector.kind === 'selector')
    return mapColumns(evaluation, selectInstants(evaluation, selector, steps, 'instant'), (seconds) => seconds)
  return mapColumns(evaluation, evaluation.vector(expr, steps), (_, step) => (steps.startMs + step * steps.stepMs) / 1_000)
}

/** NaN is last in both directions. */
function sortByValue(columns: readonly Column[], direction: 1 | -1): Column[] {
  return [...columns].sort(({ values: [a = NaN] }, { values: [b = NaN] }) => {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
    return a === b ? 0 : a < b ? -direction : direction
  })
}
