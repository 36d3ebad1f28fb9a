import { SERIES_STEPS_SECONDS } from '@vedette/shared'
import { type SampleColumns, valueAt } from '../block/index.ts'
import { addExactly, addTotal, divideExactly, type ExactSum, totalOf } from './exact.ts'
import type { SampleSink, Window } from './merge.ts'
import { SCALES } from './stored-fields.ts'
import { type FieldTotals, firstNotBefore } from './summary.ts'

export interface SeriesPoints {
  /** The first step begins here, a multiple of the step. */
  fromMs: number
  stepMs: number
  points: number
  /** By field id, in the unit of the wire; null where a step has no value. Fields without any value are not among them. */
  fields: Map<number, { avg: (number | null)[]; max: (number | null)[] }>
}

/**
 * The smallest step, in seconds, that shows the period in at most so many points and is no finer than the samples;
 * the largest when none does.
 */
export function chooseStep(periodMs: number, points: number, sampleIntervalSeconds: number): number {
  const step = SERIES_STEPS_SECONDS.find(
    (seconds) => seconds >= sampleIntervalSeconds && Math.ceil(periodMs / (seconds * 1_000)) <= points,
  )
  return step ?? Math.max(...SERIES_STEPS_SECONDS)
}

/** The window moved up to whole steps: it ends with the step that holds its end, and has no more steps than its length needs. */
export function alignWindow(window: Window, stepMs: number): Window {
  const toMs = Math.ceil(window.toMs / stepMs) * stepMs
  return { fromMs: toMs - Math.ceil((window.toMs - window.fromMs) / stepMs) * stepMs, toMs }
}

interface Bucket extends ExactSum {
  count: number
  max: number
}

/** Mean and maximum per step of the samples within the window; a step that the window cuts holds what lies inside. */
export class Series implements SampleSink {
  readonly #window: Window
  readonly #fromMs: number
  readonly #stepMs: number
  readonly #points: number
  readonly #buckets = new Map<number, (Bucket | undefined)[]>()

  constructor(window: Window, stepMs: number) {
    this.#window = window
    this.#stepMs = stepMs
    this.#fromMs = Math.floor(window.fromMs / stepMs) * stepMs
    this.#points = Math.ceil((window.toMs - this.#fromMs) / stepMs)
  }

  add(columns: SampleColumns, stands: Uint8Array | undefined): void {
    const { atMs, fieldIds, values } = columns
    const from = firstNotBefore(atMs, this.#window.fromMs)
    const to = firstNotBefore(atMs, this.#window.toMs)
    for (const [row, id] of fieldIds.entries()) {
      const buckets = this.#of(id)
      for (let index = from; index < to; index++) {
        const value = valueAt(values, row * atMs.length + index)
        if (Number.isNaN(value) || (stands && stands[index] === 0)) continue
        const bucket = bucketAt(buckets, this.#placeOf(valueAt(atMs, index)))
        addExactly(bucket, value)
        bucket.count++
        if (value > bucket.max) bucket.max = value
      }
    }
  }

  /** Takes what was added up before over samples from `startMs` on, all within one step; nothing when that lies outside. */
  addTotals(startMs: number, fieldId: number, totals: Pick<FieldTotals, 'count' | 'sum' | 'max'>): void {
    const place = this.#placeOf(startMs)
    if (place < 0 || place >= this.#points) return
    const bucket = bucketAt(this.#of(fieldId), place)
    addTotal(bucket, totals.sum)
    bucket.count += totals.count
    bucket.max = Math.max(bucket.max, totals.max)
  }

  points(): SeriesPoints {
    const fields: SeriesPoints['fields'] = new Map()
    for (const [id, buckets] of this.#buckets) {
      if (!buckets.some((bucket) => bucket !== undefined)) continue
      const scale = SCALES.get(id) ?? 1
      fields.set(id, {
        avg: buckets.map((bucket) => (bucket ? divideExactly(totalOf(bucket), bucket.count * scale) : null)),
        max: buckets.map((bucket) => (bucket ? bucket.max / scale : null)),
      })
    }
    return { fromMs: this.#fromMs, stepMs: this.#stepMs, points: this.#points, fields }
  }

  #placeOf(atMs: number): number {
    return Math.floor((atMs - this.#fromMs) / this.#stepMs)
  }

  #of(fieldId: number): (Bucket | undefined)[] {
    let buckets = this.#buckets.get(fieldId)
    if (!buckets) {
      buckets = Array.from({ length: this.#points }, () => undefined)
      this.#buckets.set(fieldId, buckets)
    }
    return buckets
  }
}

function bucketAt(buckets: (Bucket | undefined)[], place: number): Bucket {
  return (buckets[place] ??= { count: 0, low: 0, high: 0n, max: Number.NEGATIVE_INFINITY })
}
