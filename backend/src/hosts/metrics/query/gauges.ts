import type { ReadSource } from '../../../platform/db/index.ts'
import { divideExactly } from '../aggregate/exact.ts'
import { STORED_GROUPS, Summary, type Window } from '../aggregate/index.ts'
import { SCALES } from '../aggregate/stored-fields.ts'
import { fieldIdOf } from '../live/live.ts'
import { createSampleReader } from './sample-reader.ts'

export interface Gauge {
  mean: number
  newest: number
}

/** One metric (`memory.percent`) of each server over a window; servers without a value are absent. */
export type GaugesOf = (metric: string) => Map<number, Gauge>

/** These metrics of servers over whole UTC days, which are read by their totals. */
export async function readGauges(
  from: ReadSource,
  { organization, servers }: { organization: number; servers: readonly number[] },
  window: Window,
  metrics: readonly string[],
): Promise<GaugesOf> {
  const summaries = new Map(servers.map((server) => [server, new Summary(window)]))
  const fieldIds = new Set(metrics.map(fieldIdOf).filter((id) => id !== undefined))
  const groups = STORED_GROUPS.filter((group) => metrics.some((metric) => metric.startsWith(`${group}.`)))
  const sinksOf = (server: number) => ({ summary: summaries.get(server) as Summary })
  const reading = { organization, servers, window, core: window, groups, fieldIds, stepMs: undefined, sinksOf }
  await createSampleReader().read(from, reading)
  const totals = [...summaries].map(([server, summary]) => [server, summary.totals()] as const)
  return (metric) => {
    const id = fieldIdOf(metric) ?? 0
    const scale = SCALES.get(id) ?? 1
    return new Map(
      totals.flatMap(([server, fields]): [number, Gauge][] => {
        const found = fields.get(id)
        return found ? [[server, { mean: divideExactly(found.sum, found.count * scale), newest: found.last / scale }]] : []
      }),
    )
  }
}
