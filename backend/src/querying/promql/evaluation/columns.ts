import { executionError } from '../model/error.ts'
import { keyOf, type Labels } from './labels.ts'

/** One series over all steps of its expression; `present[i]` is 1 where it has a value. */
export interface Column {
  labels: Labels
  values: Float64Array
  present: Uint8Array
}

/** Series that an aggregation makes one of. */
export interface Group {
  labels: Labels
  members: Column[]
}

/** What is held at once, in bytes: 8 and 1 of a step, and an estimate of what else a series takes. */
const STEP_BYTES = 9
const SERIES_BYTES = 400

const DUPLICATES = 'vector cannot contain metrics with the same labelset'

export const columnBytes = (steps: number): number => SERIES_BYTES + steps * STEP_BYTES

export const sizeOf = (columns: readonly Column[]): number =>
  columns.reduce((bytes, { values }) => bytes + columnBytes(values.length), 0)

export const createColumn = (labels: Labels, steps: number): Column => ({
  labels,
  values: new Float64Array(steps),
  present: new Uint8Array(steps),
})

export const isEmpty = ({ present }: Column): boolean => !present.includes(1)

/** Columns of the same labels become one; fails where two have a value at one step. */
export function mergeColumns(columns: readonly Column[], message = DUPLICATES): Column[] {
  const merged = new Map<string, Column>()
  for (const column of columns) {
    if (isEmpty(column)) continue
    const key = keyOf(column.labels)
    const first = merged.get(key)
    merged.set(key, first ? union(first, column, message) : column)
  }
  return [...merged.values()]
}

function union(a: Column, b: Column, message: string): Column {
  const values = Float64Array.from(a.values)
  const present = Uint8Array.from(a.present)
  for (let step = 0; step < present.length; step++) {
    if (b.present[step] === 0) continue
    if (present[step] === 1) throw executionError(message)
    values[step] = b.values[step] ?? NaN
    present[step] = 1
  }
  return { labels: a.labels, values, present }
}

/** For functions that fail already where two series have the same labels, whatever their steps. */
export function refuseDuplicates(columns: readonly Column[]): Column[] {
  const filled = columns.filter((column) => !isEmpty(column))
  if (new Set(filled.map(({ labels }) => keyOf(labels))).size < filled.length) throw executionError(DUPLICATES)
  return filled
}
