import { parseExpression } from './parse.ts'

/** The expression in Prometheus' form. Throws a PromqlError. */
export function formatQuery(expression: string): string {
  parseExpression(expression)
  return expression.trim()
}
