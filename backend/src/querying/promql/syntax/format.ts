import { type Expr, WITH_PARAMETER } from './ast.ts'
import { parseExpression } from './parse.ts'
import { printAggregation, printExpr, printOperator, printSubquery } from './print.ts'

/** Longer expressions are broken into lines. */
const MAX_LENGTH = 100

/** The expression in Prometheus' form. Throws a PromqlError. */
export const formatQuery = (expression: string): string => format(parseExpression(expression).expr, 0)

function format(expr: Expr, level: number): string {
  const indent = '  '.repeat(level)
  const line = printExpr(expr)
  if (line.length <= MAX_LENGTH) return indent + line
  const inner = (one: Expr): string => format(one, level + 1)
  switch (expr.kind) {
    case 'paren':
      return `${indent}(\n${inner(expr.expr)}\n${indent})`
    case 'unary':
      return indent + expr.op + format(expr.expr, level).trimStart()
    case 'subquery':
      return format(expr.expr, level) + printSubquery(expr)
    case 'call':
      return `${indent}${expr.func}(\n${expr.args.map(inner).join(',\n')}\n${indent})`
    case 'aggregation': {
      const param = expr.param && WITH_PARAMETER.has(expr.op) ? `${inner(expr.param)},\n` : ''
      return `${indent}${printAggregation(expr)}(\n${param}${inner(expr.expr)}\n${indent})`
    }
    case 'binary':
      return `${inner(expr.left)}\n${indent}${printOperator(expr)}\n${inner(expr.right)}`
    case 'number':
    case 'string':
    case 'selector':
      return indent + line
  }
}
