import type { MonitorStatus, RegionState } from '@vedette/shared'

/** A region as the status of a monitor sees it. */
export interface RegionView {
  state: RegionState | null
  /** When its last conclusive check was, ms. */
  lastConclusiveAtMs: number | null
}

/** A region that was silent for more intervals than this counts for nothing. */
const COUNTED_INTERVALS = 3

/** The confirmed state of a region that counts: one with a conclusive check within the last three intervals; else null. */
export function countedState({ state, lastConclusiveAtMs }: RegionView, intervalMs: number, nowMs: number): RegionState | null {
  return lastConclusiveAtMs !== null && lastConclusiveAtMs >= nowMs - COUNTED_INTERVALS * intervalMs ? state : null
}

export interface Judgement {
  status: MonitorStatus
  /** Regions that count, and of them those that are down and degraded. */
  counted: number
  down: number
  degraded: number
}

/**
 * What the regions make of a monitor: all up: up; more than half down: down; anything between: degraded. Where none counts the
 * status stays, and a paused monitor stays paused.
 */
export function judgeMonitor(
  before: MonitorStatus,
  regions: readonly RegionView[],
  intervalMs: number,
  nowMs: number,
): Judgement {
  const states = regions.map((region) => countedState(region, intervalMs, nowMs)).filter((state) => state !== null)
  const count = (wanted: RegionState): number => states.filter((state) => state === wanted).length
  const counts = { counted: states.length, down: count('down'), degraded: count('degraded') }
  if (before === 'paused' || states.length === 0) return { status: before, ...counts }
  if (counts.down * 2 > states.length) return { status: 'down', ...counts }
  const isUp = counts.down === 0 && counts.degraded === 0
  return { status: isUp ? 'up' : 'degraded', ...counts }
}

/**
 * Why a status changed, for people: `2 of 3 regions down: timeout after 10 s`; where one region counts the cause alone. `cause`
 * is what the check that changed it said, undefined where it was up.
 */
export function reasonOf({ status, counted, down, degraded }: Judgement, cause: string | undefined): string {
  if (counted <= 1) return cause ?? (status === 'up' ? 'the checks pass again' : status)
  if (status === 'up') return `${counted} of ${counted} regions up`
  const parts = [down > 0 && `${down} of ${counted} regions down`, degraded > 0 && `${degraded} of ${counted} regions degraded`]
  const text = parts.filter(Boolean).join(', ')
  return cause === undefined ? text : `${text}: ${cause}`
}
