import type { RuleColumns } from '../rules/rule.ts'

// One rule and one target: closed → pending, while the condition holds → open, once it has held for the duration → closed, once the
// value is back at the clear value. An incident whose condition holds again before that stays the same incident.

/** The state of one rule for one target. */
export interface RuleState {
  /** Since when the condition holds without interruption, ms; null while it does not. */
  holdsSinceMs: number | null
  isOpen: boolean
}

export const CLOSED: RuleState = { holdsSinceMs: null, isOpen: false }

export type EvaluationResult = 'opened' | 'resolved' | undefined

type Condition = Pick<RuleColumns, 'operator' | 'value' | 'clear_value' | 'for_seconds'>

/**
 * Evaluates a value at an instant. An unknown value (undefined) changes nothing: it neither opens nor resolves. Values come in the
 * order of their instants; a status that does not change is evaluated again with the same value. Pure.
 */
export function evaluate(
  rule: Condition,
  before: RuleState,
  value: string | number | undefined,
  atMs: number,
): { state: RuleState; result: EvaluationResult } {
  if (value === undefined) return { state: before, result: undefined }
  if (!isTrue(rule, value)) {
    const isOpen = before.isOpen && !isClear(rule, value)
    return { state: { holdsSinceMs: null, isOpen }, result: before.isOpen && !isOpen ? 'resolved' : undefined }
  }
  const holdsSinceMs = before.holdsSinceMs ?? atMs
  const isOpen = before.isOpen || atMs - holdsSinceMs >= rule.for_seconds * 1000
  return { state: { holdsSinceMs, isOpen }, result: isOpen && !before.isOpen ? 'opened' : undefined }
}

/** Whether the condition is true for the value. A status is never compared with a number. */
function isTrue({ operator, value: wanted }: Condition, value: string | number): boolean {
  if (operator === 'equals') return value === wanted
  if (typeof value !== 'number' || typeof wanted !== 'number') return false
  return operator === 'greater_than' ? value > wanted : value < wanted
}

/** Whether a value for which the condition is false has reached the clear value. */
function isClear({ operator, clear_value: clearValue }: Condition, value: string | number): boolean {
  if (clearValue === null || operator === 'equals' || typeof value !== 'number') return true
  return operator === 'greater_than' ? value <= clearValue : value >= clearValue
}
