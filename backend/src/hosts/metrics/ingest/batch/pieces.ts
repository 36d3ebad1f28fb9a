import { hash } from 'node:crypto'
import { ALL_FIELDS, type MetricGroup } from '@vedette/shared'
import { encodeBlock, type LastValue, valueAt } from '@vedette/shared/metrics/block'
import { HOUR_MS } from '../../storage/schedule.ts'
import { ABSENT, type Readings, type Rejections } from './readings.ts'

/** A server sends at most thousands of batches with one first instant: 64 bits are enough to distinguish them. */
const DIGEST_BYTES = 8

/** What one row stores: the samples of one batch within one UTC hour. */
export interface PushPiece {
  t0Ms: number
  tLastMs: number
  /** Samples that were accepted into this piece, those included that share an instant with an earlier one and do not stand. */
  count: number
  /**
   * Of the accepted samples as sent, before rounding: the same batch sent again has the same, by rows or by columns. Eight bytes, a
   * character each: it is compared and looked up more often than it is written.
   */
  digest: string
  block: Uint8Array
  load: Load
}

/** Of the newest sample, in hundredths of a percent; -1 where it has none. */
export interface Load {
  cpu: number
  memory: number
  disk: number
}

/**
 * The accepted samples of a batch by UTC hour, oldest first; within an instant the sample that was sent first stands. `tail` goes
 * with the newest of them. It is no part of the digest: a batch is recognised by its samples.
 */
export function splitByHour(readings: Readings, rejections: Rejections, tail: readonly LastValue[]): PushPiece[] {
  if (rejections.size === 0 && isOnePiece(readings.atMs)) return [toPiece(readings, readings, tail)]
  const order = Array.from(readings.atMs.keys()).filter((index) => !rejections.has(index))
  const at = (index: number) => valueAt(readings.atMs, index)
  order.sort((left, right) => at(left) - at(right) || left - right)
  const hours = [...Map.groupBy(order, (index) => Math.floor(at(index) / HOUR_MS)).values()]
  return hours.map((indexes, hour) => {
    const unique = indexes.filter((index, position) => position === 0 || at(index) !== at(valueAt(indexes, position - 1)))
    const accepted = pick(readings, indexes)
    const stored = unique.length === indexes.length ? accepted : pick(readings, unique)
    return toPiece(accepted, stored, hour === hours.length - 1 ? tail : [])
  })
}

/** The usual push: instants ascend and lie in one hour, so that nothing must be moved. */
function isOnePiece(atMs: Float64Array): boolean {
  for (let index = 1; index < atMs.length; index++) {
    if (valueAt(atMs, index) <= valueAt(atMs, index - 1)) return false
  }
  return Math.floor(valueAt(atMs, 0) / HOUR_MS) === Math.floor(valueAt(atMs, atMs.length - 1) / HOUR_MS)
}

function toPiece(accepted: Readings, unique: Readings, tail: readonly LastValue[]): PushPiece {
  return {
    t0Ms: valueAt(accepted.atMs, 0),
    tLastMs: valueAt(accepted.atMs, accepted.atMs.length - 1),
    count: accepted.atMs.length,
    digest: hash('sha256', accepted.sent, 'latin1').slice(0, DIGEST_BYTES),
    block: encodeBlock(unique, tail),
    load: loadOf(unique),
  }
}

const idOf = (group: MetricGroup, name: string): number =>
  ALL_FIELDS.find((field) => field.group === group && field.name === name)?.id ?? -1
const CPU = idOf('cpu', 'percent')
const MEMORY = idOf('memory', 'percent')
const DISK = idOf('disk', 'usage_percent')

function loadOf(readings: Readings): Load {
  const last = (id: number): number => {
    const row = readings.fieldIds.indexOf(id)
    const value = row < 0 ? Number.NaN : valueAt(readings.values, (row + 1) * readings.atMs.length - 1)
    return Number.isNaN(value) ? -1 : value
  }
  return { cpu: last(CPU), memory: last(MEMORY), disk: last(DISK) }
}

/** The samples at these indexes, in this order, without fields that none of them has. */
function pick(readings: Readings, indexes: readonly number[]): Readings {
  const total = readings.atMs.length
  const count = indexes.length
  const rows = readings.fieldIds.flatMap((id, row) => {
    const sent = indexes.map((index) => valueAt(readings.sent, (row + 1) * (total + 1) + 1 + index))
    return sent.every((value) => value === ABSENT) ? [] : [{ id, row, sent }]
  })
  const atMs = Float64Array.from(indexes, (index) => valueAt(readings.atMs, index))
  const values = new Float64Array(rows.length * count)
  for (const [target, { row }] of rows.entries()) {
    for (const [position, index] of indexes.entries())
      values[target * count + position] = valueAt(readings.values, row * total + index)
  }
  const sent = Float64Array.from([count, ...atMs, ...rows.flatMap(({ id, sent }) => [id, ...sent])])
  return { atMs, fieldIds: rows.map(({ id }) => id), values, sent }
}
