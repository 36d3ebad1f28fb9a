import type { RuleColumns } from '../rules/rule.ts'
import { judge, QUIET, type Standing } from '../judging/judge.ts'
import { replayStatuses, type StatusStep } from '../judging/replay.ts'

/** An incident that a rule would have opened, ms; not resolved: it would be open still. */
export interface WouldBe {
  openedAtMs: number
  resolvedAtMs: number | null
}

/** What a step of time says of a number; null where nothing is known. */
export interface Point {
  atMs: number
  /** Furthest over, for a rule that goes by each value. */
  extreme: number | null
  mean: number | null
}

type Condition = Pick<RuleColumns, 'operator' | 'value' | 'clear_value' | 'for_seconds'>

/** By the statuses of a monitor, the oldest first. Pure. */
export function previewStatuses(rule: Condition, steps: readonly StatusStep[], fromMs: number, nowMs: number): WouldBe[] {
  const { verdicts } = replayStatuses({ ...rule, says_since: new Date(fromMs) }, false, steps, nowMs)
  return paired(verdicts)
}

/** By steps of a number, the oldest first; a mean is that of the steps of the last `for_seconds`, where nearly all of them are known. Pure. */
export function previewNumbers(rule: Condition, points: readonly Point[], stepMs: number): WouldBe[] {
  const width = Math.max(1, Math.round((rule.for_seconds * 1000) / stepMs))
  const found: { verdict: 'opened' | 'resolved'; atMs: number }[] = []
  let standing: Standing = QUIET
  let [sum, known] = [0, 0]
  for (const [index, point] of points.entries()) {
    if (point.mean !== null) [sum, known] = [sum + point.mean, known + 1]
    const gone = points[index - width]
    if (gone && gone.mean !== null) [sum, known] = [sum - gone.mean, known - 1]
    const mean = known >= width * ENOUGH ? sum / known : undefined
    const value = rule.for_seconds > 0 ? mean : (point.extreme ?? undefined)
    const { after, verdict } = judge({ ...rule, for_seconds: 0 }, standing, value, point.atMs)
    standing = after
    if (verdict) found.push({ verdict, atMs: point.atMs + stepMs })
  }
  return paired(found)
}

/** Of the steps under a mean. */
const ENOUGH = 0.9

/** A server by the steps in which it sent something: offline once so many in a row have nothing. Pure. */
export function previewSilence(rule: Condition, points: readonly Point[], stepMs: number, graceMs: number): WouldBe[] {
  const found: { verdict: 'opened' | 'resolved'; atMs: number }[] = []
  let lastMs: number | undefined
  let isOpen = false
  for (const { atMs, mean } of points) {
    if (mean === null) {
      const opensMs = (lastMs ?? Number.POSITIVE_INFINITY) + graceMs + rule.for_seconds * 1000
      if (!isOpen && atMs + stepMs > opensMs) {
        isOpen = true
        found.push({ verdict: 'opened', atMs: opensMs })
      }
      continue
    }
    if (isOpen) found.push({ verdict: 'resolved', atMs })
    isOpen = false
    lastMs = atMs + stepMs
  }
  return paired(found)
}

function paired(verdicts: readonly { verdict: 'opened' | 'resolved'; atMs: number }[]): WouldBe[] {
  const all: WouldBe[] = []
  for (const { verdict, atMs } of verdicts) {
    const last = all.at(-1)
    if (verdict === 'opened') all.push({ openedAtMs: atMs, resolvedAtMs: null })
    else if (last && last.resolvedAtMs === null) last.resolvedAtMs = atMs
  }
  return all
}
