import { type SampleColumns, valueAt } from '@vedette/shared/metrics/block'
import { addExactly, addTotal, type ExactSum, totalOf } from './exact.ts'
import type { SampleSink, Window } from './piece-merger.ts'

/** One field over some samples, in scaled integers. Totals of disjoint samples add up to those of all of them. */
export interface FieldTotals {
  /** Samples that have the field; at least 1. */
  count: number
  sum: number | bigint
  max: number
  /** The newest value, and its instant: the newest sample may lack the field. */
  last: number
  lastAtMs: number
}

interface Running extends ExactSum {
  count: number
  max: number
  last: number
  lastAtMs: number
}

/** Adds up every field of the samples within the window. */
export class Summary implements SampleSink {
  readonly #window: Window
  readonly #running = new Map<number, Running>()

  constructor(window: Window) {
    this.#window = window
  }

  add(columns: SampleColumns, stands: Uint8Array | undefined): void {
    const { atMs, fieldIds, values } = columns
    const from = firstNotBefore(atMs, this.#window.fromMs)
    const to = firstNotBefore(atMs, this.#window.toMs)
    for (const [row, id] of fieldIds.entries()) addRange(this.#of(id), values, row * atMs.length, atMs, from, to, stands)
  }

  /** Adds precomputed totals. The caller must not add the same samples. */
  addTotals(fieldId: number, totals: FieldTotals): void {
    const running = this.#of(fieldId)
    running.count += totals.count
    addTotal(running, totals.sum)
    running.max = Math.max(running.max, totals.max)
    takeLast(running, totals.last, totals.lastAtMs)
  }

  /** By field id; a field without a value in the window is not among them. */
  totals(): Map<number, FieldTotals> {
    const found = new Map<number, FieldTotals>()
    for (const [id, { count, max, last, lastAtMs, ...sum }] of this.#running) {
      if (count > 0) found.set(id, { count, sum: totalOf(sum), max, last, lastAtMs })
    }
    return found
  }

  #of(fieldId: number): Running {
    let running = this.#running.get(fieldId)
    if (!running) {
      const never = Number.NEGATIVE_INFINITY
      running = { count: 0, low: 0, high: 0n, max: never, last: Number.NaN, lastAtMs: never }
      this.#running.set(fieldId, running)
    }
    return running
  }
}

/** Index of the first instant that is not before `ms`; the number of instants when all are. */
export function firstNotBefore(atMs: Float64Array, ms: number): number {
  let low = 0
  let high = atMs.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (valueAt(atMs, middle) < ms) low = middle + 1
    else high = middle
  }
  return low
}

function addRange(
  running: Running,
  values: Float64Array,
  offset: number,
  atMs: Float64Array,
  from: number,
  to: number,
  stands: Uint8Array | undefined,
): void {
  let newest = -1
  let { count, max, low } = running
  let [least, greatest] = [low, low]
  for (let index = from; index < to; index++) {
    const value = values[offset + index] as number
    if (Number.isNaN(value) || (stands && stands[index] === 0)) continue
    low += value
    if (low < least) least = low
    else if (low > greatest) greatest = low
    if (value > max) max = value
    count++
    newest = index
  }
  if (greatest <= Number.MAX_SAFE_INTEGER && least >= Number.MIN_SAFE_INTEGER) running.low = low
  else addCarrying(running, values, offset, from, to, stands)
  running.count = count
  running.max = max
  if (newest >= 0) takeLast(running, valueAt(values, offset + newest), valueAt(atMs, newest))
}

/** A sum that passed what a double holds exactly may be rounded, but never back below it: it is made again, value by value. */
function addCarrying(
  running: Running,
  values: Float64Array,
  offset: number,
  from: number,
  to: number,
  stands: Uint8Array | undefined,
): void {
  for (let index = from; index < to; index++) {
    const value = valueAt(values, offset + index)
    if (!Number.isNaN(value) && stands?.[index] !== 0) addExactly(running, value)
  }
}

function takeLast(running: Running, last: number, lastAtMs: number): void {
  if (lastAtMs <= running.lastAtMs) return
  running.last = last
  running.lastAtMs = lastAtMs
}
