import { countChecks } from '../../../../monitoring/checks/index.ts'
import { setStale } from '../../../../querying/promql/index.ts'
import { type CheckColumn, type CheckFigure, checkLookbackMs, MONITOR_FAMILIES } from '../../export/monitor-figures.ts'
import { requireWithinBounds } from './bounds.ts'
import { type CheckSpan, type KnownMonitor, readCheckColumns, readFactColumns } from './monitors-store.ts'
import type { CollectedSeries } from './parts.ts'
import type { Labels, Scope, Wanted } from './source.ts'

/** A monitor and the labels that all of its series have. */
export interface ChosenMonitor {
  monitor: KnownMonitor
  labels: Labels
}

export interface ChosenFigures {
  figures: readonly CheckFigure[]
  withFacts: boolean
}

/** Numbers of one statement: its answer is text, twice as long as they are. */
const AT_ONCE = 4_000_000

/** Adds what single checks say, those before `leastMs` not. A check that does not say a figure ends its last value. */
export async function readSingleChecks(
  scope: Scope,
  wanted: Wanted,
  monitors: readonly ChosenMonitor[],
  { figures, withFacts }: ChosenFigures,
  leastMs: number,
  collected: CollectedSeries,
): Promise<void> {
  const columns = [...new Set<CheckColumn>(['at', ...figures.map(({ column }) => column)])]
  const toMs = Math.min(wanted.toMs, scope.nowMs)
  if ((figures.length === 0 && !withFacts) || toMs < leastMs) return
  const { from, organization } = scope
  const all = monitors.map((one) => ({ ...one, number: one.monitor.number, fromMs: beginOf(wanted, one, leastMs) }))
  const earliestMs = Math.min(...all.map(({ fromMs }) => fromMs))
  const window = { fromMs: earliestMs + 1, toMs: toMs + 1 }
  const counts = await countChecks(
    from.db,
    organization,
    all.map(({ number }) => number),
    window,
  )
  const sizeOf = ({ number }: { number: number }) => (counts.get(number) ?? 0) * (figures.length + Number(withFacts))
  requireWithinBounds({ samples: all.reduce((sum, one) => sum + sizeOf(one), 0) })
  for (const some of portions(all, (one) => ((counts.get(one.number) ?? 0) + 1) * columns.length)) {
    const span: CheckSpan = { organization, monitors: some, toMs }
    const byNumber = new Map(some.map((one) => [one.number, one]))
    const facts = withFacts ? Map.groupBy(await readFactColumns(from.db, span, true), keyOf) : undefined
    for (const region of await readCheckColumns(from.db, span, columns, true)) {
      const { monitor, labels } = byNumber.get(region.monitor) as ChosenMonitor
      const own: Labels = { ...labels, region: region.region }
      const lookbackMs = checkLookbackMs(monitor.intervalSeconds)
      const atMs = toDoubles(region.columns.get('at')?.values)
      for (const { family, labels: more, isOf, column, valueOf } of figures) {
        const stored = region.columns.get(column)
        if (!isOf(monitor.type) || !stored || stored.count === 0) continue
        const values = toDoubles(stored.values).map((value) => valueOf(value) ?? Number.NaN)
        if (markMissing(values) > 0) collected.add({ __name__: family.name, ...own, ...more }, { atMs, values, lookbackMs })
      }
      for (const { fact, atMs: factAtMs, values } of facts?.get(keyOf(region)) ?? []) {
        const spread = spreadOver(atMs, toDoubles(factAtMs), toDoubles(values))
        collected.add({ __name__: MONITOR_FAMILIES.fact.name, ...own, fact }, { atMs, values: spread, lookbackMs })
      }
    }
  }
}

const keyOf = ({ monitor, region }: { monitor: number; region: string }): string => `${monitor} ${region}`

/** Not to be read; an instant is answered by a check that may be older than the window. */
function beginOf({ fromMs, rangeMs }: Wanted, { monitor }: ChosenMonitor, leastMs: number): number {
  const lookbackMs = rangeMs === undefined ? checkLookbackMs(monitor.intervalSeconds) : 0
  return Math.max(fromMs - lookbackMs, leastMs - 1)
}

/** So that each has about as much as one statement may answer. */
function portions<Item>(items: readonly Item[], sizeOf: (item: Item) => number): Item[][] {
  const all: Item[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const item of items) {
    size += sizeOf(item)
    if (size > AT_ONCE) {
      all.push([])
      size = sizeOf(item)
    }
    all.at(-1)?.push(item)
  }
  return all
}

/** What `doubles` of the store wrote. */
export function toDoubles(bytes: Buffer | undefined): Float64Array {
  if (!bytes) return new Float64Array(0)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const values = new Float64Array(bytes.byteLength / 8)
  for (let index = 0; index < values.length; index++) values[index] = view.getFloat64(index * 8)
  return values
}

/** Puts stale markers where a value is missing; returns how many are not. */
function markMissing(values: Float64Array): number {
  let known = 0
  for (let index = 0; index < values.length; index++)
    if (Number.isNaN(values[index])) setStale(values, index)
    else known++
  return known
}

/** At all instants, with stale markers at those that have no value. */
function spreadOver(atMs: Float64Array, knownAtMs: Float64Array, known: Float64Array): Float64Array {
  const spread = new Float64Array(atMs.length).fill(Number.NaN)
  let next = 0
  for (const [index, at] of atMs.entries()) if (knownAtMs[next] === at) spread[index] = known[next++] as number
  markMissing(spread)
  return spread
}
