import { mapWithPauses } from '../../../platform/concurrency/map-with-pauses.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../../platform/db/index.ts'
import { occurrencesIn } from '../../../platform/time/recurrence.ts'
import { cutOut, intersect } from '../../../platform/time/spans.ts'
import { type CoverageRow, listCoverage } from '../maintenance-windows/store.ts'
import { isWindowOf } from './suppression.ts'
import { listMonitorIds, readSubjects } from './suppression-store.ts'

/** [from, to) in ms. */
export interface MaintenanceSpan {
  fromMs: number
  toMs: number
}

/**
 * When monitors were in maintenance within [from, to), by what the windows said at the time: their own and those of the server that
 * they run on. A window covers nothing before it was created or last changed; before a change it covers what it covered. By the
 * monitor's number; the spans are in order and do not overlap. Monitors without any are absent.
 */
export async function readMaintenance(
  db: Db,
  organization: number,
  monitors: readonly number[],
  { fromMs, toMs }: MaintenanceSpan,
): Promise<Map<number, MaintenanceSpan[]>> {
  const windows = await listCoverage(db, organization, new Date(fromMs), new Date(toMs))
  if (windows.length === 0) return new Map()
  const subjects = await readSubjects(db, organization, await listMonitorIds(db, organization, monitors))
  const spans = await mapWithPauses(windows, (window) => coveredIn(window, { fromMs, toMs }))
  // Hundreds of monitors have the same windows.
  const merged = new Map<string, MaintenanceSpan[]>()
  const found = new Map<number, MaintenanceSpan[]>()
  for (const subject of subjects) {
    const own = windows.flatMap((window, index) => (isWindowOf(window, subject) ? [index] : []))
    const key = own.join()
    if (!merged.has(key)) {
      await yieldToEventLoop()
      merged.set(key, mergeSpans(own.flatMap((index) => spans[index] as MaintenanceSpan[])))
    }
    const all = merged.get(key) as MaintenanceSpan[]
    if (all.length > 0) found.set(subject.number, all)
  }
  return found
}

/** A window that leaves out less than it says. */
export interface LateWindow {
  id: string
  name: string
  /** Since when it covers what it says. */
  since: Date
}

/**
 * The windows of these monitors with an occurrence within [from, to) that had begun when they were created or last changed, and that
 * they did not cover before. Oldest first.
 */
export async function listLateWindows(
  db: Db,
  organization: number,
  monitors: readonly number[],
  { fromMs, toMs }: MaintenanceSpan,
): Promise<LateWindow[]> {
  const windows = await listCoverage(db, organization, new Date(fromMs), new Date(toMs))
  const late: (CoverageRow & { name: string })[] = []
  for (const window of windows) {
    if (window.name === null) continue
    await yieldToEventLoop()
    const before = windows.filter((one) => one.window_id === window.window_id && one.until !== null)
    if (isLate(window, before, { fromMs, toMs })) late.push({ ...window, name: window.name })
  }
  if (late.length === 0) return []
  const subjects = await readSubjects(db, organization, await listMonitorIds(db, organization, monitors))
  return late
    .filter((window) => subjects.some((subject) => isWindowOf(window, subject)))
    .map(({ window_id: id, name, since }) => ({ id, name, since }))
}

function isLate(window: CoverageRow, before: readonly CoverageRow[], span: MaintenanceSpan): boolean {
  const early = { fromMs: span.fromMs, toMs: Math.min(span.toMs, window.since.getTime()) }
  if (early.fromMs >= early.toMs) return false
  const covered = mergeSpans(before.flatMap((one) => coveredIn(one, early)))
  return cutOut(cutTo(early, mergeSpans(occurrencesIn(window, early.fromMs, early.toMs))), covered).length > 0
}

/** The occurrences within the span, as far as the window covered them when they took place. */
function coveredIn(window: CoverageRow, { fromMs, toMs }: MaintenanceSpan): MaintenanceSpan[] {
  const valid = { fromMs: Math.max(fromMs, window.since.getTime()), toMs: Math.min(toMs, window.until?.getTime() ?? toMs) }
  return valid.fromMs < valid.toMs ? cutTo(valid, mergeSpans(occurrencesIn(window, valid.fromMs, valid.toMs))) : []
}

const cutTo = (span: MaintenanceSpan, spans: readonly MaintenanceSpan[]): MaintenanceSpan[] => intersect(spans, [span])

/** The same instants in order, each once. Pure. */
export function mergeSpans(spans: readonly MaintenanceSpan[]): MaintenanceSpan[] {
  const merged: MaintenanceSpan[] = []
  for (const { fromMs, toMs } of spans.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = merged.at(-1)
    if (last && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs)
    else merged.push({ fromMs, toMs })
  }
  return merged
}
