import { ALL_FIELDS, type DimensionKind, slotFields } from '@vedette/shared'
import { BlockError, decodeBlock, fromScaled, type SampleColumns, valueAt } from '@vedette/shared/metrics/block'
import type { RecentPush } from './live-store.ts'

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

/** A push with the fields of its samples that were wanted. */
export interface DecodedPush extends RecentPush {
  /** Undefined where its samples were not read, or are damaged: readers of stored samples report damage. */
  columns: SampleColumns | undefined
}

/** Decodes the fields that are wanted. */
export const decodePushes = (pushes: readonly RecentPush[], wanted: ReadonlySet<number>): DecodedPush[] =>
  pushes.map((push) => ({ ...push, columns: push.block ? decodeOrNothing(push.block, push.t0Ms, wanted) : undefined }))

/** Summarizes the live samples of pushes by field. */
export function readLive(pushes: readonly DecodedPush[]): Map<number, FieldReading> {
  const totals = new Map<number, { sum: number; count: number; least: number; greatest: number; newest: number; atMs: number }>()
  for (const { columns, receivedAtMs } of pushes) {
    if (!columns) continue
    forEachLive(columns, receivedAtMs, (id, value, atMs) => {
      const total = totals.get(id)
      if (!total) {
        totals.set(id, { sum: value, count: 1, least: value, greatest: value, newest: value, atMs })
        return
      }
      total.sum += value
      total.count += 1
      total.least = Math.min(total.least, value)
      total.greatest = Math.max(total.greatest, value)
      if (atMs >= total.atMs) [total.newest, total.atMs] = [value, atMs]
    })
  }
  return new Map(
    [...totals].map(([id, { sum, count, least, greatest, newest }]) => {
      const toUnit = (scaled: number) => inUnitOf(id, scaled)
      return [id, { least: toUnit(least), greatest: toUnit(greatest), mean: toUnit(sum / count), newest: toUnit(newest) }]
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

/** A number of blocks in the unit of its field. */
export const inUnitOf = (fieldId: number, scaled: number): number => fromScaled(scaled, { unit: UNITS.get(fieldId) ?? 'count' })

export function forEachLive(
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
