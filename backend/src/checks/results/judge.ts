import type { MonitorStatus } from '@vedette/shared'
import { judgeMonitor, reasonOf, type RegionView } from '../status/monitor-status.ts'
import { nextRegionState, type RegionProgress } from '../status/region-state.ts'
import { nextDue } from '../schedule/grid.ts'
import type { Known, Observed } from './observed.ts'

/** One check with what it makes of its region. */
export interface JudgedCheck {
  observed: Observed
  checkedAtMs: number
  after: RegionProgress
  dueAtMs: number
  /** By the clock of the schedule, whatever the checker's own says. Null: the check says nothing of the target. */
  conclusiveAtMs: number | null
}

/** A change of a monitor's status. */
export interface Change {
  organization: number
  monitor: number
  atMs: number
  from: MonitorStatus
  to: MonitorStatus
  reason: string
}

/** What one check makes of its region. Pure. */
export function judgeCheck(observed: Observed, known: Omit<Known, 'status'>): JudgedCheck {
  const { result, endedAtMs } = observed
  const checkedAtMs = Date.parse(result.checked_at)
  const { after, repeats } = nextRegionState(known, result.outcome, known.confirmations)
  return {
    observed,
    checkedAtMs,
    after,
    dueAtMs: nextDue(known, known.dueAtMs, endedAtMs, repeats),
    conclusiveAtMs: result.outcome === 'inconclusive' ? null : endedAtMs,
  }
}

/** What the regions of a monitor make of its status after this check; undefined where it stays. Pure. */
export function judgeChange(
  { observed }: JudgedCheck,
  before: MonitorStatus,
  regions: readonly RegionView[],
  intervalMs: number,
  nowMs: number,
): Change | undefined {
  const judgement = judgeMonitor(before, regions, intervalMs, nowMs)
  if (judgement.status === before) return undefined
  const { organization, monitor, endedAtMs, result } = observed
  const cause = result.outcome === 'up' ? undefined : result.error?.message
  return { organization, monitor, atMs: endedAtMs, from: before, to: judgement.status, reason: reasonOf(judgement, cause) }
}
