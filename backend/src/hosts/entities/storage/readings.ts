import type { EntityKindName } from '@vedette/shared'
import {
  ALL_STORED,
  BlockError,
  decodeBlock,
  encodeBlock,
  readVarint,
  type SampleColumns,
  valueAt,
  writeVarint,
} from '@vedette/shared/metrics/block'
import { fieldsOf, fromStored, idOfKind, kindOfId, toStored } from './fields.ts'

/** What was read of an entity at one instant. */
export interface Reading {
  /** Of the entity, on its server. */
  number: number
  kind: EntityKindName
  values: Readonly<Record<string, number | null>>
}

const VERSION = 1
const NUMBER_BYTES = 9

/**
 * All entities of a server at one instant: of each kind its number, the length of its block, and a block of samples in which numbers
 * of entities, from 1 and ascending, stand for instants. Each number must be there once.
 */
export function encodeReadings(readings: readonly Reading[]): Buffer {
  const parts: Uint8Array[] = [Buffer.of(VERSION)]
  for (const [kind, own] of Map.groupBy(readings, (reading) => reading.kind)) {
    const columns = toColumns(
      kind,
      own.toSorted((one, other) => one.number - other.number),
    )
    const block = encodeBlock(columns)
    const head = Buffer.alloc(3 * NUMBER_BYTES)
    const end = [idOfKind(kind), valueAt(columns.atMs, 0), block.length].reduce((at, value) => writeVarint(head, at, value), 0)
    parts.push(head.subarray(0, end), block)
  }
  return Buffer.concat(parts)
}

function toColumns(kind: EntityKindName, own: readonly Reading[]): SampleColumns {
  const columns: [id: number, values: Float64Array][] = []
  for (const field of fieldsOf(kind)) {
    const stored = own.map(({ values }) => {
      const value = values[field.name]
      return typeof value === 'number' ? toStored(field, value) : undefined
    })
    if (stored.every((value) => value === undefined)) continue
    columns.push([field.column, Float64Array.from(stored, (value) => value?.[0] ?? Number.NaN)])
    if (field.scale === undefined)
      columns.push([field.column + 1, Float64Array.from(stored, (value) => value?.[1] ?? Number.NaN)])
  }
  const values = new Float64Array(columns.length * own.length)
  for (const [row, [, column]] of columns.entries()) values.set(column, row * own.length)
  return { atMs: Float64Array.from(own, ({ number }) => number), fieldIds: columns.map(([id]) => id), values }
}

/** The columns of each kind, its entities as `atMs`; of one kind alone where it is named. Throws BlockError on other bytes. */
export function decodeReadings(data: Uint8Array, only?: EntityKindName): Map<EntityKindName, SampleColumns> {
  if (data[0] !== VERSION) throw new BlockError(`entities of version ${data[0] ?? 'missing'} are unknown`)
  const cursor = { bytes: data, at: 1 }
  const found = new Map<EntityKindName, SampleColumns>()
  while (cursor.at < data.length) {
    const [kind, first, length] = [kindOfId(readVarint(cursor)), readVarint(cursor), readVarint(cursor)]
    if (length > data.length - cursor.at) throw new BlockError('bytes are cut off')
    if (kind && (only === undefined || kind === only))
      found.set(kind, decodeBlock(data.subarray(cursor.at, cursor.at + length), first, ALL_STORED))
    cursor.at += length
  }
  return found
}

/** The values of the `index`-th entity of the columns, by field; those that it does not have are absent. */
export function valuesAt(kind: EntityKindName, columns: SampleColumns, index: number): Record<string, number> {
  const count = columns.atMs.length
  const values: Record<string, number> = {}
  const stored = (id: number): number => {
    const row = columns.fieldIds.indexOf(id)
    return row < 0 ? Number.NaN : valueAt(columns.values, row * count + index)
  }
  for (const field of fieldsOf(kind)) {
    const value = stored(field.column)
    if (!Number.isNaN(value))
      values[field.name] = fromStored(field, value, field.scale === undefined ? stored(field.column + 1) : 0)
  }
  return values
}
