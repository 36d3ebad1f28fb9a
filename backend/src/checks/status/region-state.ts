import type { Outcome, RegionState } from '@vedette/shared'

/** What the checks of one region add up to. */
export interface RegionProgress {
  /** Confirmed; null before the first confirmation. */
  state: RegionState | null
  /** Checks that were down, in a row, at the end of what was seen. */
  failures: number
  /** Checks that were up, in a row, while the region comes back. */
  successes: number
}

export interface RegionStep {
  after: RegionProgress
  /** Whether the next check comes after 5 s in place of an interval: to confirm what this one said. */
  repeats: boolean
}

export const UNKNOWN_REGION: RegionProgress = { state: null, failures: 0, successes: 0 }

/** Back up needs so many good checks in a row. */
const GOOD_CHECKS = 2
/** The columns are narrow; beyond the highest number of confirmations nothing is decided by it. */
const MAX_FAILURES = 100

/**
 * One check more of a region. States:
 *
 *   unknown   -> up | degraded | down (confirmed)
 *   up        -> degraded at once; down after `confirmations` failures in a row
 *   degraded  -> up after two good checks in a row; down after `confirmations` failures in a row
 *   down      -> degraded at once: it answers again; up after two good checks in a row
 *
 * A check that was inconclusive says nothing of the target: all stays as it is, the failures counted so far too, and nothing is
 * repeated, because what keeps us from checking is not cured by checking more.
 */
export function nextRegionState(before: RegionProgress, outcome: Outcome, confirmations: number): RegionStep {
  switch (outcome) {
    case 'inconclusive':
      return { after: before, repeats: false }
    case 'degraded':
      return { after: { state: 'degraded', failures: 0, successes: 0 }, repeats: false }
    case 'down':
      return afterFailure(before, confirmations)
    case 'up':
      return afterSuccess(before)
  }
}

function afterFailure({ state, failures: earlier }: RegionProgress, confirmations: number): RegionStep {
  const failures = Math.min(earlier + 1, MAX_FAILURES)
  const isDown = state === 'down' || failures >= confirmations
  return { after: { state: isDown ? 'down' : state, failures, successes: 0 }, repeats: !isDown }
}

function afterSuccess({ state, successes: earlier }: RegionProgress): RegionStep {
  const successes = earlier + 1
  if (state === null || state === 'up' || successes >= GOOD_CHECKS)
    return { after: { state: 'up', failures: 0, successes: 0 }, repeats: false }
  return { after: { state, failures: 0, successes }, repeats: true }
}
