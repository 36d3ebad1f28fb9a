import { DAY_MS, oldestRawMs, oldestReadableMs } from '@vedette/shared'
import {
  CHECK_UNIT_MS,
  type CheckUnit,
  countChecks,
  listRegions,
  readUnitPercentiles,
  readUnitSums,
  singleChecksFromMs,
  type Window,
} from '../../../../monitoring/checks/index.ts'
import { matches } from '../../../../querying/promql/index.ts'
import { CHECK_FIGURES, type CheckFigure, checkLookbackMs, MONITOR_FAMILIES } from '../../export/monitor-figures.ts'
import type { Family } from '../../export/format.ts'
import { requireWithinBounds } from './bounds.ts'
import { type ChosenFigures, type ChosenMonitor, readSingleChecks } from './check-samples.ts'
import { readCheckColumns, readFactColumns } from './monitors-store.ts'
import { isNamed, mayMatch } from './names.ts'
import { CollectedSeries, type Part } from './parts.ts'
import type { FoundSeries, Labels, Scope, Wanted } from './source.ts'

const PERCENTILES = [50, 95, 99] as const
const percentileName = (percent: number): string => `${MONITOR_FAMILIES.duration.name}:p${percent}`
export const PERCENTILE_FAMILIES: readonly Family[] = PERCENTILES.map((percent) => ({
  name: percentileName(percent),
  type: 'gauge',
  help: `Percentile ${percent} of the durations of checks, by the hour.`,
}))

/** From here on single samples would be a hundred times what an answer shows. */
const MEANS_FROM_STEP_MS = CHECK_UNIT_MS.hour

function chosenFigures({ matchers }: Wanted): ChosenFigures {
  const isWanted = isNamed(matchers)
  return {
    figures: CHECK_FIGURES.filter(({ family, labels }) => isWanted(family.name) && mayMatch(matchers, labels)),
    withFacts: isWanted(MONITOR_FAMILIES.fact.name),
  }
}

const chosenPercents = ({ matchers }: Wanted): readonly number[] =>
  PERCENTILES.filter((percent) => isNamed(matchers)(percentileName(percent)))

/** Single checks, and where they are gone, or the steps are long, the means of hours and days. */
export async function readCheckSeries(scope: Scope, wanted: Wanted, monitors: readonly ChosenMonitor[]): Promise<FoundSeries> {
  const { figures, withFacts } = chosenFigures(wanted)
  const percents = chosenPercents(wanted)
  if (monitors.length === 0 || (figures.length === 0 && !withFacts && percents.length === 0))
    return { series: [], hasMeans: false }
  requireWithinBounds({ series: monitors.length * (figures.length + percents.length + Number(withFacts)) })
  const collected = new CollectedSeries(wanted.matchers)
  const singleFromMs = singlesFrom(scope)
  const means = figures.filter(({ meanOf }) => meanOf !== undefined)
  const byHours = means.length > 0 && prefersMeans(wanted)
  const days = unitWindow(scope, wanted, 'day', 0, singleFromMs)
  const hours = unitWindow(scope, wanted, 'hour', singleFromMs, Number.POSITIVE_INFINITY)
  const regions = new Map((await listRegions(scope.from.db)).map(({ number, id }) => [number, id]))
  const reading: UnitReading = { scope, monitors, regions, collected }
  let hasMeans = false
  if (means.length > 0) hasMeans = await addMeans(reading, means, days, 'day')
  if (byHours) hasMeans = (await addMeans(reading, means, hours, 'hour')) || hasMeans
  if (percents.length > 0) {
    await addPercentiles(reading, percents, days, 'day')
    await addPercentiles(reading, percents, hours, 'hour')
  }
  const single = byHours ? figures.filter(({ meanOf }) => meanOf === undefined) : figures
  await readSingleChecks(scope, wanted, monitors, { figures: single, withFacts }, singleFromMs, collected)
  return { series: collected.series(), hasMeans }
}

const prefersMeans = ({ stepMs, rangeMs, fromMs, toMs }: Wanted): boolean =>
  stepMs >= MEANS_FROM_STEP_MS && rangeMs === undefined && toMs - fromMs > DAY_MS

/** From here on checks are kept, and may be read, one by one: the begin of a UTC day. */
export const singlesFrom = ({ plan, nowMs }: Scope): number =>
  Math.max(singleChecksFromMs(nowMs), Math.ceil(oldestRawMs(plan, nowMs) / DAY_MS) * DAY_MS)

/** The whole hours or days that end in the window, or before it and count at its begin; within [leastMs, mostMs). */
function unitWindow({ plan, nowMs }: Scope, { fromMs, toMs }: Wanted, unit: CheckUnit, leastMs: number, mostMs: number): Window {
  const unitMs = CHECK_UNIT_MS[unit]
  const readableMs = Math.max(leastMs, oldestReadableMs(plan, nowMs), 0)
  return {
    fromMs: Math.max(Math.floor(fromMs / unitMs) * unitMs - unitMs, Math.ceil(readableMs / unitMs) * unitMs),
    toMs: Math.min(Math.floor(Math.min(toMs, nowMs) / unitMs) * unitMs, mostMs),
  }
}

interface UnitReading {
  scope: Scope
  monitors: readonly ChosenMonitor[]
  /** Ids by their numbers. */
  regions: ReadonlyMap<number, string>
  collected: CollectedSeries
}

/** A value of each unit stands at its end, and counts until the next. Returns whether there are any. */
async function addMeans(
  { scope: { from, organization }, monitors, regions, collected }: UnitReading,
  figures: readonly CheckFigure[],
  window: Window,
  unit: CheckUnit,
): Promise<boolean> {
  const sums = await readUnitSums(from.db, organization, numbersOf(monitors), window, unit)
  const byMonitor = Map.groupBy(sums, ({ monitor }) => monitor)
  for (const { monitor, labels } of monitors)
    for (const [region, own] of Map.groupBy(byMonitor.get(monitor.number) ?? [], (row) => row.region))
      for (const { family, labels: more, isOf, meanOf } of figures) {
        if (!meanOf || !isOf(monitor.type)) continue
        const all = { __name__: family.name, ...labels, region: regions.get(region) ?? String(region), ...more }
        collected.add(all, unitPart(own, unit, meanOf))
      }
  return sums.length > 0
}

async function addPercentiles(
  { scope: { from, organization }, monitors, regions, collected }: UnitReading,
  percents: readonly number[],
  window: Window,
  unit: CheckUnit,
): Promise<void> {
  if (window.fromMs >= window.toMs) return
  const counts = await countChecks(from.db, organization, numbersOf(monitors), window)
  requireWithinBounds({ samples: [...counts.values()].reduce((sum, count) => sum + count, 0) })
  const times = await readUnitPercentiles(from.db, organization, numbersOf(monitors), window, unit, percents)
  const byMonitor = Map.groupBy(times, ({ monitor }) => monitor)
  for (const { monitor, labels } of monitors)
    for (const [region, own] of Map.groupBy(byMonitor.get(monitor.number) ?? [], (row) => row.region))
      for (const [index, percent] of percents.entries()) {
        const all = { __name__: percentileName(percent), ...labels, region: regions.get(region) ?? String(region) }
        collected.add(
          all,
          unitPart(own, unit, ({ percentilesUs }) => (percentilesUs[index] ?? Number.NaN) / 1e6),
        )
      }
}

function unitPart<Row extends { unit: number }>(
  rows: readonly Row[],
  unit: CheckUnit,
  valueOf: (row: Row) => number | null,
): Part {
  const unitMs = CHECK_UNIT_MS[unit]
  const known = rows.flatMap((row) => {
    const value = valueOf(row)
    return value === null ? [] : [[(row.unit + 1) * unitMs, value] as const]
  })
  return {
    atMs: Float64Array.from(known, ([at]) => at),
    values: Float64Array.from(known, ([, value]) => value),
    lookbackMs: unitMs,
  }
}

export const numbersOf = (monitors: readonly ChosenMonitor[]): number[] => monitors.map(({ monitor }) => monitor.number)

/** Of the series that the last day of the window has. */
export async function listCheckLabels(scope: Scope, wanted: Wanted, monitors: readonly ChosenMonitor[]): Promise<Labels[]> {
  const { figures, withFacts } = chosenFigures(wanted)
  const percents = chosenPercents(wanted)
  const ofDurations = CHECK_FIGURES.filter(({ family }) => family === MONITOR_FAMILIES.duration)
  const read = percents.length > 0 ? [...figures, ...ofDurations] : figures
  if (monitors.length === 0 || (read.length === 0 && !withFacts)) return []
  const { from, organization } = scope
  const fromMs = Math.max(wanted.fromMs, wanted.toMs - DAY_MS, singlesFrom(scope) - 1)
  const spans = monitors.map(({ monitor: { number, intervalSeconds } }) => ({
    number,
    fromMs: Math.max(fromMs - checkLookbackMs(intervalSeconds), singlesFrom(scope) - 1),
  }))
  const span = { organization, monitors: spans, toMs: wanted.toMs }
  const byNumber = new Map(monitors.map((one) => [one.monitor.number, one]))
  const columns = [...new Set(read.map(({ column }) => column))]
  const regions = columns.length > 0 ? await readCheckColumns(from.db, span, columns, false) : []
  const found = regions.flatMap(({ monitor: number, region, columns: counts }) => {
    const { monitor, labels } = byNumber.get(number) as ChosenMonitor
    const all = { ...labels, region }
    const has = ({ column, isOf }: CheckFigure) => isOf(monitor.type) && (counts.get(column)?.count ?? 0) > 0
    return [
      ...figures.filter(has).map(({ family, labels: more }): Labels => ({ __name__: family.name, ...all, ...more })),
      ...(ofDurations.some(has) ? percents.map((percent): Labels => ({ __name__: percentileName(percent), ...all })) : []),
    ]
  })
  const facts = withFacts ? await readFactColumns(from.db, span, false) : []
  const ofFacts = facts.map(({ monitor, region, fact }): Labels => {
    return { __name__: MONITOR_FAMILIES.fact.name, ...byNumber.get(monitor)?.labels, region, fact }
  })
  return [...found, ...ofFacts].filter((labels) => matches(wanted.matchers, labels))
}
