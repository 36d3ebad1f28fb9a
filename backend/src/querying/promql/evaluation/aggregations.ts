import { executionError } from '../model/error.ts'
import { countSteps, type Steps } from '../planning/plan.ts'
import { type Aggregation, withoutParens } from '../syntax/ast.ts'
import { formatDecimal } from '../model/numbers.ts'
import { type Column, type Group, isEmpty, mergeColumns } from './columns.ts'
import type { Evaluation } from './context.ts'
import { createGroupKey, groupLabels, type Labels, withLabel } from './labels.ts'
import { warnOfQuantiles } from './ranges.ts'
import { createSimple } from './simple-aggregations.ts'
import { quantileOf } from './sums.ts'
import { selectExtremes } from './extremes.ts'

export function aggregate(evaluation: Evaluation, expr: Aggregation, steps: Steps): Column[] {
  const { op, param, labels, without } = expr
  const parameter = param && op !== 'count_values' ? evaluation.scalar(param, steps) : undefined
  const columns = evaluation.vector(expr.expr, steps)
  const grouping = { names: labels, without }
  if (op === 'count_values') return countValues(evaluation, expr, columns)
  const groups = groupColumns(columns, createGroupKey(grouping), (column) => groupLabels(column.labels, grouping))
  if (op === 'topk' || op === 'bottomk' || op === 'limitk')
    return selectExtremes(evaluation, op, groups, parameter ?? new Float64Array(), countSteps(steps) === 1)
  if (op === 'quantile') {
    if (param && parameter) warnOfQuantiles(evaluation, parameter, param.from)
    return groups.map((group) =>
      aggregateSteps(evaluation, group, (values, step) => quantileOf(parameter?.[step] ?? NaN, values)),
    )
  }
  return groups.map(({ labels: groupLabel, members }) => {
    const column = evaluation.createColumn(groupLabel, countSteps(steps))
    const simple = createSimple(op, column.values.length)
    for (const member of members) {
      simple.add(member)
    }
    simple.finish(column)
    return column
  })
}

function groupColumns(
  columns: readonly Column[],
  keyOf: (labels: Labels) => string,
  labelsOf: (column: Column) => Labels,
): Group[] {
  const groups = new Map<string, Group>()
  for (const column of columns) {
    if (isEmpty(column)) continue
    const key = keyOf(column.labels)
    const group = groups.get(key)
    if (group) group.members.push(column)
    else groups.set(key, { labels: labelsOf(column), members: [column] })
  }
  return [...groups.values()]
}

/** For aggregations that need all values of a step at once. */
function aggregateSteps(
  evaluation: Evaluation,
  { labels, members }: Group,
  compute: (values: number[], step: number) => number,
): Column {
  const column = evaluation.createColumn(labels, members[0]?.present.length ?? 0)
  for (let step = 0; step < column.present.length; step++) {
    const values: number[] = []
    for (const member of members) if (member.present[step] === 1) values.push(member.values[step] ?? NaN)
    if (values.length === 0) continue
    column.values[step] = compute(values, step)
    column.present[step] = 1
  }
  return column
}

/** A series for each value of each group, with the value as a label. */
function countValues(evaluation: Evaluation, { param, labels, without }: Aggregation, columns: readonly Column[]): Column[] {
  const inner = param && withoutParens(param)
  const label = inner?.kind === 'string' ? inner.value : ''
  if (label === '') throw executionError(`invalid label name ${JSON.stringify(label)}`)
  const names = without ? labels : [...labels, label]
  const counted = new Map<string, Column>()
  const keyOf = createGroupKey({ names, without })
  for (const column of columns) {
    for (let step = 0; step < column.present.length; step++) {
      if (column.present[step] === 0) continue
      const all = withLabel(column.labels, label, formatDecimal(column.values[step] ?? NaN))
      const key = keyOf(all)
      let count = counted.get(key)
      if (!count) {
        count = evaluation.createColumn(groupLabels(all, { names, without }), column.present.length)
        counted.set(key, count)
      }
      count.values[step] = (count.values[step] ?? 0) + 1
      count.present[step] = 1
    }
  }
  return mergeColumns([...counted.values()])
}
