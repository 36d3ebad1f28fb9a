import type { ValueType } from '../model/types.ts'
import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import { PromqlError } from '../model/error.ts'
import { type Expr, WITH_PARAMETER } from './ast.ts'
import { checkExpr } from './check.ts'
import { REFUSED_FUNCTIONS } from './functions.ts'
import { signOf, toNumber } from './numbers.ts'
import { type Operator, POWER, toOperator } from './operators.ts'
import { toSelector, withSuffix } from './selectors.ts'
import { createSource, expressionsIn, labelsOf, type Source } from './source.ts'

/** A longer text is rejected before it is parsed. */
export const MAX_EXPRESSION_LENGTH = 65_536
/** Nested expressions, and operations in a row: more could exhaust the stack. */
const MAX_DEPTH = 250

type Item = Expr | Operator | { sign: '-' | '+'; from: number }

/** The expression as a tree whose types are right, and its own type. Throws a PromqlError of kind `bad_data`. */
export function parseExpression(expression: string): { expr: Expr; type: ValueType } {
  if (expression.length > MAX_EXPRESSION_LENGTH)
    throw new PromqlError('bad_data', `the query has ${expression.length} characters, at most ${MAX_EXPRESSION_LENGTH}`)
  const expr = readTree(expression.replaceAll(POINT, (token) => (/^\d/.test(token) ? token.replace('.', ' ') : token)))
  return { expr, type: checkExpr(expr, expression) }
}

/** Strings, comments, and numbers that end with a point, as `2.`: the grammar does not know these. */
const POINT = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#[^\n]*|(?<![\w.:])\d+\.(?![\w.])/gs

function readTree(expression: string): Expr {
  const source = createSource(expression)
  const { topNode } = parser.parse(expression)
  if (expression.trim() === '') source.fail(topNode, 'no expression found in input')
  refuseErrors(topNode, expression, source)
  return toWhole(source, expressionsIn(topNode)[0] ?? source.fail(topNode, 'no expression found in input'))
}

function refuseErrors(top: SyntaxNode, expression: string, source: Source): void {
  let error: SyntaxNode | undefined
  top.cursor().iterate((node) => {
    if (node.type.isError) error ??= node.node
  })
  if (!error) return
  const name = /([A-Za-z_]\w*)\s*$/.exec(expression.slice(0, error.from))?.[1]
  if (name !== undefined && expression[error.from] === '(')
    source.fail({ from: error.from - name.length }, `unknown function with name "${name}"`)
  const text = expression.slice(error.from, error.from + 20)
  source.fail(error, text.trim() === '' ? 'unexpected end of input' : `unexpected ${JSON.stringify(text)}`)
}

/** Of a whole expression. */
const toWhole = (source: Source, node: SyntaxNode): Expr => arrange(source, flatten(source, node), 0)

function toExpr(source: Source, node: SyntaxNode): Expr {
  const span = { from: node.from, to: node.to }
  const inner = (): SyntaxNode => expressionsIn(node)[0] ?? source.fail(node, 'an expression is missing')
  switch (node.name) {
    case 'ParenExpr':
      return { ...span, kind: 'paren', expr: toWhole(source, inner()) }
    case 'StringLiteral':
      return { ...span, kind: 'string', value: source.stringOf(node) }
    case 'VectorSelector':
      return toSelector(source, node)
    case 'FunctionCall':
      return toCall(source, node)
    case 'AggregateExpr':
      return toAggregation(source, node)
    default:
      return source.fail(node, `${source.textOf(node)} is an experimental feature of Prometheus and is not supported`)
  }
}

/**
 * Operands, signs and operators in their order. The grammar gives a range, an offset or a sign after or before an operation to the whole
 * of it; here it belongs to the next operand, and `arrange` joins them by their precedence.
 */
function flatten(source: Source, node: SyntaxNode): Item[] {
  if (++source.depth > MAX_DEPTH) source.fail(node, `expressions are nested more than ${MAX_DEPTH} deep`)
  const items = flattenNode(source, node)
  source.depth--
  return items
}

function flattenNode(source: Source, node: SyntaxNode): Item[] {
  const [first, second] = expressionsIn(node)
  switch (node.name) {
    case 'BinaryExpr':
      if (!first || !second) return source.fail(node, 'an operand is missing')
      return [...flatten(source, first), toOperator(source, node), ...flatten(source, second)]
    case 'UnaryExpr':
      return first ? [...toSign(source, node), ...flatten(source, first)] : source.fail(node, 'an operand is missing')
    case 'NumberDurationLiteral':
      return [...toSign(source, node), toNumber(source, node)]
    case 'MatrixSelector':
    case 'SubqueryExpr':
    case 'OffsetExpr':
    case 'StepInvariantExpr': {
      const items = first ? flatten(source, first) : []
      const last = items.at(-1)
      if (!last || !('kind' in last)) return source.fail(node, 'an expression is missing')
      return [...items.slice(0, -1), withSuffix(source, last, node)]
    }
    default:
      return [toExpr(source, node)]
  }
}

function toSign(source: Source, node: SyntaxNode): Item[] {
  const sign = signOf(source, node)
  return sign ? [{ sign, from: node.from }] : []
}

/** Takes items from the front, up to an operator that binds less than the given precedence. */
function arrange(source: Source, items: Item[], least: number): Expr {
  let left = takeOperand(source, items)
  for (;;) {
    const [next] = items
    if (!next || !('precedence' in next) || next.precedence < least) return left
    items.shift()
    const right = arrange(source, items, next.op === '^' ? next.precedence : next.precedence + 1)
    const { precedence: _, ...operator } = next
    left = { kind: 'binary', ...operator, left, right, from: left.from, to: right.to }
  }
}

function takeOperand(source: Source, items: Item[]): Expr {
  const item = items.shift()
  if (item && 'kind' in item) return item
  if (!item || !('sign' in item)) return source.fail({ from: 0 }, 'an operand is missing')
  const expr = arrange(source, items, POWER)
  // A sign before a number is part of it.
  if (expr.kind === 'number') return { ...expr, value: item.sign === '-' ? -expr.value : expr.value, from: item.from }
  return { kind: 'unary', op: item.sign, expr, from: item.from, to: expr.to }
}

function toCall(source: Source, node: SyntaxNode): Expr {
  const func = source.textOf(node.getChild('FunctionIdentifier') ?? node)
  const why = REFUSED_FUNCTIONS.get(func)
  if (why !== undefined) source.fail(node, `${func}() is not supported: ${why}`)
  return { kind: 'call', func, args: argumentsOf(source, node), from: node.from, to: node.to }
}

const argumentsOf = (source: Source, node: SyntaxNode): Expr[] => {
  const body = node.getChild('FunctionCallBody')
  return body ? expressionsIn(body).map((one) => toWhole(source, one)) : []
}

function toAggregation(source: Source, node: SyntaxNode): Expr {
  const op = source.textOf(node.getChild('AggregateOp') ?? node).toLowerCase()
  if (op === 'limit_ratio') source.fail(node, 'limit_ratio() is not supported: it is an experimental aggregation of Prometheus')
  const modifier = node.getChild('AggregateModifier')
  const args = argumentsOf(source, node)
  const expected = WITH_PARAMETER.has(op) ? 2 : 1
  if (args.length !== expected)
    source.fail(node, `wrong number of arguments for aggregate expression provided, expected ${expected}, got ${args.length}`)
  const expr = args.at(-1) ?? source.fail(node, 'no arguments for aggregate expression provided')
  const param = expected === 2 ? args[0] : undefined
  const labels = labelsOf(source, modifier?.getChild('GroupingLabels'))
  const without = Boolean(modifier?.getChild('Without'))
  return { kind: 'aggregation', op, ...(param && { param }), expr, labels, without, from: node.from, to: node.to }
}
