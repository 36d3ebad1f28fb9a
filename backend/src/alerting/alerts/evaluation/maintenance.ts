import { mapWithPauses } from '../../../platform/concurrency/map-with-pauses.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../../../platform/db/index.ts'
import { occurrencesIn } from '../../../platform/time/recurrence.ts'
import { listWindowsBetween, type WindowRow } from '../maintenance-windows/store.ts'
import { isWindowOf } from './suppression.ts'
import { listMonitorIds, readSubjects } from './suppression-store.ts'

/** [from, to) in ms. */
export interface MaintenanceSpan {
  fromMs: number
  toMs: number
}

/**
 * When monitors were in maintenance within [from, to), by the windows as they are now: their own and those of the server that they
 * run on. By the monitor's number; the spans are in order and do not overlap. Monitors without any are absent.
 */
export async function readMaintenance(
  db: Db,
  organization: number,
  monitors: readonly number[],
  { fromMs, toMs }: MaintenanceSpan,
): Promise<Map<number, MaintenanceSpan[]>> {
  const windows = await listWindowsBetween(db, organization, new Date(fromMs), new Date(toMs))
  if (windows.length === 0) return new Map()
  const subjects = await readSubjects(db, organization, await listMonitorIds(db, organization, monitors))
  const spans = await mapWithPauses(windows, (window) =>
    occurrencesIn(window, fromMs, toMs).map((one) => ({
      fromMs: Math.max(one.fromMs, fromMs),
      toMs: Math.min(one.toMs, toMs),
    })),
  )
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

/**
 * The windows of these monitors with an occurrence within [from, to) that had begun when they were created or last changed, oldest
 * first. What they exclude was counted before.
 */
export async function listLateWindows(
  db: Db,
  organization: number,
  monitors: readonly number[],
  { fromMs, toMs }: MaintenanceSpan,
): Promise<WindowRow[]> {
  const windows = await listWindowsBetween(db, organization, new Date(fromMs), new Date(toMs))
  const late: WindowRow[] = []
  for (const window of windows) {
    await yieldToEventLoop()
    if (isLate(window, fromMs, toMs)) late.push(window)
  }
  if (late.length === 0) return []
  const subjects = await readSubjects(db, organization, await listMonitorIds(db, organization, monitors))
  return late.filter((window) => subjects.some((subject) => isWindowOf(window, subject)))
}

const isLate = (window: WindowRow, fromMs: number, toMs: number): boolean =>
  occurrencesIn(window, fromMs, toMs).some((occurrence) => occurrence.fromMs < window.updated_at.getTime())

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
