import type { RuleColumns } from '../rules/rule.ts'
import { evaluate, CLOSED, type RuleState } from '../evaluation/evaluate.ts'
import { replayStatuses, type StatusStep } from '../evaluation/replay.ts'

/** An incident that a rule would have opened, ms; `resolvedAtMs` is null where it would still be open. */
export interface PreviewedIncident {
  openedAtMs: number
  resolvedAtMs: number | null
}

/** The value of a metric in one step of time; null where it is unknown. */
export interface PreviewPoint {
  atMs: number
  /** The value furthest beyond the threshold, for rules without a duration. */
  extreme: number | null
  mean: number | null
}

type Condition = Pick<RuleColumns, 'operator' | 'value' | 'clear_value' | 'for_seconds'>

/** From the statuses of a monitor, oldest first. Pure. */
export function previewStatuses(
  rule: Condition,
  steps: readonly StatusStep[],
  fromMs: number,
  nowMs: number,
): PreviewedIncident[] {
  const { results } = replayStatuses({ ...rule, defined_at: new Date(fromMs) }, false, steps, nowMs)
  return toIncidents(results)
}

/**
 * From the changes of the health of a server, oldest first: whether something was found before and after each of them. `sinceMs`: since
 * when it is found now; undefined: it is not. Pure.
 */
export function previewFindings(
  rule: Condition,
  changes: readonly { atMs: number; isFound: boolean; wasFound: boolean }[],
  sinceMs: number | undefined,
  fromMs: number,
  nowMs: number,
): PreviewedIncident[] {
  const wasFound = changes[0]?.wasFound ?? (sinceMs !== undefined && sinceMs <= fromMs)
  const all = [{ atMs: fromMs, isFound: wasFound }, ...changes]
  const steps = all.map(({ atMs, isFound }) => ({ status: isFound ? ('down' as const) : ('up' as const), reason: '', atMs }))
  return previewStatuses({ ...rule, value: 'down' }, steps, fromMs, nowMs)
}

/** From steps of a metric, oldest first; a mean covers the steps of the last `for_seconds`, nearly all of which must be known. Pure. */
export function previewNumbers(rule: Condition, points: readonly PreviewPoint[], stepMs: number): PreviewedIncident[] {
  const width = Math.max(1, Math.round((rule.for_seconds * 1000) / stepMs))
  const results: { result: 'opened' | 'resolved'; atMs: number }[] = []
  let state: RuleState = CLOSED
  let [sum, count] = [0, 0]
  for (const [index, point] of points.entries()) {
    if (point.mean !== null) [sum, count] = [sum + point.mean, count + 1]
    const leaving = points[index - width]
    if (leaving && leaving.mean !== null) [sum, count] = [sum - leaving.mean, count - 1]
    const mean = count >= width * MIN_COVERAGE ? sum / count : undefined
    const value = rule.for_seconds > 0 ? mean : (point.extreme ?? undefined)
    const evaluation = evaluate({ ...rule, for_seconds: 0 }, state, value, point.atMs)
    state = evaluation.state
    if (evaluation.result) results.push({ result: evaluation.result, atMs: point.atMs + stepMs })
  }
  return toIncidents(results)
}

/**
 * From steps of a state of a host, oldest first: the condition must hold in each step of the last `for_seconds`. States are whole
 * numbers: one that was interrupted in a step has a mean that is none. Pure.
 */
export function previewHostState(rule: Condition, points: readonly PreviewPoint[], stepMs: number): PreviewedIncident[] {
  const { operator } = rule
  const round = operator === 'greater_than' ? Math.floor : operator === 'less_than' ? Math.ceil : (mean: number) => mean
  const whole = (mean: number | null) => (mean === null ? null : round(mean))
  return previewHeld(
    rule,
    points.map((point) => ({ ...point, mean: whole(point.mean) })),
    stepMs,
  )
}

/** From steps of a value, oldest first: the condition must hold for the mean of each step of the last `for_seconds`. Pure. */
export function previewHeld(rule: Condition, points: readonly PreviewPoint[], stepMs: number): PreviewedIncident[] {
  const { for_seconds: forSeconds } = rule
  // The first of the steps has passed when it is evaluated.
  const held = { ...rule, for_seconds: Math.max(0, forSeconds - stepMs / 1000) }
  const results: { result: 'opened' | 'resolved'; atMs: number }[] = []
  let state: RuleState = CLOSED
  for (const { atMs, extreme, mean } of points) {
    const value = forSeconds > 0 && mean !== null ? mean : extreme
    const evaluation = evaluate(held, state, value ?? undefined, atMs)
    state = evaluation.state
    if (evaluation.result) results.push({ result: evaluation.result, atMs: atMs + stepMs })
  }
  return toIncidents(results)
}

/** What several entities of one server would have opened, as the one incident that a rule has there at a time. Pure. */
export function joinIncidents(all: readonly PreviewedIncident[]): PreviewedIncident[] {
  const joined: PreviewedIncident[] = []
  for (const one of all.toSorted((left, right) => left.openedAtMs - right.openedAtMs)) {
    const last = joined.at(-1)
    if (!last || (last.resolvedAtMs !== null && last.resolvedAtMs < one.openedAtMs)) joined.push({ ...one })
    else if (last.resolvedAtMs !== null)
      last.resolvedAtMs = one.resolvedAtMs === null ? null : Math.max(last.resolvedAtMs, one.resolvedAtMs)
  }
  return joined
}

/** The part of the steps of a mean that must be known. */
const MIN_COVERAGE = 0.9

/** From the steps in which a server sent samples: offline after the grace period without any. Pure. */
export function previewOffline(
  rule: Condition,
  points: readonly PreviewPoint[],
  stepMs: number,
  graceMs: number,
): PreviewedIncident[] {
  const results: { result: 'opened' | 'resolved'; atMs: number }[] = []
  let lastMs: number | undefined
  let isOpen = false
  for (const { atMs, mean } of points) {
    if (mean === null) {
      const opensMs = (lastMs ?? Number.POSITIVE_INFINITY) + graceMs + rule.for_seconds * 1000
      if (!isOpen && atMs + stepMs > opensMs) {
        isOpen = true
        results.push({ result: 'opened', atMs: opensMs })
      }
      continue
    }
    if (isOpen) results.push({ result: 'resolved', atMs })
    isOpen = false
    lastMs = atMs + stepMs
  }
  return toIncidents(results)
}

function toIncidents(results: readonly { result: 'opened' | 'resolved'; atMs: number }[]): PreviewedIncident[] {
  const all: PreviewedIncident[] = []
  for (const { result, atMs } of results) {
    const last = all.at(-1)
    if (result === 'opened') all.push({ openedAtMs: atMs, resolvedAtMs: null })
    else if (last && last.resolvedAtMs === null) last.resolvedAtMs = atMs
  }
  return all
}
