import { formatDecimal } from '../model/numbers.ts'
import type { Matcher } from '../model/types.ts'
import {
  type Aggregation,
  type Binary,
  type Duration,
  type Expr,
  type Selector,
  type Shift,
  type Subquery,
  WITH_PARAMETER,
} from './ast.ts'
import { formatDuration } from './literals.ts'

const PLAIN_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const nameOf = (name: string): string => (PLAIN_NAME.test(name) ? name : JSON.stringify(name))
const namesOf = (names: readonly string[]): string => names.map(nameOf).join(', ')

/** One line, in Prometheus' form. */
export function printExpr(expr: Expr): string {
  switch (expr.kind) {
    case 'number':
      return printNumber(expr.value, expr.isDuration)
    case 'string':
      return JSON.stringify(expr.value)
    case 'paren':
      return `(${printExpr(expr.expr)})`
    case 'unary':
      return expr.op + printExpr(expr.expr)
    case 'selector':
      return printSelector(expr)
    case 'subquery':
      return printExpr(expr.expr) + printSubquery(expr)
    case 'call':
      return `${expr.func}(${expr.args.map(printExpr).join(', ')})`
    case 'aggregation': {
      const param = expr.param && WITH_PARAMETER.has(expr.op) ? `${printExpr(expr.param)}, ` : ''
      return `${printAggregation(expr)}(${param}${printExpr(expr.expr)})`
    }
    case 'binary':
      return `${printExpr(expr.left)} ${printOperator(expr)} ${printExpr(expr.right)}`
  }
}

const printNumber = (value: number, isDuration: boolean): string =>
  isDuration ? formatDuration(value * 1_000) : formatDecimal(value)

export function printAggregation({ op, labels, without }: Aggregation): string {
  if (without) return `${op} without (${namesOf(labels)}) `
  return labels.length > 0 ? `${op} by (${namesOf(labels)}) ` : op
}

export function printOperator({ op, bool, matching }: Binary): string {
  const text = op + (bool ? ' bool' : '')
  if (!matching || (!matching.on && matching.labels.length === 0)) return text
  const clause = `${text} ${matching.on ? 'on' : 'ignoring'} (${namesOf(matching.labels)})`
  const side = { 'many-to-one': 'left', 'one-to-many': 'right' }[matching.cardinality as string]
  return side === undefined ? clause : `${clause} group_${side} (${namesOf(matching.include)})`
}

function printSelector(expr: Selector): string {
  const matchers = expr.matchers.filter(({ label, op, value }) => !(label === '__name__' && op === '=' && value === expr.name))
  const braces = matchers.length > 0 ? `{${matchers.map(printMatcher).sort().join(',')}}` : ''
  return (expr.name ?? '') + braces + (expr.range ? `[${printDuration(expr.range)}]` : '') + printShift(expr)
}

const printMatcher = ({ label, op, value }: Matcher): string => nameOf(label) + op + JSON.stringify(value)

export const printSubquery = (expr: Subquery): string =>
  `[${printDuration(expr.range)}:${expr.step ? printDuration(expr.step) : ''}]${printShift(expr)}`

function printShift({ at, offset }: Shift): string {
  const instant = typeof at === 'number' ? (at / 1_000).toFixed(3) : at && `${at}()`
  return (instant === undefined ? '' : ` @ ${instant}`) + (offset ? ` offset ${printDuration(offset)}` : '')
}

function printDuration(duration: Duration): string {
  if (duration.kind === 'literal') return formatDuration(duration.ms)
  if (duration.kind === 'window') return `${duration.of}()`
  const [left, right] = duration.operands
  if (!left || !right) return ''
  const { op } = duration
  if (op === 'min' || op === 'max') return `${op}_of(${printDuration(left)}, ${printDuration(right)})`
  if (op === '-' && left.kind === 'literal' && left.ms === 0) return `-${printDuration(right)}`
  return `${printFactor(left)} ${op} ${printFactor(right)}`
}

/** Parentheses around each operation inside another one keep the order. */
function printFactor(duration: Duration): string {
  if (duration.kind === 'literal' && duration.isPlain) return formatDecimal(duration.ms / 1_000)
  return duration.kind === 'operation' && duration.op.length === 1 ? `(${printDuration(duration)})` : printDuration(duration)
}
