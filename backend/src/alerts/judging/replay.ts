import type { MonitorStatus } from '@vedette/shared'
import type { RuleColumns } from '../rules/rule.ts'
import { judge, type Standing } from './judge.ts'

/** A status that a monitor had from `atMs` to the next. */
export interface StatusStep {
  status: MonitorStatus
  reason: string
  atMs: number
}

export interface StatusVerdict {
  verdict: 'opened' | 'resolved'
  atMs: number
  /** What it came from. */
  step: StatusStep
}

/** A rule, and since when it says what it says. */
export type DatedRule = Pick<RuleColumns, 'operator' | 'value' | 'clear_value' | 'for_seconds'> & { says_since: Date }

/**
 * What the statuses of a monitor, the oldest first, make of a rule until now; and when to look again, where the last one still
 * holds for too short a time. Nothing opens at an instant at which the rule did not say so yet. Pure.
 */
export function replayStatuses(
  rule: DatedRule,
  isOpen: boolean,
  steps: readonly StatusStep[],
  nowMs: number,
): { verdicts: StatusVerdict[]; dueMs: number | undefined } {
  const verdicts: StatusVerdict[] = []
  let standing: Standing = { holdsSinceMs: null, isOpen }
  let dueMs: number | undefined
  for (const [index, step] of steps.entries()) {
    // Each is another status than the one before.
    const fresh = { ...standing, holdsSinceMs: null }
    const begun = judge({ ...rule, for_seconds: Number.POSITIVE_INFINITY }, fresh, step.status, step.atMs)
    standing = begun.after
    dueMs = undefined
    if (begun.verdict === 'resolved') verdicts.push({ verdict: 'resolved', atMs: step.atMs, step })
    if (standing.holdsSinceMs === null || standing.isOpen) continue
    const opensMs = Math.max(step.atMs + rule.for_seconds * 1000, rule.says_since.getTime())
    // A clock that is ahead of ours makes nobody wait.
    const untilMs = steps[index + 1]?.atMs ?? Math.max(nowMs, step.atMs) + 1
    if (opensMs >= untilMs) {
      dueMs = opensMs
      continue
    }
    standing = { ...standing, isOpen: true }
    verdicts.push({ verdict: 'opened', atMs: opensMs, step })
  }
  return { verdicts, dueMs }
}
