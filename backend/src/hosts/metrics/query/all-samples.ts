import { ALL_FIELDS, type DimensionKind, slotFields } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { fromScaled, valueAt } from '@vedette/shared/metrics/block'
import { readSlots, type SlotRow } from '../storage/dimension-store.ts'
import { HOUR_MS } from '../storage/schedule.ts'
import { listSampleHours } from '../storage/day-store.ts'
import { readHours } from './read-hours.ts'

/** The samples of one hour by columns. */
export interface SampleHour {
  /** Instants in order, ms. */
  atMs: number[]
  /** The value of a column at each instant, as agents sent it; null where the sample does not have it. */
  valuesOf(name: string): (number | null)[]
}

/** Hours read at once: with them goes what is in memory. */
const HOURS_AT_ONCE = 12
const PREFIX: Readonly<Record<DimensionKind, string>> = { mount: 'filesystems', interface: 'interfaces' }

/**
 * Every sample of a server in [fromMs, toMs) that is stored one by one, each instant once, an hour at a time. The columns are the
 * same for all hours: each field as `cpu.percent`, and those of its filesystems and interfaces as `filesystems./var.used_bytes`.
 */
export async function readSamples(
  db: Db,
  server: { organization: number; number: number },
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<{ columns: string[]; hours: number; read(): AsyncGenerator<SampleHour> }> {
  const key = { organization: server.organization, server: server.number }
  const slots = await Promise.all(
    (['mount', 'interface'] as const).map((kind) => readSlots(db, key.organization, key.server, kind)),
  )
  const fields = new Map([
    ...ALL_FIELDS.map((field) => [`${field.group}.${field.name}`, field] as const),
    ...slots
      .flat()
      .flatMap((slot) => slotFields(slot.kind, slot.slot).map((field) => [nameOf(slot, field.name), field] as const)),
  ])
  const all = await listSampleHours(db, key)
  const hours = all.filter((hour) => (hour + 1) * HOUR_MS > fromMs && hour * HOUR_MS < toMs)
  async function* read() {
    for (let at = 0; at < hours.length; at += HOURS_AT_ONCE) {
      for (const { atMs, fieldIds, values } of await readHours(db, key, hours.slice(at, at + HOURS_AT_ONCE))) {
        const taken = [...atMs.keys()].filter((index) => valueAt(atMs, index) >= fromMs && valueAt(atMs, index) < toMs)
        yield {
          atMs: taken.map((index) => valueAt(atMs, index)),
          valuesOf: (name: string) => {
            const field = fields.get(name)
            const row = field ? fieldIds.indexOf(field.id) : -1
            if (!field || row < 0) return taken.map(() => null)
            return taken.map((index) => orNull(fromScaled(valueAt(values, row * atMs.length + index), field)))
          },
        }
      }
    }
  }
  return { columns: [...fields.keys()], hours: hours.length, read }
}

const nameOf = ({ kind, name }: SlotRow, field: string): string => `${PREFIX[kind]}.${name}.${field}`
const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)
