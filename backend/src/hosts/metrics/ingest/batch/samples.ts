import { MAX_SAMPLES_PER_BATCH, METRIC_GROUPS } from '@vedette/shared'
import type { BinaryBatch } from '@vedette/shared/metrics/binary-push'
import { BlockError, createSlab, decodePushBlock } from '@vedette/shared/metrics/block'
import { below, type Faults, type Fields, isFields } from './faults.ts'
import { parseInstant } from '../../../../platform/time/instant.ts'
import {
  columnsToReadings,
  type GivenColumn,
  type Readings,
  type Rejections,
  SENT_FIELDS,
  type SentColumn,
  toReadings,
} from './readings.ts'

/** The samples of a batch: types and lengths are checked, values are not validated yet. */
export interface SentSamples {
  atMs: Float64Array
  /** What is wrong with values goes into `rejections`. The readings hold until the next call, whatever batch it is of. */
  toReadings(rejections: Rejections): Readings
}

const sent = (atMs: Float64Array, given: readonly GivenColumn[]): SentSamples => ({
  atMs,
  toReadings: (rejections) => toReadings(atMs, given, rejections),
})

const NOTHING = sent(new Float64Array(0), [])
const slab = createSlab()

/** The samples of a block, until the next is read; faults are noted, and then what is returned is of no account. */
export function readBlock({ block, t0Ms }: BinaryBatch, path: string, faults: Faults): SentSamples {
  try {
    const columns = decodePushBlock(block, t0Ms, slab)
    return { atMs: columns.atMs, toReadings: (rejections) => columnsToReadings(columns, rejections) }
  } catch (error) {
    if (!(error instanceof BlockError)) throw error
    faults.add(path, error.message)
    return NOTHING
  }
}

/** The samples of a batch; faults are noted, and then what is returned is of no account. */
export function readSamples(batch: Fields, path: string, faults: Faults): SentSamples {
  const { samples, columns } = batch
  if ((samples === undefined) === (columns === undefined)) {
    faults.add(path, 'must have either samples or columns')
    return NOTHING
  }
  return samples === undefined
    ? readColumns(columns, below(path, 'columns'), faults)
    : readRows(samples, below(path, 'samples'), faults)
}

function isCount(list: unknown): list is unknown[] {
  return Array.isArray(list) && list.length >= 1 && list.length <= MAX_SAMPLES_PER_BATCH
}

function readColumns(columns: unknown, path: string, faults: Faults): SentSamples {
  if (!isFields(columns)) {
    faults.add(path, 'must be an object')
    return NOTHING
  }
  const { at_ms } = columns
  if (!isCount(at_ms) || !at_ms.every(Number.isInteger)) {
    faults.add(below(path, 'at_ms'), `must be an array of 1 to ${MAX_SAMPLES_PER_BATCH} integers`)
    return NOTHING
  }
  checkGroups(columns, path, faults)
  const given: GivenColumn[] = []
  for (const field of SENT_FIELDS) {
    const group = columns[field.group] as Fields | undefined
    const column = group?.[field.name]
    if (column === undefined) continue
    if (isColumn(column, at_ms.length)) given.push({ field, column })
    else reportColumn(column, at_ms.length, `${path}.${field.group}.${field.name}`, faults)
  }
  return sent(new Float64Array(at_ms as number[]), given)
}

function checkGroups(fields: Fields, path: string, faults: Faults): void {
  for (const group of METRIC_GROUPS) {
    const value = fields[group]
    if (value !== undefined && !isFields(value)) faults.add(below(path, group), 'must be an object')
  }
}

function isValue(value: unknown): value is number | null {
  return typeof value === 'number' || value === null
}

function isColumn(column: unknown, count: number): column is SentColumn {
  if (!Array.isArray(column) || column.length !== count) return false
  // A loop, not `every`: this is a tenth of what a push costs.
  for (let index = 0; index < count; index++) {
    if (!isValue(column[index])) return false
  }
  return true
}

function reportColumn(column: unknown, count: number, path: string, faults: Faults): void {
  if (!Array.isArray(column)) return faults.add(path, 'must be an array')
  if (column.length !== count) return faults.add(path, `must have as many entries as at_ms: ${count}`)
  for (const [index, value] of column.entries()) {
    if (!isValue(value)) faults.add(below(path, index), 'must be a number or null')
  }
}

function readRows(samples: unknown, path: string, faults: Faults): SentSamples {
  if (!isCount(samples)) {
    faults.add(path, `must be an array of 1 to ${MAX_SAMPLES_PER_BATCH} samples`)
    return NOTHING
  }
  const atMs = new Float64Array(samples.length)
  const columns: Columns = SENT_FIELDS.map(() => undefined)
  for (const [index, sample] of samples.entries()) {
    if (isFields(sample)) atMs[index] = readRow(sample, index, samples.length, columns, below(path, index), faults)
    else faults.add(below(path, index), 'must be an object')
  }
  const given = SENT_FIELDS.flatMap((field, fieldIndex) => {
    const column = columns[fieldIndex]
    return column ? [{ field, column }] : []
  })
  return sent(atMs, given)
}

/** By the index of the field; undefined until a sample has it. */
type Columns = (unknown[] | undefined)[]

/** Each group is looked up once a sample, not once a field. */
const FIELDS_BY_GROUP = METRIC_GROUPS.map((group) => ({
  group,
  fields: SENT_FIELDS.flatMap((field, fieldIndex) => (field.group === group ? [{ name: field.name, fieldIndex }] : [])),
}))

/** Puts the values of one sample into their columns and returns its instant. */
function readRow(sample: Fields, index: number, count: number, columns: Columns, path: string, faults: Faults): number {
  const at = parseInstant(sample['at'])
  if (at === undefined) faults.add(below(path, 'at'), 'must be an ISO 8601 instant with a zone')
  for (const { group, fields } of FIELDS_BY_GROUP) {
    const values = sample[group]
    if (values === undefined) continue
    if (!isFields(values)) {
      faults.add(below(path, group), 'must be an object')
      continue
    }
    for (const { name, fieldIndex } of fields) {
      const value = values[name]
      if (value === undefined || value === null) continue
      if (typeof value !== 'number') faults.add(`${path}.${group}.${name}`, 'must be a number or null')
      const column = (columns[fieldIndex] ??= Array.from<unknown>({ length: count }).fill(null))
      column[index] = value
    }
  }
  return at ?? 0
}
