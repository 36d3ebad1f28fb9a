import type { ValueType } from '../model/types.ts'
import { parseError } from '../model/error.ts'
import { isPattern } from '../model/matchers.ts'
import { type Aggregation, type Binary, type Call, COMPARISONS, type Expr, type Selector, SET_OPERATORS } from './ast.ts'
import { FUNCTIONS } from './functions.ts'

const WORDS: Readonly<Record<ValueType, string>> = {
  scalar: 'scalar',
  string: 'string',
  vector: 'instant vector',
  matrix: 'range vector',
}

/** Throws where an expression has a part of a wrong type, in Prometheus' words. Completes the matching of vectors. */
export function checkExpr(expr: Expr, expression: string): ValueType {
  const check = (inner: Expr): ValueType => checkExpr(inner, expression)
  const fail = (at: Expr, message: string): never => {
    throw parseError(expression, at.from, message)
  }
  const expect = (inner: Expr, type: ValueType, context: string): void => {
    const found = check(inner)
    if (found !== type) fail(inner, `expected type ${WORDS[type]} in ${context}, got ${WORDS[found]}`)
  }
  switch (expr.kind) {
    case 'number':
      return 'scalar'
    case 'string':
      return 'string'
    case 'paren':
      return check(expr.expr)
    case 'unary': {
      const type = check(expr.expr)
      if (type !== 'scalar' && type !== 'vector')
        fail(expr, `unary expression only allowed on expressions of type scalar or instant vector, got "${WORDS[type]}"`)
      return type
    }
    case 'selector':
      checkSelector(expr, fail)
      return expr.range ? 'matrix' : 'vector'
    case 'subquery': {
      const type = check(expr.expr)
      if (type !== 'vector') fail(expr, `subquery is only allowed on instant vector, got ${WORDS[type]} instead`)
      return 'matrix'
    }
    case 'aggregation':
      checkAggregation(expr, expect, fail)
      return 'vector'
    case 'call':
      return checkCall(expr, expect, fail)
    case 'binary':
      return checkBinary(expr, check, fail)
  }
}

type Fail = (at: Expr, message: string) => never
type Expect = (inner: Expr, type: ValueType, context: string) => void

function checkSelector(expr: Selector, fail: Fail): void {
  for (const { op, value } of expr.matchers)
    if (op.endsWith('~') && !isPattern(value))
      fail(expr, `${JSON.stringify(value)} is not a regular expression of RE2, or too large`)
  const isBounded = expr.matchers.some(({ op, value }) => {
    if (op === '=') return value !== ''
    if (op === '!=') return value === ''
    return op === '=~' ? !isPattern(value, '') : isPattern(value, '')
  })
  if (!isBounded) fail(expr, 'vector selector must contain at least one non-empty matcher')
}

function checkAggregation(expr: Aggregation, expect: Expect, fail: Fail): void {
  expect(expr.expr, 'vector', 'aggregation expression')
  if (expr.param) expect(expr.param, expr.op === 'count_values' ? 'string' : 'scalar', 'aggregation parameter')
  for (const label of expr.labels) if (label === '') fail(expr, `invalid label name for aggregation: ${JSON.stringify(label)}`)
}

function checkCall(expr: Call, expect: Expect, fail: Fail): ValueType {
  const signature = FUNCTIONS.get(expr.func)
  if (!signature) return fail(expr, `unknown function with name "${expr.func}"`)
  const { args, optional, returns } = signature
  const [least, most] = optional < 0 ? [args.length - 1, Infinity] : [args.length - optional, args.length]
  const given = expr.args.length
  if (given < least || given > most) {
    const bound = least === most ? `${least}` : given < least ? `at least ${least}` : `at most ${most}`
    fail(expr, `expected ${bound} argument(s) in call to "${expr.func}", got ${given}`)
  }
  for (const [index, arg] of expr.args.entries())
    expect(arg, args[Math.min(index, args.length - 1)] ?? 'vector', `call to function "${expr.func}"`)
  return returns
}

function checkBinary(expr: Binary, check: (inner: Expr) => ValueType, fail: Fail): ValueType {
  const [left, right] = [check(expr.left), check(expr.right)]
  for (const [side, type] of [
    [expr.left, left],
    [expr.right, right],
  ] as const)
    if (type !== 'scalar' && type !== 'vector') fail(side, 'binary expression must contain only scalar and instant vector types')
  const isComparison = COMPARISONS.has(expr.op)
  if (expr.bool && !isComparison) fail(expr, 'bool modifier can only be used on comparison operators')
  if (isComparison && !expr.bool && left === 'scalar' && right === 'scalar')
    fail(expr, 'comparisons between scalars must use BOOL modifier')
  if (left === 'vector' && right === 'vector') {
    expr.matching ??= { cardinality: 'one-to-one', on: false, labels: [], include: [] }
    const both = expr.matching.on ? expr.matching.labels.find((label) => expr.matching?.include.includes(label)) : undefined
    if (both !== undefined) fail(expr, `label "${both}" must not occur in ON and GROUP clause at once`)
    return 'vector'
  }
  if (SET_OPERATORS.has(expr.op)) fail(expr, `set operator "${expr.op}" not allowed in binary scalar expression`)
  if (expr.matching && (expr.matching.labels.length > 0 || expr.matching.cardinality !== 'one-to-one'))
    fail(expr, 'vector matching only allowed between instant vectors')
  return left === 'scalar' && right === 'scalar' ? 'scalar' : 'vector'
}
