import { parseExpression } from './parse.ts'

/** The tree of an expression as Prometheus' `parse_query` answers it. Throws a PromqlError. */
export function parseQuery(expression: string): unknown {
  return parseExpression(expression)
}
