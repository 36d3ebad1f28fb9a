import { isWatched, type MonitorStatus } from '@vedette/shared'
import { readStatusHistory } from '../../../../alerting/alerts/index.ts'
import { matches, type SeriesData } from '../../../../querying/promql/index.ts'
import { encodeId } from '../../../../platform/ids.ts'
import { listOfTags, MONITOR_FAMILIES } from '../../export/monitor-figures.ts'
import { MAX_SAMPLES, requireWithinBounds } from './bounds.ts'
import type { ChosenMonitor } from './check-samples.ts'
import { listCheckLabels, PERCENTILE_FAMILIES, readCheckSeries } from './check-series.ts'
import { type KnownMonitor, listKnownMonitors } from './monitors-store.ts'
import { isNamed, mayMatch } from './names.ts'
import type { Labels, Scope, SeriesSource, Wanted } from './source.ts'
import { type Step, stepSamples, stepSeries } from './steps.ts'

const FAMILIES = [...Object.values(MONITOR_FAMILIES), ...PERCENTILE_FAMILIES]

/** What checks of monitors say, and the statuses of monitors. */
export function monitorsSource(): SeriesSource {
  return {
    families: FAMILIES,
    mayHave: (matchers) => FAMILIES.map(({ name }) => name).some(isNamed(matchers)),
    list: async (scope, wanted) => {
      const monitors = await chooseMonitors(scope, wanted)
      const [checks, statuses] = [await listCheckLabels(scope, wanted, monitors), await readStatusSeries(scope, wanted, monitors)]
      return [...checks, ...statuses.map(({ labels }) => ({ ...labels }))]
    },
    read: async (scope, wanted) => {
      const monitors = await chooseMonitors(scope, wanted)
      const found = await readCheckSeries(scope, wanted, monitors)
      return { ...found, series: [...found.series, ...(await readStatusSeries(scope, wanted, monitors))] }
    },
  }
}

/** Those that may match, of any type or of one. */
export async function chooseMonitors(
  { from, organization }: Scope,
  { matchers, toMs }: Wanted,
  type?: string,
): Promise<ChosenMonitor[]> {
  const monitors = await listKnownMonitors(from.db, organization, new Date(toMs))
  return monitors
    .filter((monitor) => type === undefined || monitor.type === type)
    .map((monitor) => ({ monitor, labels: labelsOf(monitor) }))
    .filter(({ labels }) => mayMatch(matchers, labels))
}

const labelsOf = ({ name, id, type }: KnownMonitor): Labels => ({
  instance: name,
  monitor_id: encodeId('monitor', id),
  type,
})

/** A status from an instant on. */
export interface StatusStep {
  atMs: number
  status: MonitorStatus
}

/** The status at the beginning of the window, or when the monitor was made, and each change since, by the number of the monitor. */
export async function readStatusSteps(
  { from, organization }: Scope,
  { fromMs }: Wanted,
  monitors: readonly ChosenMonitor[],
): Promise<Map<number, StatusStep[]>> {
  const numbers = monitors.map(({ monitor }) => monitor.number)
  if (numbers.length === 0) return new Map()
  const rows = await readStatusHistory(from.db, organization, numbers, new Date(fromMs), MAX_SAMPLES + 1)
  requireWithinBounds({ samples: rows.length })
  const madeAtMs = new Map(monitors.map(({ monitor }) => [monitor.number, monitor.createdAtMs]))
  const steps = rows.map(({ monitor, status, at_ms: atMs }) => ({
    monitor,
    status,
    atMs: Math.max(atMs, madeAtMs.get(monitor) ?? 0),
  }))
  return Map.groupBy(steps, ({ monitor }) => monitor)
}

async function readStatusSeries(scope: Scope, wanted: Wanted, monitors: readonly ChosenMonitor[]): Promise<SeriesData[]> {
  const { info, status: ofStatus } = MONITOR_FAMILIES
  const [withInfo, withStatus] = [info.name, ofStatus.name].map(isNamed(wanted.matchers))
  if (!withInfo && !withStatus) return []
  const statuses = await readStatusSteps(scope, wanted, monitors)
  requireWithinBounds({ series: monitors.length, samples: monitors.length * stepSamples(wanted) })
  return monitors.flatMap(({ monitor, labels }) => {
    const own = statuses.get(monitor.number) ?? []
    const at = (isThere: (status: MonitorStatus) => boolean): Step[] =>
      own.map(({ atMs, status }) => ({ atMs, value: isThere(status) ? 1 : undefined }))
    const add = (name: string, more: Labels, steps: readonly Step[]): SeriesData[] => {
      const all = { __name__: name, ...labels, ...more }
      const series = matches(wanted.matchers, all) ? stepSeries(all, steps, wanted, scope) : undefined
      return series ? [series] : []
    }
    const present = [...new Set(own.map(({ status }) => status))].filter(isWatched)
    return [
      ...(withInfo ? add(info.name, { url: monitor.url, tags: listOfTags(monitor.tags) }, at(isWatched)) : []),
      ...(withStatus
        ? present.flatMap((one) =>
            add(
              ofStatus.name,
              { status: one },
              at((status) => status === one),
            ),
          )
        : []),
    ]
  })
}

/** What a monitor says by steps, which is nothing while it is paused; what comes in that time is left out. Pure. */
export function shownSteps(steps: readonly Step[], statuses: readonly StatusStep[]): Step[] {
  const shown: Step[] = []
  let [isThere, next] = [true, 0]
  let value: number | undefined
  for (const step of [...steps, undefined]) {
    for (; next < statuses.length && (statuses[next] as StatusStep).atMs <= (step?.atMs ?? Number.POSITIVE_INFINITY); next++) {
      const { atMs, status } = statuses[next] as StatusStep
      if (isThere === isWatched(status)) continue
      isThere = !isThere
      shown.push({ atMs, value: isThere ? value : undefined })
    }
    if (!step || !isThere) continue
    value = step.value
    shown.push(step)
  }
  return shown
}
