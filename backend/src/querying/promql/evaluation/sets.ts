import { type Column, mergeColumns } from './columns.ts'
import type { Labels } from './labels.ts'

/** `and`, `or`, `unless`: by step, whether the other side has a series of the same signature. */
export function combineSets(op: string, left: Column[], right: Column[], signature: (labels: Labels) => string): Column[] {
  if (op === 'or') {
    const presence = presenceOf(left, signature)
    return mergeColumns([...left, ...right.map((column) => filter(column, presence.get(signature(column.labels)), 0))])
  }
  const presence = presenceOf(right, signature)
  const columns = left.map((column) => filter(column, presence.get(signature(column.labels)), op === 'and' ? 1 : 0))
  return mergeColumns(columns)
}

function presenceOf(columns: readonly Column[], signature: (labels: Labels) => string): Map<string, Uint8Array> {
  const presence = new Map<string, Uint8Array>()
  for (const { labels, present } of columns) {
    const key = signature(labels)
    const known = presence.get(key)
    presence.set(key, known ? known.map((is, step) => is | (present[step] ?? 0)) : present)
  }
  return presence
}

/** The steps of a column at which the other side is as wanted; without a series it is 0 at all of them. */
function filter(column: Column, other: Uint8Array | undefined, wanted: 0 | 1): Column {
  if (!other) return wanted === 0 ? column : { ...column, present: new Uint8Array(column.present.length) }
  const present = column.present.map((is, step) => (is === 1 && other[step] === wanted ? 1 : 0))
  return { ...column, present }
}
