import type { Matcher } from '../model/types.ts'

/** Offsets in the expression. */
export interface Span {
  from: number
  to: number
}

/** `step()` and `range()` of a duration expression are known only to a window. */
export type Duration =
  /** `isPlain`: a number, as the factor of a duration. */
  | { kind: 'literal'; ms: number; isPlain: boolean }
  | { kind: 'window'; of: 'step' | 'range' }
  | { kind: 'operation'; op: string; operands: Duration[] }

/** The instant of an `@` modifier, in milliseconds. */
export type Instant = number | 'start' | 'end'

export interface Shift {
  offset?: Duration
  at?: Instant
}

export interface Selector extends Span, Shift {
  kind: 'selector'
  /** The order of selectors in the expression, from 0. */
  id: number
  /** Written before the braces. */
  name: string | undefined
  matchers: Matcher[]
  range?: Duration
}

export interface Subquery extends Span, Shift {
  kind: 'subquery'
  expr: Expr
  range: Duration
  step?: Duration
}

export interface Call extends Span {
  kind: 'call'
  func: string
  args: Expr[]
}

export interface Aggregation extends Span {
  kind: 'aggregation'
  op: string
  param?: Expr
  expr: Expr
  labels: string[]
  without: boolean
}

export interface Matching {
  cardinality: 'one-to-one' | 'many-to-one' | 'one-to-many' | 'many-to-many'
  on: boolean
  labels: string[]
  include: string[]
}

export interface Binary extends Span {
  kind: 'binary'
  op: string
  left: Expr
  right: Expr
  bool: boolean
  /** Of two vectors. */
  matching?: Matching
}

export interface Unary extends Span {
  kind: 'unary'
  op: '-' | '+'
  expr: Expr
}

export type Expr =
  | Selector
  | Subquery
  | Call
  | Aggregation
  | Binary
  | Unary
  | (Span & { kind: 'paren'; expr: Expr })
  | (Span & { kind: 'number'; value: number; isDuration: boolean })
  | (Span & { kind: 'string'; value: string })

export const SET_OPERATORS: ReadonlySet<string> = new Set(['and', 'or', 'unless'])
export const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>='])
/** Aggregations with a parameter before the vector. */
export const WITH_PARAMETER: ReadonlySet<string> = new Set(['topk', 'bottomk', 'limitk', 'quantile', 'count_values'])

/** The expression without parentheses around it. */
export function withoutParens(expr: Expr): Expr {
  let inner = expr
  while (inner.kind === 'paren') inner = inner.expr
  return inner
}
