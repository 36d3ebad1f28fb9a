import type { Outcome, RegionState } from '@vedette/shared'

/** The state of a region after its checks. */
export interface RegionProgress {
  /** Confirmed; null before the first confirmation. */
  state: RegionState | null
  /** Consecutive checks that were down, up to now. */
  failures: number
  /** Consecutive checks that were up while the region recovers. */
  successes: number
}

export interface RegionStep {
  after: RegionProgress
  /** Whether the next check runs after 5 s instead of an interval, to confirm this one. */
  repeats: boolean
}

/** Consecutive good checks for a recovery. */
const RECOVERY_CHECKS = 2
/** The column is narrow, and no rule needs a higher count than the maximum of confirmations. */
const MAX_FAILURES = 100

/**
 * The state of a region after one more check. States:
 *
 *   unknown   -> up | degraded | down (confirmed)
 *   up        -> degraded at once; down after `confirmations` failures in a row
 *   degraded  -> up after `recoveryChecks` good checks in a row, two without it; down after `confirmations` failures in a row
 *   down      -> degraded at once, because it responds again; up after two good checks in a row
 *
 * An inconclusive check changes nothing, not even the failures counted so far, and is not repeated: more checks do not cure a
 * fault of our own.
 */
export function deriveRegionState(
  before: RegionProgress,
  outcome: Outcome,
  confirmations: number,
  recoveryChecks: number = RECOVERY_CHECKS,
): RegionStep {
  switch (outcome) {
    case 'inconclusive':
      return { after: before, repeats: false }
    case 'degraded':
      return { after: { state: 'degraded', failures: 0, successes: 0 }, repeats: false }
    case 'down':
      return afterFailure(before, confirmations)
    case 'up':
      return afterSuccess(before, recoveryChecks)
  }
}

function afterFailure({ state, failures: earlier }: RegionProgress, confirmations: number): RegionStep {
  const failures = Math.min(earlier + 1, MAX_FAILURES)
  const isDown = state === 'down' || failures >= confirmations
  return { after: { state: isDown ? 'down' : state, failures, successes: 0 }, repeats: !isDown }
}

function afterSuccess({ state, successes: earlier }: RegionProgress, recoveryChecks: number): RegionStep {
  const successes = earlier + 1
  if (state === null || state === 'up' || successes >= recoveryChecks)
    return { after: { state: 'up', failures: 0, successes: 0 }, repeats: false }
  return { after: { state, failures: 0, successes }, repeats: true }
}
