import PQueue from 'p-queue'
import { valueAt, type SampleColumns } from '@vedette/shared/metrics/block'
import type { ReadSource } from '../../../platform/db/index.ts'
import { meanAt, Series, type StoredGroup, type Window } from '../aggregate/index.ts'
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
  /** Where these instants alone are looked at, and of each what is this old at most: other means are left out. */
  instants?: { firstMs: number; stepMs: number; lookbackMs: number } | undefined
}

/** By server, then by field. */
export type FoundFields = Map<number, Map<number, FieldSamples>>

/** Every sample of these fields, one by one: what is older than they are kept is absent. */
export async function readSingle(from: ReadSource, samples: SampleReader, question: FieldQuestion): Promise<FoundFields> {
  const { window, fieldIds } = question
  const sinks = new Map(question.servers.map((server) => [server, new SingleSamples(window, fieldIds)]))
  const sinksOf = (server: number) => ({ series: sinks.get(server) as SeriesSink })
  // A step below a bucket: nothing is taken by what it adds up to.
  await inBatches(question.servers, (servers) =>
    samples.read(from, { ...question, servers, core: window, stepMs: 1_000, sinksOf }),
  )
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
  await inBatches(question.servers, (servers) =>
    samples.read(from, { ...question, servers, window, core: window, stepMs: BUCKET_MS, sinksOf }),
  )
  return new Map([...series].map(([server, own]) => [server, meansOf(own, fromMs, question.instants)]))
}

/** Servers of one statement, and how many of these run: while the database reads some, others are decoded. */
const [SERVERS_AT_ONCE, STATEMENTS_AT_ONCE] = [250, 2]

async function inBatches(servers: readonly number[], read: (servers: readonly number[]) => Promise<unknown>): Promise<void> {
  const batches = Array.from({ length: Math.ceil(servers.length / SERVERS_AT_ONCE) }, (_, index) =>
    servers.slice(index * SERVERS_AT_ONCE, (index + 1) * SERVERS_AT_ONCE),
  )
  const queue = new PQueue({ concurrency: STATEMENTS_AT_ONCE })
  try {
    await queue.addAll(batches.map((some) => () => read(some)))
  } catch (error) {
    // The transaction of the statements must not end below one that runs.
    queue.clear()
    await queue.onIdle()
    throw error
  }
}

function meansOf(series: Series, fromMs: number, instants: FieldQuestion['instants']): Map<number, FieldSamples> {
  const { fromMs: startMs, stepMs, points, fields } = series.sums()
  const first = Math.max(0, Math.ceil((fromMs - startMs) / stepMs) - 1)
  const seen: number[] = []
  for (let step = first; step < points; step++) if (isSeen(startMs + (step + 1) * stepMs, instants)) seen.push(step)
  const found = new Map<number, FieldSamples>()
  for (const [id, field] of fields) {
    const scale = SCALES.get(id) ?? 1
    const numbers = () => new Float64Array(seen.length)
    const own = { atMs: numbers(), values: numbers(), maxima: numbers() }
    let count = 0
    for (const step of seen) {
      if (field.counts[step] === 0) continue
      own.atMs[count] = startMs + (step + 1) * stepMs
      own.values[count] = meanAt(field, step, scale)
      own.maxima[count] = valueAt(field.maxima, step) / scale
      count++
    }
    if (count > 0) found.set(id, shortened(own, count))
  }
  return found
}

/** Whether one of the instants looks back at it. Pure. */
export function isSeen(atMs: number, instants: FieldQuestion['instants']): boolean {
  if (!instants) return true
  const { firstMs, stepMs, lookbackMs } = instants
  if (atMs <= firstMs) return firstMs - atMs < lookbackMs
  return firstMs + Math.ceil((atMs - firstMs) / stepMs) * stepMs - atMs < lookbackMs
}

const shortened = ({ atMs, values, maxima }: FieldSamples, count: number): FieldSamples => ({
  atMs: atMs.subarray(0, count),
  values: values.subarray(0, count),
  maxima: maxima.subarray(0, count),
})

/** Hosts are sampled no more often, as a rule; more samples make more room. */
const USUAL_STEP_MS = 10_000
const [LEAST_ROOM, MOST_ROOM] = [64, 8_640]

/** Takes samples as they come; a row of numbers for the instants and one for each field, which grow together. */
class SingleSamples implements SeriesSink {
  readonly #window: Window
  readonly #wanted: ReadonlySet<number>
  readonly #columns = new Map<number, Float64Array>()
  #atMs: Float64Array
  #count = 0
  #isInOrder = true

  constructor(window: Window, wanted: ReadonlySet<number>) {
    this.#window = window
    this.#wanted = wanted
    // Arrays that grow cost more than what is read into them.
    const usual = Math.ceil((window.toMs - window.fromMs) / USUAL_STEP_MS)
    this.#atMs = new Float64Array(Math.min(Math.max(usual, LEAST_ROOM), MOST_ROOM))
  }

  add({ atMs, fieldIds, values }: SampleColumns, stands?: Uint8Array): void {
    const first = this.#count
    const taken = this.#taken(atMs, stands)
    const count = taken?.length ?? atMs.length
    this.#makeRoom(first + count)
    let lastMs = first > 0 ? valueAt(this.#atMs, first - 1) : Number.NEGATIVE_INFINITY
    for (let position = 0; position < count; position++) {
      const at = valueAt(atMs, taken ? (taken[position] as number) : position)
      if (at < lastMs) this.#isInOrder = false
      lastMs = at
      this.#atMs[first + position] = at
    }
    for (let row = 0; row < fieldIds.length; row++) {
      const id = fieldIds[row] as number
      if (!this.#wanted.has(id)) continue
      const [column, from] = [this.#columnOf(id), row * atMs.length]
      for (let position = 0; position < count; position++)
        column[first + position] = valueAt(values, from + (taken ? (taken[position] as number) : position))
    }
    this.#count = first + count
  }

  /** Which samples stand and are in the window; undefined: all of them, as nearly always. */
  #taken(atMs: Float64Array, stands: Uint8Array | undefined): number[] | undefined {
    const { fromMs, toMs } = this.#window
    const isTaken = (at: number, index: number) => at >= fromMs && at < toMs && stands?.[index] !== 0
    let all = 0
    while (all < atMs.length && isTaken(valueAt(atMs, all), all)) all += 1
    return all === atMs.length ? undefined : [...atMs.keys()].filter((index) => isTaken(valueAt(atMs, index), index))
  }

  addColumns(columns: SampleColumns): void {
    this.add(columns)
  }

  /** Nothing is read by what it adds up to. */
  addTotals(): void {}
  addBuckets(): void {}

  /** All that was taken; once, as the values are changed in their place. */
  fields(): Map<number, FieldSamples> {
    const order = this.#isInOrder ? undefined : this.#order()
    const atMs = this.#atMs.subarray(0, this.#count)
    return new Map(
      [...this.#columns].map(([id, column]) => [id, fieldOf(atMs, column.subarray(0, this.#count), SCALES.get(id) ?? 1, order)]),
    )
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

/** One field: the values themselves in place where all samples have one and are in order. */
function fieldOf(atMs: Float64Array, column: Float64Array, scale: number, order: readonly number[] | undefined): FieldSamples {
  if (!order && column.every((value) => !Number.isNaN(value))) {
    if (scale !== 1) for (let index = 0; index < column.length; index++) column[index] = valueAt(column, index) / scale
    return { atMs, values: column, maxima: column }
  }
  const [instants, values] = [new Float64Array(column.length), new Float64Array(column.length)]
  let count = 0
  for (let position = 0; position < column.length; position++) {
    const index = order?.[position] ?? position
    const value = valueAt(column, index)
    if (Number.isNaN(value)) continue
    instants[count] = valueAt(atMs, index)
    values[count] = value / scale
    count++
  }
  const found = { atMs: instants.subarray(0, count), values: values.subarray(0, count) }
  return { ...found, maxima: found.values }
}
