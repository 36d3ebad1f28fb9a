import { SERIES_STEPS_SECONDS } from '@vedette/shared'
import { type SampleColumns, valueAt } from '@vedette/shared/metrics/block'
import {
  addBuckets,
  addColumn,
  addRuns,
  addToBucket,
  copyBuckets,
  createBuckets,
  type FieldBuckets,
  runsOf,
  sumAt,
} from './buckets.ts'
import { divideExactly } from './exact.ts'
import type { SampleSink, Window } from './piece-merger.ts'
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

/** Mean and maximum per step of the samples within the window; a step that the window cuts holds what lies inside. */
export class Series implements SampleSink {
  readonly #window: Window
  readonly #fromMs: number
  readonly #stepMs: number
  readonly #points: number
  readonly #fields = new Map<number, FieldBuckets>()

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
    const buckets = new Int32Array(atMs.length).fill(-1)
    for (let index = from; index < to; index++) {
      if (stands?.[index] !== 0) buckets[index] = this.#bucketOf(valueAt(atMs, index))
    }
    for (const [row, id] of fieldIds.entries()) addColumn(this.#of(id), values, row * atMs.length, buckets)
  }

  /** As `add`, for samples that lie within the window, each of which stands. */
  addColumns({ atMs, fieldIds, values }: SampleColumns): void {
    const runs = runsOf(atMs, this.#fromMs, this.#stepMs)
    for (const [row, id] of fieldIds.entries())
      addRuns(this.#of(id), values.subarray(row * atMs.length, (row + 1) * atMs.length), runs)
  }

  /** Takes what was added up before over samples from `startMs` on, all within one step; nothing when that lies outside. */
  addTotals(startMs: number, fieldId: number, totals: Pick<FieldTotals, 'count' | 'sum' | 'max'>): void {
    const bucket = this.#bucketOf(startMs)
    if (bucket >= 0 && bucket < this.#points) addToBucket(this.#of(fieldId), bucket, totals)
  }

  /** The same for one field in equal buckets from `startMs` on, each within one step; with `window`, for those that lie in it. */
  addBuckets(startMs: number, bucketMs: number, fieldId: number, buckets: FieldBuckets, window?: Window): void {
    if (!window && bucketMs === this.#stepMs && (startMs - this.#fromMs) % bucketMs === 0) {
      if (copyBuckets(this.#of(fieldId), buckets, this.#bucketOf(startMs))) return
    }
    addBuckets(this.#of(fieldId), buckets, (part) => {
      const atMs = startMs + part * bucketMs
      return window && (atMs < window.fromMs || atMs >= window.toMs) ? -1 : this.#bucketOf(atMs)
    })
  }

  /** What was taken, as it was added up: by field id, a number for each step. */
  sums(): Omit<SeriesPoints, 'fields'> & { fields: ReadonlyMap<number, FieldBuckets> } {
    return { fromMs: this.#fromMs, stepMs: this.#stepMs, points: this.#points, fields: this.#fields }
  }

  points(): SeriesPoints {
    const fields: SeriesPoints['fields'] = new Map()
    for (const [id, field] of this.#fields) {
      if (field.counts.some((count) => count > 0)) fields.set(id, toPoints(field, SCALES.get(id) ?? 1))
    }
    return { fromMs: this.#fromMs, stepMs: this.#stepMs, points: this.#points, fields }
  }

  #bucketOf(atMs: number): number {
    return Math.floor((atMs - this.#fromMs) / this.#stepMs)
  }

  #of(fieldId: number): FieldBuckets {
    let field = this.#fields.get(fieldId)
    if (!field) {
      field = createBuckets(this.#points)
      this.#fields.set(fieldId, field)
    }
    return field
  }
}

function toPoints(field: FieldBuckets, scale: number): { avg: (number | null)[]; max: (number | null)[] } {
  const avg: (number | null)[] = []
  const max: (number | null)[] = []
  for (let bucket = 0; bucket < field.counts.length; bucket++) {
    const count = valueAt(field.counts, bucket)
    avg.push(count > 0 ? divideExactly(sumAt(field, bucket), count * scale) : null)
    max.push(count > 0 ? valueAt(field.maxima, bucket) / scale : null)
  }
  return { avg, max }
}
