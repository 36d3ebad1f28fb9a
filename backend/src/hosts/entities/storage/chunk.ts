import { BlockError, type SampleColumns, valueAt, type Wanted, ALL_STORED } from '@vedette/shared/metrics/block'
import { INSTANTS, pack, readHead, readPart } from '../../metrics/index.ts'

const VERSION = 1

/** Readings of one entity within a UTC day as a row stores them. Instants ascend. */
export function encodeChunk({ atMs, fieldIds, values }: SampleColumns): Buffer {
  const count = atMs.length
  const columns = new Map<number, Float64Array>([[INSTANTS, atMs]])
  for (const [row, id] of fieldIds.entries()) columns.set(id, values.subarray(row * count, (row + 1) * count))
  const { head, parts } = pack([{ count, columns }], [...columns.keys()])
  return Buffer.concat([Buffer.of(VERSION), head, ...parts])
}

/** Throws BlockError on other bytes. */
export function decodeChunk(data: Uint8Array, wanted: Wanted = ALL_STORED): SampleColumns {
  if (data[0] !== VERSION) throw new BlockError(`entities of version ${data[0] ?? 'missing'} are unknown`)
  const bytes = data.subarray(1)
  const head = readHead(bytes)
  const { count, ids, values } = readPart(head, bytes, head.end, bytes.length, {
    size: wanted.size + 1,
    has: (id) => id === INSTANTS || wanted.has(id),
  })
  const at = ids.indexOf(INSTANTS)
  if (at < 0) throw new BlockError('readings without instants')
  const rows = ids.flatMap((id, row) =>
    id === INSTANTS ? [] : [{ id, values: values.subarray(row * count, (row + 1) * count) }],
  )
  const all = new Float64Array(rows.length * count)
  for (const [row, one] of rows.entries()) all.set(one.values, row * count)
  return { atMs: values.subarray(at * count, (at + 1) * count), fieldIds: rows.map(({ id }) => id), values: all }
}

/** All of them in one, each instant once: of two the first in the list stands. */
export function joinColumns(pieces: readonly SampleColumns[]): SampleColumns {
  // A merged day: its instants are in order, and each is there once.
  if (pieces.length === 1) return pieces[0] as SampleColumns
  const instants = new Map<number, [piece: SampleColumns, index: number]>()
  for (const piece of pieces)
    for (const [index, at] of piece.atMs.entries()) if (!instants.has(at)) instants.set(at, [piece, index])
  const order = [...instants].sort(([one], [other]) => one - other)
  const fieldIds = [...new Set(pieces.flatMap((piece) => piece.fieldIds))].sort((one, other) => one - other)
  const values = new Float64Array(fieldIds.length * order.length).fill(Number.NaN)
  for (const [row, id] of fieldIds.entries()) {
    for (const [position, [, [piece, index]]] of order.entries()) {
      const from = piece.fieldIds.indexOf(id)
      if (from >= 0) values[row * order.length + position] = valueAt(piece.values, from * piece.atMs.length + index)
    }
  }
  return { atMs: Float64Array.from(order, ([at]) => at), fieldIds, values }
}
