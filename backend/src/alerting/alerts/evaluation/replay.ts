import type { MonitorStatus } from '@vedette/shared'
import type { RuleColumns } from '../rules/rule.ts'
import { evaluate, type RuleState } from './evaluate.ts'

/** A status that a monitor had from `atMs` until the next step. */
export interface StatusStep {
  status: MonitorStatus
  reason: string
  atMs: number
}

export interface StatusResult {
  result: 'opened' | 'resolved'
  atMs: number
  /** The step that caused it. */
  step: StatusStep
}

/** A rule, and since when its definition is as it is. */
export type DatedRule = Pick<RuleColumns, 'operator' | 'value' | 'clear_value' | 'for_seconds'> & { defined_at: Date }

/**
 * Evaluates a rule on the statuses of a monitor, oldest first, until now; and when to evaluate again, where the last one has not
 * held for the duration yet. Nothing opens before the rule was defined. Instants of a clock that was ahead of ours hold nothing
 * back: the last step counts as of now at the latest, the earlier ones keep their distance to it. Pure.
 */
export function replayStatuses(
  rule: DatedRule,
  isOpen: boolean,
  given: readonly StatusStep[],
  nowMs: number,
): { results: StatusResult[]; nextEvaluationMs: number | undefined } {
  const aheadMs = Math.max(0, (given.at(-1)?.atMs ?? nowMs) - nowMs)
  const steps = given.map((step) => ({ ...step, atMs: step.atMs - aheadMs }))
  const definedMs = Math.min(rule.defined_at.getTime(), nowMs)
  const results: StatusResult[] = []
  let state: RuleState = { holdsSinceMs: null, isOpen }
  let nextEvaluationMs: number | undefined
  for (const [index, step] of steps.entries()) {
    // Each step has another status than the previous one.
    const fresh = { ...state, holdsSinceMs: null }
    // Outside of the active hours nothing is known: what is open stays so, and nothing opens.
    const known = step.status === 'idle' ? undefined : step.status
    const evaluated = evaluate({ ...rule, for_seconds: Number.POSITIVE_INFINITY }, fresh, known, step.atMs)
    state = evaluated.state
    nextEvaluationMs = undefined
    if (evaluated.result === 'resolved') results.push({ result: 'resolved', atMs: step.atMs, step })
    if (state.holdsSinceMs === null || state.isOpen) continue
    const opensMs = Math.max(step.atMs + rule.for_seconds * 1000, definedMs)
    const untilMs = steps[index + 1]?.atMs ?? nowMs + 1
    if (opensMs >= untilMs) {
      nextEvaluationMs = opensMs
      continue
    }
    state = { ...state, isOpen: true }
    results.push({ result: 'opened', atMs: opensMs, step })
  }
  return { results, nextEvaluationMs }
}
