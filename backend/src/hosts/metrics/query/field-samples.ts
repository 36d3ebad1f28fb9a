import { valueAt, type SampleColumns } from '@vedette/shared/metrics/block'
import type { ReadSource } from '../../../platform/db/index.ts'
import { Series, type StoredGroup, type Window } from '../aggregate/index.ts'
import { SCALES } from '../aggregate/stored-fields.ts'
import { BUCKET_MS, DAY_MS } from '../storage/schedule.ts'
import type { SampleReader, SeriesSink } from './sample-reader.ts'

/** One field in order of time, without the samples that do not have it. Means of five minutes stand at their end. */
export interface FieldSamples {
  atMs: Float64Array
  values: Float64Array
  /** Of single samples the same. */
  maxima: Float64Array
}

export interface FieldQuestion {
  organization: number
  servers: readonly number[]
  /** Instants [fromMs, toMs). */
  window: Window
  groups: readonly StoredGroup[]
  fieldIds: ReadonlySet<number>
}

/** By server, then by field. */
export type FoundFields = Map<number, Map<number, FieldSamples>>

/** Every sample of these fields, one by one: what is older than they are kept is absent. */
export async function readSingle(from: ReadSource, samples: SampleReader, question: FieldQuestion): Promise<FoundFields> {
  const { window, fieldIds } = question
  const sinks = new Map(question.servers.map((server) => [server, new SingleSamples(window, fieldIds)]))
  const sinksOf = (server: number) => ({ series: sinks.get(server) as SeriesSink })
  // A step below a bucket: nothing is taken by what it adds up to.
  await samples.read(from, { ...question, core: window, stepMs: 1_000, sinksOf })
  return new Map([...sinks].map(([server, sink]) => [server, sink.fields()]))
}

/** Means and maxima of these fields over the five minutes of the clock that end in the window. */
export async function readMeans(from: ReadSource, samples: SampleReader, question: FieldQuestion): Promise<FoundFields> {
  const { fromMs, toMs } = question.window
  // A day that is stored by its means alone has no parts.
  const window = { fromMs: Math.floor(fromMs / DAY_MS) * DAY_MS, toMs: Math.floor(toMs / BUCKET_MS) * BUCKET_MS }
  if (window.fromMs >= window.toMs) return new Map()
  const series = new Map(question.servers.map((server) => [server, new Series(window, BUCKET_MS)]))
  const sinksOf = (server: number) => ({ series: series.get(server) as SeriesSink })
  await samples.read(from, { ...question, window, core: window, stepMs: BUCKET_MS, sinksOf })
  return new Map([...series].map(([server, own]) => [server, meansOf(own, fromMs)]))
}

function meansOf(series: Series, fromMs: number): Map<number, FieldSamples> {
  const { fromMs: startMs, stepMs, points, fields } = series.points()
  const first = Math.max(0, Math.ceil((fromMs - startMs) / stepMs) - 1)
  return new Map(
    [...fields].map(([id, { avg, max }]) => {
      const found = { atMs: new Float64Array(points), values: new Float64Array(points), maxima: new Float64Array(points) }
      let count = 0
      for (let step = first; step < points; step++) {
        const mean = avg[step] ?? null
        if (mean === null) continue
        found.atMs[count] = startMs + (step + 1) * stepMs
        found.values[count] = mean
        found.maxima[count] = max[step] ?? Number.NaN
        count++
      }
      return [id, shortened(found, count)]
    }),
  )
}

const shortened = ({ atMs, values, maxima }: FieldSamples, count: number): FieldSamples => ({
  atMs: atMs.subarray(0, count),
  values: values.subarray(0, count),
  maxima: maxima.subarray(0, count),
})

const FIRST_ROOM = 64

/** Takes samples as they come; a row of numbers for the instants and one for each field, which grow together. */
class SingleSamples implements SeriesSink {
  readonly #window: Window
  readonly #wanted: ReadonlySet<number>
  readonly #columns = new Map<number, Float64Array>()
  #atMs = new Float64Array(FIRST_ROOM)
  #count = 0
  #isInOrder = true

  constructor(window: Window, wanted: ReadonlySet<number>) {
    this.#window = window
    this.#wanted = wanted
  }

  add({ atMs, fieldIds, values }: SampleColumns, stands?: Uint8Array): void {
    const { fromMs, toMs } = this.#window
    const first = this.#count
    const taken: number[] = []
    for (let index = 0; index < atMs.length; index++) {
      const at = valueAt(atMs, index)
      if (at >= fromMs && at < toMs && stands?.[index] !== 0) taken.push(index)
    }
    this.#makeRoom(first + taken.length)
    for (const [position, index] of taken.entries()) {
      const at = valueAt(atMs, index)
      const target = first + position
      if (target > 0 && at < valueAt(this.#atMs, target - 1)) this.#isInOrder = false
      this.#atMs[target] = at
    }
    for (const [row, id] of fieldIds.entries()) {
      if (!this.#wanted.has(id)) continue
      const column = this.#columnOf(id)
      for (const [position, index] of taken.entries()) column[first + position] = valueAt(values, row * atMs.length + index)
    }
    this.#count = first + taken.length
  }

  addColumns(columns: SampleColumns): void {
    this.add(columns)
  }

  /** Nothing is read by what it adds up to. */
  addTotals(): void {}
  addBuckets(): void {}

  fields(): Map<number, FieldSamples> {
    const order = this.#isInOrder ? undefined : this.#order()
    return new Map([...this.#columns].map(([id, column]) => [id, this.#field(column, SCALES.get(id) ?? 1, order)]))
  }

  #field(column: Float64Array, scale: number, order: readonly number[] | undefined): FieldSamples {
    const [atMs, values] = [new Float64Array(this.#count), new Float64Array(this.#count)]
    let count = 0
    for (let position = 0; position < this.#count; position++) {
      const index = order?.[position] ?? position
      const value = valueAt(column, index)
      if (Number.isNaN(value)) continue
      atMs[count] = valueAt(this.#atMs, index)
      values[count] = value / scale
      count++
    }
    const found = { atMs: atMs.subarray(0, count), values: values.subarray(0, count) }
    return { ...found, maxima: found.values }
  }

  #order(): number[] {
    return Array.from({ length: this.#count }, (_, index) => index).sort(
      (one, other) => valueAt(this.#atMs, one) - valueAt(this.#atMs, other),
    )
  }

  #columnOf(id: number): Float64Array {
    const known = this.#columns.get(id)
    if (known) return known
    const made = new Float64Array(this.#atMs.length).fill(Number.NaN)
    this.#columns.set(id, made)
    return made
  }

  #makeRoom(count: number): void {
    if (count <= this.#atMs.length) return
    const room = Math.max(count, this.#atMs.length * 2)
    const larger = (column: Float64Array, filling: number) => {
      const made = new Float64Array(room).fill(filling, column.length)
      made.set(column)
      return made
    }
    this.#atMs = larger(this.#atMs, 0)
    for (const [id, column] of this.#columns) this.#columns.set(id, larger(column, Number.NaN))
  }
}
