import { isWatched, type MonitorStatus, type RegionState } from '@vedette/shared'

/** What a monitor's status needs of a region. */
export interface RegionView {
  state: RegionState | null
  /** Time of its last conclusive check, ms. */
  lastConclusiveAtMs: number | null
}

/** A region without a conclusive check for more intervals does not count. */
const COUNTED_INTERVALS = 3

/** The confirmed state of a region with a conclusive check within the last three intervals; else null. */
export function countedState({ state, lastConclusiveAtMs }: RegionView, intervalMs: number, nowMs: number): RegionState | null {
  return lastConclusiveAtMs !== null && lastConclusiveAtMs >= nowMs - COUNTED_INTERVALS * intervalMs ? state : null
}

export interface DerivedStatus {
  status: MonitorStatus
  /** Regions that count, and how many of them are down and degraded. */
  counted: number
  down: number
  degraded: number
}

/**
 * Derives the status of a monitor from its regions: all up: up; more than half down: down; otherwise degraded. Without regions
 * that count the status stays, and a paused or idle monitor stays so.
 */
export function deriveMonitorStatus(
  before: MonitorStatus,
  regions: readonly RegionView[],
  intervalMs: number,
  nowMs: number,
): DerivedStatus {
  const states = regions.map((region) => countedState(region, intervalMs, nowMs)).filter((state) => state !== null)
  const count = (wanted: RegionState): number => states.filter((state) => state === wanted).length
  const counts = { counted: states.length, down: count('down'), degraded: count('degraded') }
  if (!isWatched(before) || states.length === 0) return { status: before, ...counts }
  if (counts.down * 2 > states.length) return { status: 'down', ...counts }
  const isUp = counts.down === 0 && counts.degraded === 0
  return { status: isUp ? 'up' : 'degraded', ...counts }
}

/**
 * Why a status changed: `2 of 3 regions down: timeout after 10 s`; with one region the cause alone. `cause` is the error of the
 * check that changed it, undefined when it was up.
 */
export function transitionReason({ status, counted, down, degraded }: DerivedStatus, cause: string | undefined): string {
  if (counted <= 1) return cause ?? (status === 'up' ? 'the checks pass again' : status)
  if (status === 'up') return `${counted} of ${counted} regions up`
  const parts = [down > 0 && `${down} of ${counted} regions down`, degraded > 0 && `${degraded} of ${counted} regions degraded`]
  const text = parts.filter(Boolean).join(', ')
  return cause === undefined ? text : `${text}: ${cause}`
}
