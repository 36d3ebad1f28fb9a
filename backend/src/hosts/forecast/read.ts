import { DAY_MS } from '@vedette/shared'
import { createSampleReader, fieldIdOf, fullnessIdOf, readSlots, readSteps, type StepValues } from '../metrics/index.ts'
import type { ReadSource } from '../../platform/db/index.ts'
import { type DailyMaximum, DAYS } from './fit.ts'

/** What may fill up, with its daily maxima. */
export interface Capacity {
  /** Undefined for memory. */
  mount: string | undefined
  days: DailyMaximum[]
}

const MEMORY = fieldIdOf('memory.percent') as number

/** The filesystems and the memory of a server over the last days, by default as many as a forecast looks at. */
export async function readCapacities(
  from: ReadSource,
  key: { organization: number; server: number },
  nowMs: number,
  count: number = DAYS.most,
): Promise<Capacity[]> {
  const today = Math.floor(nowMs / DAY_MS)
  const window = { fromMs: (today + 1 - count) * DAY_MS, toMs: (today + 1) * DAY_MS }
  const reading = { from, samples: createSampleReader() }
  const mounts = await readSteps(reading, key, window, DAY_MS, 'mount')
  const memory = await readSteps(reading, key, window, DAY_MS, 'memory')
  const slots = await readSlots(from.db, key.organization, key.server, 'mount')
  const toDays = (id: number, values: StepValues): DailyMaximum[] =>
    (values.get(id)?.max ?? []).flatMap((percent, index) =>
      percent === null ? [] : [{ day: today + 1 - count + index, percent }],
    )
  return [
    ...slots.map(({ slot, name }) => ({ mount: name, days: toDays(fullnessIdOf(slot) ?? 0, mounts) })),
    { mount: undefined, days: toDays(MEMORY, memory) },
  ].filter(({ days }) => days.length > 0)
}
