import { isHostState } from '@vedette/shared'
import type { Clock } from '../../../platform/time/clock.ts'
import type { LiveMean, LiveWindows, MeanQuestion } from '../../../hosts/metrics/index.ts'
import type { RuleRow } from '../rules/store.ts'
import type { EvaluationResult } from './evaluate.ts'
import { interruption } from './host-state.ts'
import type { TrackedServer } from './server-schedule.ts'

/** A mean that opens or resolves an incident, if it gives the same result as the newest samples; of a state what interrupts it. */
export interface MeanQuery {
  tracked: TrackedServer
  rule: RuleRow
  fieldId: number
  toMs: number
  result: EvaluationResult
}

/** Reads means over `for_seconds` only as often as they can matter. */
export interface MeanReader {
  /** In the order of the queries; undefined where it was read recently, and for an opening that live samples do not cover. */
  read(queries: readonly MeanQuery[]): Promise<(number | undefined)[]>
}

/** How much later an incident may be found, as a part of `for_seconds`. */
const LATENESS = 1 / 20
const LEAST_MS = 5_000
const MAX_ENTRIES = 100_000

export function createMeanReader(windows: LiveWindows, clock: Clock): MeanReader {
  const nextMs = new Map<string, number>()

  function isDue({ tracked: { server }, rule, result }: MeanQuery): boolean {
    const name = `${rule.id} ${server} ${result} ${rule.defined_at.getTime()}`
    const nowMs = clock.now()
    const pauseMs = Math.max(LEAST_MS, rule.for_seconds * 1000 * LATENESS)
    const waitMs = (nextMs.get(name) ?? 0) - nowMs
    // Longer than a pause: the clock stepped back.
    if (waitMs > 0 && waitMs <= pauseMs) return false
    if (nextMs.size >= MAX_ENTRIES) nextMs.clear()
    nextMs.set(name, nowMs + pauseMs)
    return true
  }

  return {
    read: async (queries) => {
      const due = queries.filter(isDue)
      const answers = await windows.means(due.map(toMeanQuestion))
      const byQuery = new Map(due.map((one, index) => [one, answers[index]]))
      return queries.map((one) => {
        const answer = byQuery.get(one)
        return answer === undefined || (one.result === 'opened' && !answer.isCovered) ? undefined : valueOf(one.rule, answer)
      })
    },
  }
}

function valueOf(rule: RuleRow, { mean, least, greatest }: LiveMean): number | undefined {
  if (mean === null || least === null || greatest === null) return undefined
  return isHostState(rule.metric) ? interruption(rule, { least, greatest }) : mean
}

const toMeanQuestion = ({ tracked: { organization, server }, rule, fieldId, toMs }: MeanQuery): MeanQuestion => ({
  organization,
  server,
  fieldId,
  toMs,
  spanMs: rule.for_seconds * 1000,
})
