import { ALL_FIELDS, type NamedField } from '@vedette/shared'
import { scaleOf, type SampleColumns } from '../block/index.ts'

/** One column as sent; null, undefined or NaN, which JSON cannot write, where the value is absent. */
export type SentColumn = readonly unknown[]

export interface DoorField extends NamedField {
  scale: number
  /** The greatest value as sent; the scaled one is bounded beside. */
  max: number
}

/** In the order of ids: the order of blocks and digests, whatever the order of the table and of the body. */
export const DOOR_FIELDS: readonly DoorField[] = ALL_FIELDS.map((field) => ({
  ...field,
  scale: scaleOf(field),
  max: field.unit === 'percent' ? 100 : Number.POSITIVE_INFINITY,
})).sort((left, right) => left.id - right.id)

/** Stands for an absent value in what is hashed; no value is negative. NaN would not do: its bits are not fixed. */
export const ABSENT = -1

/** Samples of one batch in two forms side by side: as sent, for the digest, and as stored, for the block. */
export interface Readings extends SampleColumns {
  /**
   * Rows of `1 + samples` numbers: first the count and the instants, then each field's id and its values as sent.
   * The same samples give the same numbers, whether they came by rows or by columns.
   */
  sent: Float64Array
}

/** Why samples are refused, by their index; the first reason stands. */
export type Refusals = Map<number, string>

export interface GivenColumn {
  field: DoorField
  column: SentColumn
}

/** What a batch sends, by columns whichever form it came in: types and lengths are checked, values are not yet judged. */
export interface SentSamples {
  atMs: Float64Array
  given: GivenColumn[]
}

/** Kept between calls: memory of this size lies outside of the heap, and fetching it anew costs a push up to a third more. */
const sharedSent = new Float64Array(16_384)
const sharedValues = new Float64Array(16_384)
const room = (shared: Float64Array, length: number) => (length <= shared.length ? shared : new Float64Array(length))

/**
 * Columns in the order of ids as readings, which hold until the next call.
 * A column without any value leaves no trace, like one that was not sent.
 */
export function toReadings(atMs: Float64Array, given: readonly GivenColumn[], refusals: Refusals): Readings {
  const count = atMs.length
  const sent = room(sharedSent, (given.length + 1) * (count + 1))
  const values = room(sharedValues, given.length * count)
  const fieldIds: number[] = []
  sent[0] = count
  sent.set(atMs, 1)
  for (const { field, column } of given) {
    const kept = fieldIds.length
    const hasValue = takeColumn(field, column, sent, (kept + 1) * (count + 1), values, kept * count, refusals)
    if (hasValue) fieldIds.push(field.id)
  }
  const rows = fieldIds.length
  return { atMs, fieldIds, sent: sent.subarray(0, (rows + 1) * (count + 1)), values: values.subarray(0, rows * count) }
}

/** The hot loop of the door. Types were checked: what is no number is absent. */
function takeColumn(
  field: DoorField,
  column: SentColumn,
  sent: Float64Array,
  sentFrom: number,
  values: Float64Array,
  valuesFrom: number,
  refusals: Refusals,
): boolean {
  const { scale, max } = field
  const count = column.length
  let hasValue = false
  sent[sentFrom] = field.id
  for (let index = 0; index < count; index++) {
    const value = column[index]
    let scaled = Number.NaN
    let raw = ABSENT
    if (typeof value === 'number' && !Number.isNaN(value)) {
      // Adding 0 turns -0 into 0.
      scaled = Math.round(value * scale) + 0
      raw = value + 0
      hasValue = true
      if (!(value >= 0 && value <= max && scaled <= Number.MAX_SAFE_INTEGER)) refuse(refusals, index, field, value)
    }
    sent[sentFrom + 1 + index] = raw
    values[valuesFrom + index] = scaled
  }
  return hasValue
}

function refuse(refusals: Refusals, index: number, field: DoorField, value: number): void {
  if (!refusals.has(index)) refusals.set(index, `${field.group}.${field.name} ${reasonAgainst(field, value)}`)
}

function reasonAgainst(field: DoorField, value: number): string {
  if (!Number.isFinite(value)) return 'is not a finite number'
  if (field.unit === 'percent') return 'is not between 0 and 100'
  return value < 0 ? 'is negative' : 'is too large'
}
