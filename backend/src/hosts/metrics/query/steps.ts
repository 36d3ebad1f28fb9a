import type { ReadSource } from '../../../platform/db/index.ts'
import { Series, type SeriesPoints, STORED_GROUPS, type Window } from '../aggregate/index.ts'
import type { MeasuredServer } from '../live/live-store.ts'
import type { SampleReader } from './sample-reader.ts'

/** By the number of a field, each step of the window; null where a step has no value. */
export type StepValues = SeriesPoints['fields']

/** Means and maxima of a group, `mount` and `interface` included, over steps of at least five minutes. */
export async function readSteps(
  { from, samples }: { from: ReadSource; samples: SampleReader },
  { organization, server }: MeasuredServer,
  window: Window,
  stepMs: number,
  name: string,
): Promise<StepValues> {
  const series = new Series(window, stepMs)
  const groups = STORED_GROUPS.filter((group) => group === name)
  await samples.read(from, { organization, servers: [server], window, core: window, groups, stepMs, sinksOf: () => ({ series }) })
  return series.points().fields
}
