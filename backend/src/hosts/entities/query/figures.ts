import type { EntityKindName, EntityMetrics } from '@vedette/shared'
import { type SampleColumns, valueAt } from '@vedette/shared/metrics/block'
import { fieldsOf, fromStored, type StoredField } from '../storage/fields.ts'

export interface Steps {
  fromMs: number
  toMs: number
  stepMs: number
}

/** Newest, mean and maximum of each field of an entity, from pieces of its history in order. */
export class Summary {
  readonly #kind: EntityKindName
  readonly #fields = new Map<string, { newest: number; sum: number; count: number; max: number }>()

  constructor(kind: EntityKindName) {
    this.#kind = kind
  }

  add(columns: SampleColumns): void {
    for (const field of fieldsOf(this.#kind)) {
      const values = valuesOf(columns, field)?.filter((value) => !Number.isNaN(value))
      if (!values || values.length === 0) continue
      const all = this.#fields.get(field.name) ?? { newest: 0, sum: 0, count: 0, max: -Infinity }
      for (const value of values) {
        all.sum += value
        all.max = Math.max(all.max, value)
      }
      all.count += values.length
      all.newest = values.at(-1) as number
      this.#fields.set(field.name, all)
    }
  }

  figures(): EntityMetrics['metrics'] {
    return Object.fromEntries(
      fieldsOf(this.#kind).flatMap(({ name }) => {
        const all = this.#fields.get(name)
        return all ? [[name, { newest: all.newest, avg: rounded(all.sum / all.count), max: all.max }]] : []
      }),
    )
  }
}

/** Mean and maximum of each field of an entity per step, from pieces of its history. */
export class Series {
  readonly #kind: EntityKindName
  readonly #steps: Steps
  readonly #points: number
  readonly #fields = new Map<string, { sums: Float64Array; counts: Float64Array; maxima: Float64Array }>()

  constructor(kind: EntityKindName, steps: Steps) {
    this.#kind = kind
    this.#steps = steps
    this.#points = Math.max(1, Math.round((steps.toMs - steps.fromMs) / steps.stepMs))
  }

  add(columns: SampleColumns): void {
    const { fromMs, stepMs } = this.#steps
    const steps = columns.atMs.map((at) => Math.floor((at - fromMs) / stepMs))
    for (const field of fieldsOf(this.#kind)) {
      const values = valuesOf(columns, field)
      if (!values) continue
      const { sums, counts, maxima } = this.#bucketsOf(field.name)
      for (const [index, value] of values.entries()) {
        const step = valueAt(steps, index)
        if (Number.isNaN(value) || step < 0 || step >= this.#points) continue
        sums[step] = valueAt(sums, step) + value
        counts[step] = valueAt(counts, step) + 1
        maxima[step] = Math.max(valueAt(maxima, step), value)
      }
    }
  }

  figures(): NonNullable<EntityMetrics['series']> {
    const { fromMs, stepMs } = this.#steps
    const fields = fieldsOf(this.#kind).flatMap(({ name }) => {
      const found = this.#fields.get(name)
      if (!found) return []
      const { sums, counts, maxima } = found
      const of = (value: (step: number) => number) =>
        Array.from(counts, (count, step) => (count === 0 ? null : rounded(value(step))))
      return [
        [name, { avg: of((step) => valueAt(sums, step) / valueAt(counts, step)), max: of((step) => valueAt(maxima, step)) }],
      ] as const
    })
    return {
      step_seconds: stepMs / 1000,
      from: new Date(fromMs).toISOString(),
      points: this.#points,
      fields: Object.fromEntries(fields),
    }
  }

  #bucketsOf(name: string) {
    const made = this.#fields.get(name) ?? {
      sums: new Float64Array(this.#points),
      counts: new Float64Array(this.#points),
      maxima: new Float64Array(this.#points).fill(-Infinity),
    }
    this.#fields.set(name, made)
    return made
  }
}

const rounded = (value: number): number => Number(value.toPrecision(12))

/** The same by the name of the field. */
export function valuesOfField(kind: EntityKindName, columns: SampleColumns, name: string): Float64Array | undefined {
  const field = fieldsOf(kind).find((one) => one.name === name)
  return field && valuesOf(columns, field)
}

/** The values of a field, NaN where it was not read; undefined where it never was. */
function valuesOf({ atMs, fieldIds, values }: SampleColumns, field: StoredField): Float64Array | undefined {
  const row = fieldIds.indexOf(field.column)
  if (row < 0) return undefined
  const count = atMs.length
  const own = values.subarray(row * count, (row + 1) * count)
  const exponents = field.scale === undefined ? fieldIds.indexOf(field.column + 1) : -1
  return own.map((value, index) =>
    Number.isNaN(value) ? value : fromStored(field, value, exponents < 0 ? 0 : valueAt(values, exponents * count + index)),
  )
}
