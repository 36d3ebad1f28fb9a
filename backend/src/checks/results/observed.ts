import type { CheckResult, MonitorStatus } from '@vedette/shared'
import type { RegionProgress } from '../status/region-state.ts'

/** One check that was made, and the claim under which it was made. */
export interface Observed {
  organization: number
  /** The monitor's surrogate. */
  monitor: number
  region: number
  /** Of the claim: another one in the schedule means that somebody else has the check, or that it is of no use any more. */
  fence: number
  result: CheckResult
  /** When it ended by the clock of the schedule, whole ms: repeats are counted from here. */
  endedAtMs: number
  /** What held when the check was claimed; only where no other region checks the monitor, so that it holds still. */
  known?: Known | undefined
}

/** What must be known of a region to judge a check of it. */
export interface Known extends RegionProgress {
  confirmations: number
  intervalMs: number
  anchorMs: number
  dueAtMs: number
  lastConclusiveAtMs: number | null
  /** Of the monitor. */
  status: MonitorStatus
}
