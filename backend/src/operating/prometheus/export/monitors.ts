import type { ReadSource } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { Exposition, type Family, type Format, toLabels, toLine } from './format.ts'
import { CHECK_FIGURES, GRACE_MS, INTERVALS, listOfTags, MONITOR_FAMILIES } from './monitor-figures.ts'
import { listMonitors, type MonitorRow, type NewestCheckRow, readNewestChecks } from './store.ts'

export interface MonitorRequest {
  organization: number
  tags: readonly string[]
  format: Format
  nowMs: number
}

/** The newest check of each region of all monitors that are not paused. */
export async function readMonitorExport(
  { db }: ReadSource,
  { organization, tags, format, nowMs }: MonitorRequest,
): Promise<string> {
  const monitors = await listMonitors(db, organization, tags)
  const numbers = monitors.map(({ number }) => number)
  const checks = await readNewestChecks(db, organization, numbers, { nowMs, intervals: INTERVALS, graceMs: GRACE_MS })
  const byMonitor = Map.groupBy(checks, ({ monitor }) => monitor)
  const exposition = new Exposition()
  for (const monitor of monitors) {
    const labels = { instance: monitor.name, monitor_id: encodeId('monitor', monitor.id), type: monitor.type }
    const add = (family: Family, more: Readonly<Record<string, string>>, value: number) =>
      exposition.add([family, toLine(family, toLabels({ ...labels, ...more }), value)])
    add(MONITOR_FAMILIES.info, { url: monitor.url, tags: listOfTags(monitor.tags) }, 1)
    add(MONITOR_FAMILIES.status, { status: monitor.status }, 1)
    for (const check of byMonitor.get(monitor.number) ?? []) {
      const addOfRegion = (family: Family, value: number | null, more: Readonly<Record<string, string>> = {}) => {
        if (value !== null) add(family, { region: check.region, ...more }, value)
      }
      addCheck(monitor, check, addOfRegion)
    }
  }
  return exposition.toText(format)
}

function addCheck(
  { type }: MonitorRow,
  check: NewestCheckRow,
  add: (family: Family, value: number | null, more?: Readonly<Record<string, string>>) => void,
): void {
  for (const { family, labels, isOf, column, valueOf } of CHECK_FIGURES) {
    const stored = check[column]
    if (isOf(type) && stored !== null) add(family, valueOf(stored), labels)
  }
  for (const [fact, value] of Object.entries(check.facts ?? {}))
    if (typeof value === 'number') add(MONITOR_FAMILIES.fact, value, { fact })
}
