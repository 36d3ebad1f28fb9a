import { formatDecimal } from '../model/numbers.ts'
import type { Duration, Expr, Selector, Shift } from './ast.ts'
import { FUNCTIONS } from './functions.ts'
import { parseExpression } from './parse.ts'

/** The tree of an expression as Prometheus' `parse_query` answers it. Throws a PromqlError. */
export const parseQuery = (expression: string): unknown => toJson(parseExpression(expression).expr)

function toJson(expr: Expr): unknown {
  switch (expr.kind) {
    case 'number':
      return { type: 'numberLiteral', val: formatDecimal(expr.value) }
    case 'string':
      return { type: 'stringLiteral', val: expr.value }
    case 'paren':
      return { type: 'parenExpr', expr: toJson(expr.expr) }
    case 'unary':
      return { type: 'unaryExpr', op: expr.op, expr: toJson(expr.expr) }
    case 'selector':
      return selectorToJson(expr)
    case 'subquery':
      return { type: 'subquery', expr: toJson(expr.expr), range: msOf(expr.range), ...shiftToJson(expr), step: msOf(expr.step) }
    case 'call':
      return { type: 'call', func: functionToJson(expr.func), args: expr.args.map(toJson) }
    case 'aggregation': {
      const { op, param, labels, without } = expr
      return { type: 'aggregation', op, expr: toJson(expr.expr), param: param ? toJson(param) : null, grouping: labels, without }
    }
    case 'binary': {
      const { op, matching, bool } = expr
      const { cardinality, on = false, labels = [], include = [] } = matching ?? {}
      return {
        type: 'binaryExpr',
        op,
        lhs: toJson(expr.left),
        rhs: toJson(expr.right),
        matching: cardinality ? { card: cardinality, labels, on, include } : null,
        bool,
      }
    }
  }
}

function selectorToJson(expr: Selector): object {
  const matchers = expr.matchers.map(({ label, op, value }) => ({ name: label, value, type: op }))
  const common = { name: expr.name ?? '', ...shiftToJson(expr), matchers }
  return expr.range ? { type: 'matrixSelector', ...common, range: msOf(expr.range) } : { type: 'vectorSelector', ...common }
}

/** Of an operation on durations Prometheus answers 0. */
const msOf = (duration: Duration | undefined): number => {
  if (duration?.kind === 'literal') return duration.ms
  const [zero, negated] = duration?.kind === 'operation' && duration.op === '-' ? duration.operands : []
  return zero?.kind === 'literal' && zero.ms === 0 && negated?.kind === 'literal' ? -negated.ms : 0
}

const shiftToJson = ({ offset, at }: Shift): object => ({
  offset: msOf(offset),
  timestamp: typeof at === 'number' ? at : null,
  startOrEnd: typeof at === 'string' ? at : null,
})

function functionToJson(name: string): object {
  const { args = [], optional = 0, returns } = FUNCTIONS.get(name) ?? {}
  return { name, argTypes: args, variadic: optional, returnType: returns }
}
