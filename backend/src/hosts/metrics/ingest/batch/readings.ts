import { ALL_FIELDS, type NamedField, type RejectionCode } from '@vedette/shared'
import { scaleOf, type SampleColumns } from '@vedette/shared/metrics/block'

/** One column as sent; null, undefined or NaN, which JSON cannot write, where the value is absent. */
export type SentColumn = readonly unknown[]

export interface SentField extends NamedField {
  scale: number
  /** The greatest value as sent; the scaled value has a limit of its own. */
  max: number
}

/** In the order of ids: the order of blocks and digests, whatever the order of the table and of the body. */
export const SENT_FIELDS: readonly SentField[] = ALL_FIELDS.map((field) => ({
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

/** Why a sample is rejected. */
export interface Rejection {
  code: RejectionCode
  message: string
}

/** Rejections of one batch by the index of their sample; the first reason stands. */
export type Rejections = Map<number, Rejection>

export interface GivenColumn {
  field: SentField
  column: SentColumn
}

/** Reused between calls: this memory is outside the heap, and allocating it makes a push up to a third more expensive. */
const sharedSent = new Float64Array(16_384)
const sharedValues = new Float64Array(16_384)
const room = (shared: Float64Array, length: number) => (length <= shared.length ? shared : new Float64Array(length))

/**
 * Columns in the order of ids as readings, which hold until the next call.
 * A column without any value leaves no trace, like one that was not sent.
 */
export function toReadings(atMs: Float64Array, given: readonly GivenColumn[], rejections: Rejections): Readings {
  const count = atMs.length
  const sent = room(sharedSent, (given.length + 1) * (count + 1))
  const values = room(sharedValues, given.length * count)
  const fieldIds: number[] = []
  sent[0] = count
  sent.set(atMs, 1)
  for (const { field, column } of given) {
    const row = fieldIds.length
    const hasValue = takeColumn(field, column, sent, (row + 1) * (count + 1), values, row * count, rejections)
    if (hasValue) fieldIds.push(field.id)
  }
  const rows = fieldIds.length
  return { atMs, fieldIds, sent: sent.subarray(0, (rows + 1) * (count + 1)), values: values.subarray(0, rows * count) }
}

/** By id. */
const FIELDS: (SentField | undefined)[] = []
for (const field of SENT_FIELDS) FIELDS[field.id] = field

/** Columns of a block as readings, which hold until the next call. Its fields are known ones. */
export function columnsToReadings({ atMs, fieldIds, values }: SampleColumns, rejections: Rejections): Readings {
  const count = atMs.length
  const sent = room(sharedSent, (fieldIds.length + 1) * (count + 1))
  sent[0] = count
  sent.set(atMs, 1)
  for (const [row, id] of fieldIds.entries()) {
    const field = FIELDS[id] as SentField
    const { scale, max } = field
    const from = (row + 1) * (count + 1)
    sent[from] = id
    for (let index = 0; index < count; index++) {
      const value = (values[row * count + index] as number) / scale
      const isAbsent = Number.isNaN(value)
      sent[from + 1 + index] = isAbsent ? ABSENT : value
      if (!isAbsent && !(value >= 0 && value <= max)) reject(rejections, index, field, value)
    }
  }
  return { atMs, fieldIds, values, sent: sent.subarray(0, (fieldIds.length + 1) * (count + 1)) }
}

/** The hot loop of the ingest endpoint. Types are checked: a value that is not a number is absent. */
function takeColumn(
  field: SentField,
  column: SentColumn,
  sent: Float64Array,
  sentFrom: number,
  values: Float64Array,
  valuesFrom: number,
  rejections: Rejections,
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
      if (!(value >= 0 && value <= max && scaled <= Number.MAX_SAFE_INTEGER)) reject(rejections, index, field, value)
    }
    sent[sentFrom + 1 + index] = raw
    values[valuesFrom + index] = scaled
  }
  return hasValue
}

function reject(rejections: Rejections, index: number, field: SentField, value: number): void {
  if (rejections.has(index)) return
  rejections.set(index, { code: 'invalid_value', message: `${field.group}.${field.name} ${reasonAgainst(field, value)}` })
}

function reasonAgainst(field: SentField, value: number): string {
  if (!Number.isFinite(value)) return 'is not a finite number'
  if (field.unit === 'percent') return 'is not between 0 and 100'
  return value < 0 ? 'is negative' : 'is too large'
}
