import type { RuleColumns } from '../rules/rule.ts'

// One rule and one target: quiet → pending, while the condition holds → open, once it has held for so long → quiet, once the value
// is back at where it clears. An open one that holds again stays the same incident.

/** How one rule stands to one target. */
export interface Standing {
  /** Since when the condition holds without a break, ms; null while it does not. */
  holdsSinceMs: number | null
  isOpen: boolean
}

export const QUIET: Standing = { holdsSinceMs: null, isOpen: false }

export type Verdict = 'opened' | 'resolved' | undefined

type Condition = Pick<RuleColumns, 'operator' | 'value' | 'clear_value' | 'for_seconds'>

/**
 * What a value at an instant makes of a standing. An unknown value (undefined) changes nothing: it neither opens nor resolves.
 * Values come in the order of their instants; one that stands still (a status) is judged again by the same value later. Pure.
 */
export function judge(
  rule: Condition,
  before: Standing,
  value: string | number | undefined,
  atMs: number,
): { after: Standing; verdict: Verdict } {
  if (value === undefined) return { after: before, verdict: undefined }
  if (!holds(rule, value)) {
    const isOpen = before.isOpen && !isClear(rule, value)
    return { after: { holdsSinceMs: null, isOpen }, verdict: before.isOpen && !isOpen ? 'resolved' : undefined }
  }
  const holdsSinceMs = before.holdsSinceMs ?? atMs
  const isOpen = before.isOpen || atMs - holdsSinceMs >= rule.for_seconds * 1000
  return { after: { holdsSinceMs, isOpen }, verdict: isOpen && !before.isOpen ? 'opened' : undefined }
}

/** Whether the condition is true of the value. A word and a number never go together. */
function holds({ operator, value: wanted }: Condition, value: string | number): boolean {
  if (operator === 'equals') return value === wanted
  if (typeof value !== 'number' || typeof wanted !== 'number') return false
  return operator === 'greater_than' ? value > wanted : value < wanted
}

/** Of a value of which the condition is not true: whether it is far enough back. */
function isClear({ operator, clear_value: clearValue }: Condition, value: string | number): boolean {
  if (clearValue === null || operator === 'equals' || typeof value !== 'number') return true
  return operator === 'greater_than' ? value <= clearValue : value >= clearValue
}
