import type { SyntaxNode } from '@lezer/common'
import type { Duration, Expr } from './ast.ts'
import { parseDuration, parseNumber } from './literals.ts'
import { childrenOf, type Source } from './source.ts'

const SIGN = /^[-+]\s*/
const ZERO: Duration = { kind: 'literal', ms: 0, isPlain: true }
const DURATION_NODES: ReadonlySet<string> = new Set([
  'DurationExpr',
  'OffsetDurationExpr',
  'NumberDurationLiteralInDurationContext',
])
const DURATION_OPERATORS: Readonly<Record<string, string>> = { Pow: '^', Mul: '*', Div: '/', Mod: '%', Add: '+', Sub: '-' }

export type NumberExpr = Extract<Expr, { kind: 'number' }>

export function signOf(source: Source, node: SyntaxNode): '-' | '+' | undefined {
  const [sign] = source.textOf(node)
  return sign === '-' || sign === '+' ? sign : undefined
}

/** Without its sign. */
export function toNumber(source: Source, node: SyntaxNode): NumberExpr {
  const digits = source.textOf(node).replace(SIGN, '')
  const value = parseNumber(digits)
  if (Number.isNaN(value) && digits.toLowerCase() !== 'nan') source.fail(node, `${JSON.stringify(digits)} is not a number`)
  return { kind: 'number', value, isDuration: parseDuration(digits) !== undefined, from: node.from, to: node.to }
}

/** A range or a step. */
export function toPositive(source: Source, node: SyntaxNode): Duration {
  const duration = toDuration(source, node)
  if (duration.kind === 'literal' && duration.ms <= 0) source.fail(node, 'duration must be greater than 0')
  return duration
}

export function toDuration(source: Source, node: SyntaxNode): Duration {
  const children = childrenOf(node)
  const operands = children.filter(({ name }) => DURATION_NODES.has(name))
  const sign = node.getChild('UnaryOp')
  if (sign) {
    const operand = toDuration(source, operands[0] ?? node)
    return source.textOf(sign) === '-' ? { kind: 'operation', op: '-', operands: [ZERO, operand] } : operand
  }
  const named = children.find(({ name }) => name.startsWith('Duration') && name !== 'DurationExpr')?.name
  if (named === 'DurationStep' || named === 'DurationRange')
    return { kind: 'window', of: named === 'DurationStep' ? 'step' : 'range' }
  if (named !== undefined)
    return {
      kind: 'operation',
      op: named === 'DurationMinOf' ? 'min' : 'max',
      operands: operands.map((one) => toDuration(source, one)),
    }
  const operator = children.find(({ name }) => name in DURATION_OPERATORS)
  if (operator)
    return {
      kind: 'operation',
      op: DURATION_OPERATORS[operator.name] ?? '',
      operands: operands.map((one) => toDuration(source, one)),
    }
  if (operands[0]) return toDuration(source, operands[0])
  const literal =
    node.name === 'NumberDurationLiteralInDurationContext' ? node : node.getChild('NumberDurationLiteralInDurationContext')
  const text = literal ? source.textOf(literal) : ''
  const seconds = literal ? parseNumber(text) : NaN
  if (!Number.isFinite(seconds)) source.fail(node, `${JSON.stringify(source.textOf(node))} is not a duration`)
  return { kind: 'literal', ms: Math.round(seconds * 1_000), isPlain: parseDuration(text) === undefined }
}
