import { COMPARISONS } from '../syntax/ast.ts'

/** Of two numbers; a comparison is 1 or 0. */
export type Operator = (left: number, right: number) => number

/** As Go: 1 to the power of NaN is 1, and −1 to the power of infinity too. */
function power(base: number, exponent: number): number {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Infinity)) return 1
  return base ** exponent
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '^': power,
  atan2: Math.atan2,
  '==': (left, right) => Number(left === right),
  '!=': (left, right) => Number(left !== right),
  '<': (left, right) => Number(left < right),
  '<=': (left, right) => Number(left <= right),
  '>': (left, right) => Number(left > right),
  '>=': (left, right) => Number(left >= right),
}

export const operatorOf = (op: string): Operator => OPERATORS[op] ?? (() => NaN)

/** A comparison without `bool` filters; any other operation computes a value that is no longer the metric. */
export const isFilter = (op: string, bool: boolean): boolean => COMPARISONS.has(op) && !bool
