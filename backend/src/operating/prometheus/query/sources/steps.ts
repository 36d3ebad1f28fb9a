import { type SeriesData, setStale } from '../../../../querying/promql/index.ts'
import type { Labels, Scope, Wanted } from './source.ts'

/** A value from an instant on, until the next step; undefined: nothing is stated from then on. */
export interface Step {
  atMs: number
  value: number | undefined
}

/** Between two samples that a range, as `[1h]`, finds of what changes by steps. */
const GRID_MS = 60_000
/** What is true now is taken to be so for this long: the clock of a client may be ahead. */
const AHEAD_MS = 60_000

type StepWindow = Pick<Wanted, 'fromMs' | 'toMs' | 'rangeMs'>

/**
 * What changes by steps, which are in order. An instant gets the value of that instant, however old its step is; a range finds a sample a
 * minute. Undefined without any in the window. Pure.
 */
export function stepSeries(
  labels: Labels,
  steps: readonly Step[],
  window: StepWindow,
  { nowMs }: Pick<Scope, 'nowMs'>,
): SeriesData | undefined {
  const columns = window.rangeMs === undefined ? changesOf(steps, window, nowMs) : gridOf(steps, window, nowMs)
  return columns && { labels, ...columns }
}

function changesOf(steps: readonly Step[], { fromMs, toMs }: StepWindow, nowMs: number) {
  const within = [...steps, { atMs: nowMs + AHEAD_MS, value: undefined }].filter(
    ({ atMs }, index, all) => atMs <= toMs && (all[index + 1]?.atMs ?? Number.POSITIVE_INFINITY) > fromMs + 1,
  )
  if (within.every(({ value }) => value === undefined)) return undefined
  const atMs = Float64Array.from(within, (step) => Math.max(step.atMs, fromMs + 1))
  const values = Float64Array.from(within, ({ value }) => value ?? Number.NaN)
  for (const [index, { value }] of within.entries()) if (value === undefined) setStale(values, index)
  return { atMs, values, lookbackMs: toMs - fromMs }
}

function gridOf(steps: readonly Step[], { fromMs, toMs }: StepWindow, nowMs: number) {
  const firstMs = (Math.floor(fromMs / GRID_MS) + 1) * GRID_MS
  const room = Math.max(0, Math.floor((Math.min(toMs, nowMs) - firstMs) / GRID_MS) + 1)
  const [atMs, values] = [new Float64Array(room), new Float64Array(room)]
  let [count, next] = [0, 0]
  let value: number | undefined
  for (let index = 0; index < room; index++) {
    const instantMs = firstMs + index * GRID_MS
    for (; next < steps.length && (steps[next] as Step).atMs <= instantMs; next++) value = (steps[next] as Step).value
    if (value === undefined) continue
    atMs[count] = instantMs
    values[count] = value
    count++
  }
  return count === 0 ? undefined : { atMs: atMs.subarray(0, count), values: values.subarray(0, count) }
}

/** How many samples one such series has at most. Pure. */
export const stepSamples = ({ fromMs, toMs, rangeMs }: StepWindow): number =>
  rangeMs === undefined ? 1 : Math.ceil((toMs - fromMs) / GRID_MS)
