import type { MonitorStatus } from '@vedette/shared'
import { deriveMonitorStatus, transitionReason, type RegionView } from '../status/monitor-status.ts'
import { deriveRegionState, type RegionProgress } from '../status/region-state.ts'
import { asInconclusive } from '../status/inconclusive.ts'
import { nextDue } from '../schedule/grid.ts'
import type { MonitorSnapshot, CompletedCheck } from './completed-check.ts'

/** A check with the state of its region after it. */
export interface AppliedCheck {
  observed: CompletedCheck
  checkedAtMs: number
  after: RegionProgress
  /** Null after a ping. */
  dueAtMs: number | null
  /** By the clock of the schedule. Null for an inconclusive check. */
  conclusiveAtMs: number | null
}

/** A change of a monitor's status. */
export interface StatusTransition {
  organization: number
  monitor: number
  atMs: number
  from: MonitorStatus
  to: MonitorStatus
  reason: string
}

/** Derives the state of the region and the next due time from one check. Pure. */
export function applyCheck(observed: CompletedCheck, snapshot: Omit<MonitorSnapshot, 'status'>): AppliedCheck {
  const { result, endedAtMs, isPushed } = observed
  const checkedAtMs = Date.parse(result.checked_at)
  const { after, repeats } = deriveRegionState(snapshot, result.outcome, snapshot.confirmations, isPushed ? 1 : undefined)
  return {
    observed,
    checkedAtMs,
    after,
    dueAtMs: isPushed ? null : nextDue(snapshot, snapshot.dueAtMs, endedAtMs, repeats),
    conclusiveAtMs: result.outcome === 'inconclusive' ? null : endedAtMs,
  }
}

/**
 * A check that a person began outside of the active hours: it is shown, with what it found, counts for nothing, and none follows it.
 * Pure.
 */
export function applyOutside(observed: CompletedCheck, snapshot: Omit<MonitorSnapshot, 'status'>): AppliedCheck {
  const { result } = observed
  const why = `outside of the active hours, where no result counts (${result.outcome})`
  return { ...applyCheck({ ...observed, result: asInconclusive(result, why) }, snapshot), dueAtMs: null }
}

/** Derives the transition of the monitor after this check; undefined when its status stays. Pure. */
export function deriveTransition(
  { observed }: AppliedCheck,
  before: MonitorStatus,
  regions: readonly RegionView[],
  intervalMs: number,
  nowMs: number,
): StatusTransition | undefined {
  const derived = deriveMonitorStatus(before, regions, intervalMs, nowMs)
  if (derived.status === before) return undefined
  const { organization, monitor, endedAtMs, result } = observed
  const cause = result.outcome === 'up' ? undefined : result.error?.message
  return {
    organization,
    monitor,
    atMs: endedAtMs,
    from: before,
    to: derived.status,
    reason: transitionReason(derived, cause),
  }
}
