import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import { PromqlError, parseError } from '../error.ts'
import type { Matcher } from '../types.ts'
import {
  type Binary,
  COMPARISONS,
  type Duration,
  type Expr,
  type Matching,
  SET_OPERATORS,
  type Selector,
  type Shift,
  type ValueType,
  WITH_PARAMETER,
} from './ast.ts'
import { checkExpr } from './check.ts'
import { REFUSED_FUNCTIONS } from './functions.ts'
import { parseDuration, parseNumber, unquote } from './literals.ts'

/** Above it the text is refused unread. */
export const MAX_EXPRESSION_LENGTH = 65_536
/** Nested expressions, and operations in a row: more could exhaust the stack. */
const MAX_DEPTH = 250

/** The expression as a tree whose types are right, and its own type. Throws a PromqlError of kind `bad_data`. */
export function parseExpression(expression: string): { expr: Expr; type: ValueType } {
  if (expression.length > MAX_EXPRESSION_LENGTH)
    throw new PromqlError('bad_data', `the query has ${expression.length} characters, at most ${MAX_EXPRESSION_LENGTH}`)
  const expr = createTree(expression.replaceAll(POINT, (token) => (/^\d/.test(token) ? token.replace('.', ' ') : token))).build()
  return { expr, type: checkExpr(expr, expression) }
}

/** Strings, comments, and numbers that end with a point, as `2.`: the grammar does not know these. */
const POINT = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#[^\n]*|(?<![\w.:])\d+\.(?![\w.])/gs

function createTree(expression: string) {
  let [nextId, depth] = [0, 0]
  const textOf = (node: SyntaxNode) => expression.slice(node.from, node.to)
  /** Of a whole expression. */
  const toWhole = (node: SyntaxNode): Expr => arrange(flatten(node), 0)
  const fail = (node: { from: number }, message: string): never => {
    throw parseError(expression, node.from, message)
  }

  function build(): Expr {
    if (expression.trim() === '') throw parseError(expression, 0, 'no expression found in input')
    const top = parser.parse(expression).topNode
    refuseErrors(top)
    return toWhole(expressionsIn(top)[0] ?? fail(top, 'no expression found in input'))
  }

  function refuseErrors(top: SyntaxNode): void {
    let error: SyntaxNode | undefined
    top.cursor().iterate((node) => {
      if (node.type.isError) error ??= node.node
    })
    if (!error) return
    const name = /([A-Za-z_]\w*)\s*$/.exec(expression.slice(0, error.from))?.[1]
    if (name !== undefined && expression[error.from] === '(')
      fail({ from: error.from - name.length }, `unknown function with name "${name}"`)
    const text = expression.slice(error.from, error.from + 20)
    fail(error, text.trim() === '' ? 'unexpected end of input' : `unexpected ${JSON.stringify(text)}`)
  }

  function toExpr(node: SyntaxNode): Expr {
    const span = { from: node.from, to: node.to }
    const inner = (): SyntaxNode => expressionsIn(node)[0] ?? fail(node, 'an expression is missing')
    switch (node.name) {
      case 'ParenExpr':
        return { ...span, kind: 'paren', expr: toWhole(inner()) }
      case 'StringLiteral':
        return { ...span, kind: 'string', value: stringOf(node) }
      case 'VectorSelector':
        return toSelector(node)
      case 'FunctionCall':
        return toCall(node)
      case 'AggregateExpr':
        return toAggregation(node)
      default:
        return fail(node, `${textOf(node)} is an experimental feature of Prometheus and is not supported`)
    }
  }

  /**
   * Operands, signs and operators in their order. The grammar gives a range, an offset or a sign after or before an operation to the whole
   * of it; here it belongs to the next operand, and `arrange` joins them by their precedence.
   */
  function flatten(node: SyntaxNode): Item[] {
    if (++depth > MAX_DEPTH) fail(node, `expressions are nested more than ${MAX_DEPTH} deep`)
    const items = flattenNode(node)
    depth--
    return items
  }

  function flattenNode(node: SyntaxNode): Item[] {
    const [first, second] = expressionsIn(node)
    switch (node.name) {
      case 'BinaryExpr':
        if (!first || !second) return fail(node, 'an operand is missing')
        return [...flatten(first), toOperator(node), ...flatten(second)]
      case 'UnaryExpr':
        return first ? [{ sign: signOf(node), from: node.from }, ...flatten(first)] : fail(node, 'an operand is missing')
      case 'NumberDurationLiteral': {
        const number = toNumber(node)
        return SIGN.test(textOf(node)) ? [{ sign: signOf(node), from: node.from }, number] : [number]
      }
      case 'MatrixSelector':
      case 'SubqueryExpr':
      case 'OffsetExpr':
      case 'StepInvariantExpr': {
        const items = first ? flatten(first) : []
        const last = items.at(-1)
        if (!last || !('kind' in last)) return fail(node, 'an expression is missing')
        return [...items.slice(0, -1), withSuffix(last, node)]
      }
      default:
        return [toExpr(node)]
    }
  }

  /** Takes items from the front, up to an operator that binds less than the given precedence. */
  function arrange(items: Item[], least: number): Expr {
    let left = takeOperand(items)
    for (;;) {
      const [next] = items
      if (!next || !('precedence' in next) || next.precedence < least) return left
      items.shift()
      const right = arrange(items, next.op === '^' ? next.precedence : next.precedence + 1)
      const { precedence: _, ...operator } = next
      left = { kind: 'binary', ...operator, left, right, from: left.from, to: right.to }
    }
  }

  function takeOperand(items: Item[]): Expr {
    const item = items.shift()
    if (item && 'kind' in item) return item
    if (!item || !('sign' in item)) throw parseError(expression, 0, 'an operand is missing')
    const expr = arrange(items, POWER)
    // A sign before a number is part of it.
    if (expr.kind === 'number') return { ...expr, value: item.sign === '-' ? -expr.value : expr.value, from: item.from }
    return { kind: 'unary', op: item.sign, expr, from: item.from, to: expr.to }
  }

  const signOf = (node: SyntaxNode): '-' | '+' => (textOf(node).startsWith('-') ? '-' : '+')

  /** Without its sign. */
  function toNumber(node: SyntaxNode): NumberExpr {
    const digits = textOf(node).replace(SIGN, '')
    const value = parseNumber(digits)
    if (Number.isNaN(value) && digits.toLowerCase() !== 'nan') fail(node, `${JSON.stringify(digits)} is not a number`)
    return { kind: 'number', value, isDuration: parseDuration(digits) !== undefined, from: node.from, to: node.to }
  }

  function stringOf(node: SyntaxNode): string {
    return unquote(textOf(node)) ?? fail(node, `${textOf(node)} is not a quoted string`)
  }

  function toSelector(node: SyntaxNode): Selector {
    const name = node.getChild('Identifier')
    const matchers: Matcher[] = []
    for (const child of childrenOf(node.getChild('LabelMatchers'))) {
      const value = child.getChild('StringLiteral')
      if (child.name === 'QuotedLabelName') matchers.push({ label: '__name__', op: '=', value: stringOf(value ?? child) })
      else if (value) matchers.push({ label: labelOf(child.firstChild ?? child), op: opOf(child), value: stringOf(value) })
    }
    const named = matchers.find(({ label }) => label === '__name__')
    if (name && named)
      fail(node, `metric name must not be set twice: ${JSON.stringify(textOf(name))} or ${JSON.stringify(named.value)}`)
    if (name) matchers.push({ label: '__name__', op: '=', value: textOf(name) })
    return { kind: 'selector', id: nextId++, name: name ? textOf(name) : undefined, matchers, from: node.from, to: node.to }
  }

  const labelOf = (node: SyntaxNode): string => {
    const quoted = node.name === 'StringLiteral' ? node : node.getChild('StringLiteral')
    return quoted ? stringOf(quoted) : textOf(node)
  }
  const opOf = (node: SyntaxNode): Matcher['op'] => textOf(node.getChild('MatchOp') ?? node) as Matcher['op']
  const labelsOf = (grouping: SyntaxNode | null | undefined): string[] => childrenOf(grouping).map(labelOf)

  /** With a range, subquery, offset or `@` after it. */
  function withSuffix(expr: Expr, node: SyntaxNode): Expr {
    if (node.name === 'SubqueryExpr') {
      const [range, step] = node.getChildren('DurationExpr').map(toPositive)
      if (!range) return fail(node, 'a subquery needs a range')
      return { kind: 'subquery', expr, range, ...(step && { step }), from: expr.from, to: node.to }
    }
    if (node.name === 'MatrixSelector') {
      if (expr.kind !== 'selector') return fail(node, 'ranges only allowed for vector selectors')
      if (expr.range) return fail(node, 'unexpected second range')
      if (expr.offset || expr.at !== undefined) return fail(node, 'no offset modifiers or @ modifiers allowed before range')
      return { ...expr, range: toPositive(node.getChild('DurationExpr') ?? node), to: node.to }
    }
    if (expr.kind !== 'selector' && expr.kind !== 'subquery')
      return fail(
        node,
        'an offset or @ modifier must be preceded by an instant vector selector, a range vector selector or a subquery',
      )
    return { ...expr, ...toShift(expr, node), to: node.to }
  }

  function toShift(expr: Shift, node: SyntaxNode): Shift {
    if (node.name === 'OffsetExpr') {
      if (expr.offset) fail(node, 'offset may not be set multiple times')
      return { offset: toDuration(node.getChild('OffsetDurationExpr') ?? node) }
    }
    if (expr.at !== undefined) fail(node, '@ <timestamp> may not be set multiple times')
    const literal = node.getChildren('NumberDurationLiteral').at(-1)
    const isLiteral = literal && literal.from > (node.getChild('At')?.from ?? 0)
    if (!isLiteral) return { at: node.getChild('AtModifierPreprocessors')?.getChild('AtStart') ? 'start' : 'end' }
    const value = toNumber(literal).value * (signOf(literal) === '-' ? -1 : 1)
    if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER / 1_000)
      fail(node, 'timestamp out of bounds for @ modifier')
    return { at: Math.round(value * 1_000) }
  }

  function toPositive(node: SyntaxNode): Duration {
    const duration = toDuration(node)
    if (duration.kind === 'literal' && duration.ms <= 0) fail(node, 'duration must be greater than 0')
    return duration
  }

  function toDuration(node: SyntaxNode): Duration {
    const children = childrenOf(node)
    const operands = children.filter(({ name }) => DURATION_NODES.has(name))
    const sign = node.getChild('UnaryOp')
    if (sign) {
      const operand = toDuration(operands[0] ?? node)
      return textOf(sign) === '-' ? { kind: 'operation', op: '-', operands: [ZERO, operand] } : operand
    }
    const named = children.find(({ name }) => name.startsWith('Duration') && name !== 'DurationExpr')?.name
    if (named === 'DurationStep' || named === 'DurationRange')
      return { kind: 'window', of: named === 'DurationStep' ? 'step' : 'range' }
    if (named !== undefined)
      return { kind: 'operation', op: named === 'DurationMinOf' ? 'min' : 'max', operands: operands.map(toDuration) }
    const operator = children.find(({ name }) => name in DURATION_OPERATORS)
    if (operator) return { kind: 'operation', op: DURATION_OPERATORS[operator.name] ?? '', operands: operands.map(toDuration) }
    if (operands[0]) return toDuration(operands[0])
    const literal =
      node.name === 'NumberDurationLiteralInDurationContext' ? node : node.getChild('NumberDurationLiteralInDurationContext')
    const text = literal ? textOf(literal) : ''
    const seconds = literal ? parseNumber(text) : NaN
    if (!Number.isFinite(seconds)) fail(node, `${JSON.stringify(textOf(node))} is not a duration`)
    return { kind: 'literal', ms: Math.round(seconds * 1_000), isPlain: parseDuration(text) === undefined }
  }

  function toCall(node: SyntaxNode): Expr {
    const func = textOf(node.getChild('FunctionIdentifier') ?? node)
    const why = REFUSED_FUNCTIONS.get(func)
    if (why !== undefined) fail(node, `${func}() is not supported: ${why}`)
    return { kind: 'call', func, args: argumentsOf(node), from: node.from, to: node.to }
  }

  const argumentsOf = (node: SyntaxNode): Expr[] => {
    const body = node.getChild('FunctionCallBody')
    return body ? expressionsIn(body).map(toWhole) : []
  }

  function toAggregation(node: SyntaxNode): Expr {
    const op = textOf(node.getChild('AggregateOp') ?? node).toLowerCase()
    if (op === 'limit_ratio') fail(node, 'limit_ratio() is not supported: it is an experimental aggregation of Prometheus')
    const modifier = node.getChild('AggregateModifier')
    const args = argumentsOf(node)
    const expected = WITH_PARAMETER.has(op) ? 2 : 1
    if (args.length !== expected)
      fail(node, `wrong number of arguments for aggregate expression provided, expected ${expected}, got ${args.length}`)
    const expr = args.at(-1) ?? fail(node, 'no arguments for aggregate expression provided')
    const param = expected === 2 ? args[0] : undefined
    const labels = labelsOf(modifier?.getChild('GroupingLabels'))
    const without = Boolean(modifier?.getChild('Without'))
    return { kind: 'aggregation', op, ...(param && { param }), expr, labels, without, from: node.from, to: node.to }
  }

  function toOperator(node: SyntaxNode): Operator {
    const op = textOf(childrenOf(node).find(({ name }) => OPERATORS.has(name)) ?? node).toLowerCase()
    if (op === '</' || op === '>/') fail(node, `the operator ${op} is not supported: it is for native histograms`)
    if (node.getChild('FillModifier'))
      fail(node, 'fill modifiers are an experimental feature of Prometheus and are not supported')
    const matching = toMatching(node, op)
    return { op, bool: Boolean(node.getChild('BoolModifier')), precedence: PRECEDENCE[op] ?? 0, ...(matching && { matching }) }
  }

  function toMatching(node: SyntaxNode, op: string): Matching | undefined {
    const clause = node.getChild('MatchingModifierClause')
    const many = SET_OPERATORS.has(op) ? 'many-to-many' : 'one-to-one'
    if (!clause) return many === 'many-to-many' ? { cardinality: many, on: false, labels: [], include: [] } : undefined
    const [labels, include] = clause.getChildren('GroupingLabels').map(labelsOf)
    const side = clause.getChild('GroupLeft') ? 'many-to-one' : clause.getChild('GroupRight') ? 'one-to-many' : undefined
    if (side && many === 'many-to-many') fail(clause, `no grouping allowed for "${op}" operation`)
    return { cardinality: side ?? many, on: Boolean(clause.getChild('On')), labels: labels ?? [], include: include ?? [] }
  }

  return { build }
}

const ZERO: Duration = { kind: 'literal', ms: 0, isPlain: true }
const SIGN = /^[-+]\s*/
/** As in Prometheus: a sign binds less than a power and more than a product. */
const PRECEDENCE: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  unless: 2,
  ...Object.fromEntries([...COMPARISONS].map((op) => [op, 3])),
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
  atan2: 5,
  '^': 6,
}
const POWER = 6

type Operator = Pick<Binary, 'op' | 'bool' | 'matching'> & { precedence: number }
type Item = Expr | Operator | { sign: '-' | '+'; from: number }
type NumberExpr = Extract<Expr, { kind: 'number' }>

const DURATION_NODES: ReadonlySet<string> = new Set([
  'DurationExpr',
  'OffsetDurationExpr',
  'NumberDurationLiteralInDurationContext',
])
const DURATION_OPERATORS: Readonly<Record<string, string>> = { Pow: '^', Mul: '*', Div: '/', Mod: '%', Add: '+', Sub: '-' }
const OPERATORS: ReadonlySet<string> = new Set(
  'Pow Mul Div Mod Atan2 Add Sub Eql Gte Gtr TrimUpper TrimLower Lte Lss Neq And Unless Or'.split(' '),
)

function childrenOf(node: SyntaxNode | null | undefined): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node?.firstChild; child; child = child.nextSibling) if (child.name !== 'LineComment') children.push(child)
  return children
}

const expressionsIn = (node: SyntaxNode): SyntaxNode[] => childrenOf(node).filter(({ type }) => type.is('Expr'))
