import { executionError } from '../model/error.ts'
import { type Column, type Group, isEmpty } from './columns.ts'
import type { Evaluation } from './context.ts'

type Op = 'topk' | 'bottomk' | 'limitk'

interface Entry {
  column: Column
  value: number
}

/** Of each group the k series with the largest or smallest values, or the first k; in an instant query in their order. */
export function selectExtremes(
  evaluation: Evaluation,
  op: Op,
  groups: readonly Group[],
  ks: Float64Array,
  isInstant: boolean,
): Column[] {
  const selected = new Map<Column, Column>()
  for (const { members } of groups)
    for (let step = 0; step < ks.length; step++) {
      const entries = entriesAt(members, step)
      if (entries.length === 0) continue
      for (const { column, value } of choose(op, entries, kOf(ks, step))) {
        let target = selected.get(column)
        if (!target) {
          target = evaluation.createColumn(column.labels, ks.length)
          selected.set(column, target)
        }
        target.values[step] = value
        target.present[step] = 1
      }
    }
  const columns = [...selected.values()]
  return isInstant ? columns : columns.filter((column) => !isEmpty(column))
}

function entriesAt(members: readonly Column[], step: number): Entry[] {
  const entries: Entry[] = []
  for (const column of members) if (column.present[step] === 1) entries.push({ column, value: column.values[step] ?? NaN })
  return entries
}

function kOf(ks: Float64Array, step: number): number {
  const k = ks[step] ?? NaN
  if (!(Math.abs(k) <= 2 ** 63) && !ks.every((other) => other < 1)) throw executionError(`Scalar value ${k} overflows int64`)
  return Math.trunc(k)
}

function choose(op: Op, entries: readonly Entry[], k: number): Entry[] {
  if (!(k >= 1)) return []
  if (op === 'limitk') return entries.slice(0, k)
  const isWorse = op === 'topk' ? (a: number, b: number) => a < b : (a: number, b: number) => a > b
  const heap: Entry[] = []
  for (const entry of entries) {
    const worst = heap[0]
    if (heap.length < k) push(heap, entry, isWorse)
    else if (worst && (isWorse(worst.value, entry.value) || (Number.isNaN(worst.value) && !Number.isNaN(entry.value)))) {
      heap[0] = entry
      sink(heap, isWorse)
    }
  }
  return heap.sort((a, b) => {
    if (Number.isNaN(a.value) || Number.isNaN(b.value)) return Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value))
    return isWorse(a.value, b.value) ? 1 : isWorse(b.value, a.value) ? -1 : 0
  })
}

type Worse = (a: number, b: number) => boolean

/** NaN is the worst value. */
const isBelow = (heap: readonly Entry[], a: number, b: number, isWorse: Worse): boolean => {
  const value = heap[a]?.value ?? NaN
  return Number.isNaN(value) || isWorse(value, heap[b]?.value ?? NaN)
}

function swap(heap: Entry[], a: number, b: number): void {
  const [first, second] = [heap[a], heap[b]]
  if (!first || !second) return
  heap[a] = second
  heap[b] = first
}

/** A heap with the worst at its top, as Go keeps it: which of equal values stay depends on it. */
function push(heap: Entry[], entry: Entry, isWorse: Worse): void {
  heap.push(entry)
  for (let child = heap.length - 1; child > 0; ) {
    const parent = (child - 1) >> 1
    if (!isBelow(heap, child, parent, isWorse)) return
    swap(heap, parent, child)
    child = parent
  }
}

function sink(heap: Entry[], isWorse: Worse): void {
  for (let parent = 0; ; ) {
    const left = 2 * parent + 1
    if (left >= heap.length) return
    const child = left + 1 < heap.length && isBelow(heap, left + 1, left, isWorse) ? left + 1 : left
    if (!isBelow(heap, child, parent, isWorse)) return
    swap(heap, parent, child)
    parent = child
  }
}
