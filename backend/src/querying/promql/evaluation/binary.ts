import { executionError } from '../model/error.ts'
import type { Steps } from '../planning/plan.ts'
import { type Binary, type Matching, SET_OPERATORS } from '../syntax/ast.ts'
import { type Column, mergeColumns } from './columns.ts'
import type { Evaluation, Value } from './context.ts'
import { createGroupKey, keepLabels, type Labels, NAME, showLabels, valueOf, withLabel, withoutMetadata } from './labels.ts'
import { isFilter, operatorOf } from './operators.ts'
import { combineSets } from './sets.ts'

export function evaluateBinary(evaluation: Evaluation, expr: Binary, steps: Steps): Value {
  const [left, right] = [evaluation.evaluate(expr.left, steps), evaluation.evaluate(expr.right, steps)]
  if (left.type === 'string' || right.type === 'string') throw executionError(`${expr.op} needs numbers`)
  if (left.type === 'scalar' && right.type === 'scalar') {
    const compute = operatorOf(expr.op)
    return { type: 'scalar', values: left.values.map((value, step) => compute(value, right.values[step] ?? NaN)) }
  }
  if (left.type === 'vector' && right.type === 'vector') {
    const matching = expr.matching ?? { cardinality: 'one-to-one', on: false, labels: [], include: [] }
    const columns = SET_OPERATORS.has(expr.op)
      ? combineSets(expr.op, left.columns, right.columns, signatureOf(matching))
      : matchVectors(evaluation, expr, matching, left.columns, right.columns)
    return { type: 'vector', columns }
  }
  const columns = left.type === 'vector' ? left.columns : right.type === 'vector' ? right.columns : []
  const scalar = left.type === 'scalar' ? left.values : right.type === 'scalar' ? right.values : new Float64Array()
  return { type: 'vector', columns: withScalar(evaluation, expr, columns, scalar, left.type === 'scalar') }
}

function withScalar(
  evaluation: Evaluation,
  { op, bool }: Binary,
  columns: readonly Column[],
  scalar: Float64Array,
  isLeft: boolean,
): Column[] {
  const compute = operatorOf(op)
  const filters = isFilter(op, bool)
  return mergeColumns(
    columns.map(({ labels, values, present }) => {
      const column = evaluation.createColumn(filters ? labels : withoutMetadata(labels), present.length)
      for (let step = 0; step < present.length; step++) {
        if (present[step] === 0) continue
        const [value, other] = [values[step] ?? NaN, scalar[step] ?? NaN]
        const result = isLeft ? compute(other, value) : compute(value, other)
        if (filters && result === 0) continue
        column.values[step] = filters ? value : result
        column.present[step] = 1
      }
      return column
    }),
  )
}

const signatureOf = ({ on, labels }: Matching) => createGroupKey({ names: labels, without: !on })

const UNIQUE = 'multiple matches for labels: grouping labels must ensure unique matches'
const ONE_TO_ONE = 'multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)'

/** Operations on the series of two vectors whose matched labels are equal. */
function matchVectors(evaluation: Evaluation, expr: Binary, matching: Matching, left: Column[], right: Column[]): Column[] {
  const isSwapped = matching.cardinality === 'one-to-many'
  const [many, one] = isSwapped ? [right, left] : [left, right]
  const signature = signatureOf(matching)
  const partners = new Map<string, Column[]>()
  for (const column of one) append(partners, signature(column.labels), column)
  for (const group of partners.values()) if (group.length > 1) refuseTwo(group, many, matching, isSwapped)
  const groups = new Map<string, Column[]>()
  for (const column of many) {
    const key = signature(column.labels)
    for (const partner of partners.get(key) ?? [])
      append(groups, key, operate(evaluation, { expr, matching, isSwapped }, column, partner))
  }
  const isOneToOne = matching.cardinality === 'one-to-one'
  const matched = [...groups.values()].flatMap((group) => {
    if (isOneToOne && group.length > 1)
      mergeColumns(
        group.map((column) => ({ ...column, labels: {} })),
        ONE_TO_ONE,
      )
    return mergeColumns(group, UNIQUE)
  })
  return mergeColumns(matched)
}

function append<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = map.get(key)
  if (list) list.push(item)
  else map.set(key, [item])
}

/** On the side of one, no two series of a signature may have a value at one step, if the other side has any there. */
function refuseTwo(group: readonly Column[], many: readonly Column[], matching: Matching, isSwapped: boolean): void {
  const steps = group[0]?.present.length ?? 0
  for (let step = 0; step < steps; step++) {
    const [first, second] = group.filter(({ present }) => present[step] === 1)
    if (!first || !second || !many.some(({ present }) => present[step] === 1)) continue
    const { on, labels } = matching
    const shown = keepLabels(second.labels, (name) => (on ? labels.includes(name) : name !== NAME && !labels.includes(name)))
    throw executionError(
      `found duplicate series for the match group ${showLabels(shown)} on the ${isSwapped ? 'left' : 'right'} hand-side of the operation: ` +
        `[${showLabels(second.labels)}, ${showLabels(first.labels)}];many-to-many matching not allowed: matching labels must be unique on one side`,
    )
  }
}

function operate(
  evaluation: Evaluation,
  { expr: { op, bool }, matching, isSwapped }: { expr: Binary; matching: Matching; isSwapped: boolean },
  many: Column,
  one: Column,
): Column {
  const compute = operatorOf(op)
  const filters = isFilter(op, bool)
  const column = evaluation.createColumn(resultLabels(filters, matching, many.labels, one.labels), many.present.length)
  for (let step = 0; step < column.present.length; step++) {
    if (many.present[step] === 0 || one.present[step] === 0) continue
    const [a, b] = [many.values[step] ?? NaN, one.values[step] ?? NaN]
    const [left, right] = isSwapped ? [b, a] : [a, b]
    const result = compute(left, right)
    if (filters && result === 0) continue
    column.values[step] = filters ? left : result
    column.present[step] = 1
  }
  return column
}

function resultLabels(filters: boolean, { cardinality, on, labels, include }: Matching, many: Labels, one: Labels): Labels {
  let result = filters ? many : withoutMetadata(many)
  if (cardinality === 'one-to-one') result = keepLabels(result, (name) => labels.includes(name) === on)
  for (const name of include) result = withLabel(result, name, valueOf(one, name))
  return result
}
