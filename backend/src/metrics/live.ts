import { ALL_FIELDS, type DimensionKind, slotFields } from '@vedette/shared'
import type { Db } from '../platform/db/index.ts'
import { BlockError, decodeBlock, fromScaled, type SampleColumns, valueAt } from './block/index.ts'
import { type MeasuredServer, readPushesOf, type RecentPush } from './live-store.ts'

/** Samples that are older at their receipt fill charts and alert nobody. */
export const LIVE_MS = 300_000

/** What the live samples of some pushes say of a field. */
export interface FieldReading {
  least: number
  greatest: number
  mean: number
  newest: number
}

/** `cpu.percent` → its number in blocks. */
const FIELDS = new Map(ALL_FIELDS.map((field) => [`${field.group}.${field.name}`, field]))
const UNITS = new Map<number, (typeof ALL_FIELDS)[number]['unit']>(ALL_FIELDS.map(({ id, unit }) => [id, unit]))
for (const kind of ['mount', 'interface'] satisfies DimensionKind[])
  for (let slot = 0; slotFields(kind, slot).length > 0; slot++)
    for (const { id, unit } of slotFields(kind, slot)) UNITS.set(id, unit)

export const fieldIdOf = (metric: string): number | undefined => FIELDS.get(metric)?.id

/** Of a filesystem how full it is; undefined beyond the last slot. */
export const fullnessIdOf = (slot: number): number | undefined =>
  slotFields('mount', slot).find(({ name }) => name === 'percent')?.id

/** Reads the live samples of pushes, by the fields that are wanted. A damaged block is passed by: whoever reads it tells of it. */
export function readLive(pushes: readonly RecentPush[], wanted: ReadonlySet<number>): Map<number, FieldReading> {
  const gathered = new Map<
    number,
    { sum: number; count: number; least: number; greatest: number; newest: number; atMs: number }
  >()
  for (const { block, t0Ms, receivedAtMs } of pushes) {
    const columns = block && decodeOrNothing(block, t0Ms, wanted)
    if (!columns) continue
    forEachLive(columns, receivedAtMs, (id, value, atMs) => {
      const known = gathered.get(id)
      if (!known) {
        gathered.set(id, { sum: value, count: 1, least: value, greatest: value, newest: value, atMs })
        return
      }
      known.sum += value
      known.count += 1
      known.least = Math.min(known.least, value)
      known.greatest = Math.max(known.greatest, value)
      if (atMs >= known.atMs) [known.newest, known.atMs] = [value, atMs]
    })
  }
  return new Map(
    [...gathered].map(([id, { sum, count, least, greatest, newest }]) => {
      const told = (scaled: number) => fromScaled(scaled, { unit: UNITS.get(id) ?? 'count' })
      return [id, { least: told(least), greatest: told(greatest), mean: told(sum / count), newest: told(newest) }]
    }),
  )
}

function decodeOrNothing(block: Uint8Array, t0Ms: number, wanted: ReadonlySet<number>): SampleColumns | undefined {
  try {
    return decodeBlock(block, t0Ms, wanted)
  } catch (error) {
    if (error instanceof BlockError) return undefined
    throw error
  }
}

function forEachLive(
  { atMs, fieldIds, values }: SampleColumns,
  receivedAtMs: number,
  take: (id: number, value: number, atMs: number) => void,
): void {
  for (let index = 0; index < atMs.length; index++) {
    const at = valueAt(atMs, index)
    if (receivedAtMs - at > LIVE_MS) continue
    for (let field = 0; field < fieldIds.length; field++) {
      const value = valueAt(values, field * atMs.length + index)
      if (!Number.isNaN(value)) take(fieldIds[field] as number, value, at)
    }
  }
}

export interface LiveMean {
  /** Null without a sample. */
  mean: number | null
  /** Whether live samples go back to the beginning, but for a tenth. */
  isCovered: boolean
}

/** The mean of a field over the live samples of [toMs − spanMs, toMs], each instant once. */
export async function readLiveMean(
  db: Db,
  server: MeasuredServer,
  fieldId: number,
  toMs: number,
  spanMs: number,
): Promise<LiveMean> {
  const fromMs = toMs - spanMs
  const pushes = await readPushesOf(db, server, fromMs - LIVE_MS, toMs)
  const wanted = new Set([fieldId])
  const seen = new Set<number>()
  let [sum, count, firstMs] = [0, 0, Number.POSITIVE_INFINITY]
  // Of two of one instant the one received first stands, as for whoever reads them.
  for (const { block, t0Ms, receivedAtMs } of pushes.sort((one, other) => one.receivedAtMs - other.receivedAtMs)) {
    const columns = block && decodeOrNothing(block, t0Ms, wanted)
    if (!columns) continue
    forEachLive(columns, receivedAtMs, (_, value, atMs) => {
      if (atMs > toMs || seen.has(atMs)) return
      seen.add(atMs)
      firstMs = Math.min(firstMs, atMs)
      if (atMs < fromMs) return
      sum += value
      count += 1
    })
  }
  const mean = count === 0 ? null : fromScaled(sum / count, { unit: UNITS.get(fieldId) ?? 'count' })
  return { mean, isCovered: firstMs <= fromMs + spanMs / 10 }
}
