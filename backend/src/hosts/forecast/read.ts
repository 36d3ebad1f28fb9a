import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { createSampleReader, fieldIdOf, fullnessIdOf, readSlots, readSteps, type StepValues } from '../metrics/index.ts'
import type { ReadSource } from '../../platform/db/index.ts'
import { type DailyMaximum, DAYS, HOURS } from './fit.ts'

/** What may fill up, with its daily maxima, and the hourly ones of the last days. */
export interface Capacity {
  /** Undefined for memory. */
  mount: string | undefined
  days: DailyMaximum[]
  hours: DailyMaximum[]
}

const MEMORY = fieldIdOf('memory.percent') as number
/** With the day that has begun. */
const DAYS_BY_HOUR = HOURS / 24 + 1

/** The filesystems and the memory of a server over the last days, by default as many as a forecast looks at. */
export async function readCapacities(
  from: ReadSource,
  key: { organization: number; server: number },
  nowMs: number,
  count: number = DAYS.most,
): Promise<Capacity[]> {
  const today = Math.floor(nowMs / DAY_MS)
  const [first, byHour, end] = [today + 1 - count, today + 1 - DAYS_BY_HOUR, today + 1]
  const reading = { from, samples: createSampleReader() }
  const valuesOf = async (group: string) => {
    // Each sample is read once: days of the last hours are made of them.
    const [days, hours] = [
      await readSteps(reading, key, windowOf(first, byHour), DAY_MS, group),
      await readSteps(reading, key, windowOf(byHour, end), HOUR_MS, group),
    ]
    return (id: number) => {
      const hourly = maximaOf(hours, id, byHour, 24)
      const latest = maximaByDay(hourly)
      const oldest = nowMs / DAY_MS - HOURS / 24
      return { days: [...maximaOf(days, id, first, 1), ...latest], hours: hourly.filter(({ day }) => day > oldest) }
    }
  }
  const [mountOf, memoryOf] = [await valuesOf('mount'), await valuesOf('memory')]
  const slots = await readSlots(from.db, key.organization, key.server, 'mount')
  return [
    ...slots.map(({ slot, name }) => ({ mount: name, ...mountOf(fullnessIdOf(slot) ?? 0) })),
    { mount: undefined, ...memoryOf(MEMORY) },
  ].filter(({ days }) => days.length > 0)
}

const windowOf = (first: number, end: number) => ({ fromMs: first * DAY_MS, toMs: end * DAY_MS })

const maximaOf = (values: StepValues, id: number, first: number, aDay: number): DailyMaximum[] =>
  (values.get(id)?.max ?? []).flatMap((percent, index) => (percent === null ? [] : [{ day: first + index / aDay, percent }]))

const maximaByDay = (hours: readonly DailyMaximum[]): DailyMaximum[] =>
  [...Map.groupBy(hours, ({ day }) => Math.floor(day))].map(([day, own]) => ({
    day,
    percent: Math.max(...own.map(({ percent }) => percent)),
  }))
