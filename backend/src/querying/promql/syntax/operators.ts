import type { SyntaxNode } from '@lezer/common'
import { type Binary, COMPARISONS, type Matching, SET_OPERATORS } from './ast.ts'
import { childrenOf, labelsOf, type Source } from './source.ts'

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
export const POWER = 6

export type Operator = Pick<Binary, 'op' | 'bool' | 'matching'> & { precedence: number }
const OPERATORS: ReadonlySet<string> = new Set(
  'Pow Mul Div Mod Atan2 Add Sub Eql Gte Gtr TrimUpper TrimLower Lte Lss Neq And Unless Or'.split(' '),
)

export function toOperator(source: Source, node: SyntaxNode): Operator {
  const op = source.textOf(childrenOf(node).find(({ name }) => OPERATORS.has(name)) ?? node).toLowerCase()
  if (op === '</' || op === '>/') source.fail(node, `the operator ${op} is not supported: it is for native histograms`)
  if (node.getChild('FillModifier'))
    source.fail(node, 'fill modifiers are an experimental feature of Prometheus and are not supported')
  const matching = toMatching(source, node, op)
  return { op, bool: Boolean(node.getChild('BoolModifier')), precedence: PRECEDENCE[op] ?? 0, ...(matching && { matching }) }
}

function toMatching(source: Source, node: SyntaxNode, op: string): Matching | undefined {
  const clause = node.getChild('MatchingModifierClause')
  const many = SET_OPERATORS.has(op) ? 'many-to-many' : 'one-to-one'
  if (!clause) return many === 'many-to-many' ? { cardinality: many, on: false, labels: [], include: [] } : undefined
  const [labels, include] = clause.getChildren('GroupingLabels').map((one) => labelsOf(source, one))
  const side = clause.getChild('GroupLeft') ? 'many-to-one' : clause.getChild('GroupRight') ? 'one-to-many' : undefined
  if (side && many === 'many-to-many') source.fail(clause, `no grouping allowed for "${op}" operation`)
  return { cardinality: side ?? many, on: Boolean(clause.getChild('On')), labels: labels ?? [], include: include ?? [] }
}
