import type { ReclassifiedAs } from '@vedette/shared'
import { type MaintenanceSpan, mergeSpans, readMaintenance } from '../../../alerting/alerts/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { cutOut, intersect } from '../../../platform/time/spans.ts'

/** An interval of a monitor whose checks count differently; those of one monitor do not overlap. */
export interface Reclassified extends MaintenanceSpan {
  id: string
  monitor: number
  as: ReclassifiedAs
}

/** What of a monitor's time is left out; all in order, and no instant is in two of them. */
export interface Exclusions {
  /** By windows: out of availability and objectives, in uptime. */
  maintenance: MaintenanceSpan[]
  /** By a person: out of uptime too, and reported as maintenance. */
  asMaintenance: MaintenanceSpan[]
  /** By a person: out of everything. */
  excluded: MaintenanceSpan[]
}

export const NOTHING_EXCLUDED: Exclusions = { maintenance: [], asMaintenance: [], excluded: [] }

/** What windows and people leave out of a window; what people say comes first. Pure. */
export function divideExclusions(
  windows: readonly MaintenanceSpan[],
  reclassified: readonly Pick<Reclassified, 'as' | 'fromMs' | 'toMs'>[],
  window: MaintenanceSpan,
): Exclusions {
  const saidAs = (...names: ReclassifiedAs[]) => {
    const spans = reclassified.filter(({ as }) => names.includes(as)).map(({ fromMs, toMs }) => ({ fromMs, toMs }))
    return intersect(mergeSpans(spans), [window])
  }
  return {
    maintenance: cutOut(intersect(windows, [window]), saidAs('maintenance', 'excluded', 'counted')),
    asMaintenance: saidAs('maintenance'),
    excluded: saidAs('excluded'),
  }
}

/** Whether the checks of the interval are out of uptime. */
export const isLeftOut = ({ as }: Pick<Reclassified, 'as'>): boolean => as !== 'counted'

/** What people said is out of the uptime of a monitor, in order. Pure. */
export const leftOutOf = (monitor: number, reclassified: readonly Reclassified[]): MaintenanceSpan[] =>
  mergeSpans(
    reclassified.filter((one) => one.monitor === monitor && isLeftOut(one)).map(({ fromMs, toMs }) => ({ fromMs, toMs })),
  )

/** What is left out of the time of monitors in [from, to), by number; those without are absent. */
export async function readExclusions(
  db: Db,
  organization: number,
  monitors: readonly number[],
  window: MaintenanceSpan,
  reclassified: readonly Reclassified[],
): Promise<Map<number, Exclusions>> {
  const windows = await readMaintenance(db, organization, monitors, window)
  const own = Map.groupBy(reclassified, ({ monitor }) => monitor)
  const named = new Set([...windows.keys(), ...own.keys()])
  return new Map(
    [...named].map((monitor) => [monitor, divideExclusions(windows.get(monitor) ?? [], own.get(monitor) ?? [], window)]),
  )
}
