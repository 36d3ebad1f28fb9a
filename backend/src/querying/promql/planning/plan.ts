import { executionError, PromqlError } from '../model/error.ts'
import type { Aggregation, Call, Duration, Expr, Selector, Shift, Subquery } from '../syntax/ast.ts'
import { parseExpression } from '../syntax/parse.ts'
import type { QueryPlan, QueryWindow, Selection } from '../model/types.ts'

/** The step of a subquery that names none: Prometheus' default interval of evaluation. */
const DEFAULT_STEP_MS = 60_000

/** Instants at which an expression is evaluated. */
export interface Steps {
  startMs: number
  endMs: number
  /** 0 for a single instant. */
  stepMs: number
}

export const countSteps = ({ startMs, endMs, stepMs }: Steps): number =>
  endMs < startMs ? 0 : stepMs === 0 ? 1 : Math.floor((endMs - startMs) / stepMs) + 1

/** What a query reads, before anything is read. Throws a PromqlError. */
export function planQuery(expression: string, window: QueryWindow): QueryPlan {
  const { expr, type } = parseExpression(expression)
  if (window.endMs < window.startMs) throw new PromqlError('bad_data', 'end timestamp must not be before start time')
  if (window.stepMs > 0 && (type === 'matrix' || type === 'string'))
    throw new PromqlError(
      'bad_data',
      `invalid expression type "${type === 'matrix' ? 'range vector' : 'string'}" for range query, must be Scalar or instant Vector`,
    )
  const selections: Selection[] = []
  collect(expr, window, { window, selections, func: undefined, grouping: undefined })
  return { expression, window, type, selections: selections.sort((a, b) => a.id - b.id) }
}

interface Context {
  window: QueryWindow
  selections: Selection[]
  func: string | undefined
  grouping: Selection['grouping']
}

function collect(expr: Expr, steps: Steps, context: Context): void {
  const below: Context = { ...context, grouping: undefined }
  switch (expr.kind) {
    case 'number':
    case 'string':
      return
    case 'paren':
      return collect(expr.expr, steps, context)
    case 'unary':
      return collect(expr.expr, steps, below)
    case 'binary':
      for (const side of [expr.left, expr.right]) collect(side, steps, { ...below, func: undefined })
      return
    case 'call':
    case 'aggregation':
      return collectArguments(expr, steps, below)
    case 'subquery':
      return collect(expr.expr, subquerySteps(expr, steps, context.window), { ...below, func: undefined })
    case 'selector':
      context.selections.push(toSelection(expr, steps, context))
  }
}

function collectArguments(expr: Call | Aggregation, steps: Steps, context: Context): void {
  if (expr.kind === 'call') {
    for (const arg of expr.args) collect(arg, steps, { ...context, func: expr.func })
    return
  }
  if (expr.param) collect(expr.param, steps, { ...context, func: undefined })
  collect(expr.expr, steps, { ...context, func: expr.op, grouping: { labels: expr.labels, without: expr.without } })
}

function toSelection(expr: Selector, steps: Steps, { window, func, grouping }: Context): Selection {
  const rangeMs = expr.range && rangeOf(expr.range, window)
  const { startMs, endMs, stepMs } = shiftSteps(expr, steps, window)
  return {
    id: expr.id,
    matchers: expr.matchers,
    fromMs: startMs - (rangeMs ?? window.lookbackMs),
    toMs: endMs,
    stepMs,
    rangeMs,
    ...(rangeMs === undefined && stepMs > 0 && { instants: { firstMs: startMs, stepMs, lookbackMs: window.lookbackMs } }),
    func,
    grouping,
  }
}

/** Where a selector or subquery looks for each step of its expression; with `@` all steps look at one instant. */
export function shiftSteps(shift: Shift, steps: Steps, window: QueryWindow): Steps {
  const offsetMs = shift.offset ? durationMs(shift.offset, window) : 0
  const { at } = shift
  if (at === undefined) return { startMs: steps.startMs - offsetMs, endMs: steps.endMs - offsetMs, stepMs: steps.stepMs }
  const atMs = (at === 'start' ? window.startMs : at === 'end' ? window.endMs : at) - offsetMs
  return { startMs: atMs, endMs: atMs, stepMs: 0 }
}

/** Steps of a subquery's inner expression: multiples of its step in the range that is open at its left. */
export function subquerySteps(expr: Subquery, steps: Steps, window: QueryWindow): Steps {
  const stepMs = expr.step ? durationMs(expr.step, window) : DEFAULT_STEP_MS
  if (stepMs <= 0) throw new PromqlError('bad_data', 'the step of a subquery must be greater than 0')
  const { startMs, endMs } = shiftSteps(expr, steps, window)
  const afterMs = startMs - rangeOf(expr.range, window)
  return { startMs: (Math.floor(afterMs / stepMs) + 1) * stepMs, endMs, stepMs }
}

export function rangeOf(duration: Duration, window: QueryWindow): number {
  const ms = durationMs(duration, window)
  if (ms <= 0) throw new PromqlError('bad_data', 'duration must be greater than 0')
  return ms
}

/** 1,000 years: longer durations leave the exact integers once they are multiplied. */
const MAX_DURATION_MS = 1_000 * 365 * 86_400_000

export function durationMs(duration: Duration, window: QueryWindow): number {
  const ms = Math.round(secondsOf(duration, window) * 1_000)
  if (!(Math.abs(ms) <= MAX_DURATION_MS)) throw executionError('a duration must be at most 1,000 years')
  return ms
}

/** In seconds, because a factor is a plain number: `5m * 2`. */
function secondsOf(duration: Duration, window: QueryWindow): number {
  if (duration.kind === 'literal') return duration.ms / 1_000
  if (duration.kind === 'window') return (duration.of === 'step' ? window.stepMs : window.endMs - window.startMs) / 1_000
  const [left = NaN, right = NaN] = duration.operands.map((operand) => secondsOf(operand, window))
  switch (duration.op) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return left / right
    case '%':
      return left % right
    case '^':
      return left ** right
    default:
      return duration.op === 'min' ? Math.min(left, right) : Math.max(left, right)
  }
}
