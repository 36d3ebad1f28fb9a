import { CLOSED, evaluate, type RuleState } from '../evaluation/evaluate.ts'
import type { RuleColumns } from '../rules/rule.ts'

/** The state of one rule for all series that it knows. */
export interface SeriesState {
  /** Since when each has been in the answer, ms. */
  since: ReadonlyMap<string, number>
  /** Those with an open incident, and those whose incident was resolved by hand. */
  open: ReadonlySet<string>
}

export interface SeriesStep {
  since: Map<string, number>
  opened: string[]
  resolved: string[]
}

type Condition = Pick<RuleColumns, 'operator' | 'value' | 'clear_value' | 'for_seconds'>

/** Evaluates a rule on the series of one answer: those in it have the value 1, all others 0. Pure. */
export function evaluateSeries(
  rule: Condition,
  before: SeriesState,
  answer: { has(id: string): boolean; keys(): Iterable<string> },
  atMs: number,
): SeriesStep {
  const step: SeriesStep = { since: new Map(), opened: [], resolved: [] }
  for (const id of new Set([...answer.keys(), ...before.since.keys(), ...before.open])) {
    const own: RuleState = { ...CLOSED, holdsSinceMs: before.since.get(id) ?? null, isOpen: before.open.has(id) }
    const { state, result } = evaluate(rule, own, answer.has(id) ? 1 : 0, atMs)
    if (state.holdsSinceMs !== null) step.since.set(id, state.holdsSinceMs)
    if (result) step[result].push(id)
  }
  return step
}

/** Whether a step changes anything that is stored. */
export const isChange = ({ since }: SeriesState, step: SeriesStep): boolean =>
  step.opened.length + step.resolved.length > 0 ||
  since.size !== step.since.size ||
  [...step.since].some(([id, atMs]) => since.get(id) !== atMs)
