import type { Clock } from '../../platform/clock.ts'
import type { LiveWindows, MeanQuestion } from '../../metrics/index.ts'
import type { RuleRow } from '../rules/store.ts'
import type { Verdict } from './judge.ts'
import type { Waited } from './server-schedule.ts'

/** A mean that would open or resolve, if it says the same as the samples of the moment. */
export interface MeanAsked {
  waited: Waited
  rule: RuleRow
  fieldId: number
  toMs: number
  verdict: Verdict
}

/** Asks for means over `for_seconds` no more often than they can matter. */
export interface Means {
  /**
   * In the order of the questions: undefined where it was asked lately, and, for what would open, where live samples do not go back
   * far enough.
   */
  of(asked: readonly MeanAsked[]): Promise<(number | undefined)[]>
}

/** An incident is found so much later than it could be, as a part of `for_seconds`. */
const LATENESS = 1 / 20
const LEAST_MS = 5_000
const MAX_KNOWN = 100_000

export function createMeans(windows: LiveWindows, clock: Clock): Means {
  const nextMs = new Map<string, number>()

  function isDue({ waited: { server }, rule, verdict }: MeanAsked): boolean {
    const name = `${rule.id} ${server} ${verdict} ${rule.says_since.getTime()}`
    const nowMs = clock.now()
    if (nowMs < (nextMs.get(name) ?? 0)) return false
    if (nextMs.size >= MAX_KNOWN) nextMs.clear()
    nextMs.set(name, nowMs + Math.max(LEAST_MS, rule.for_seconds * 1000 * LATENESS))
    return true
  }

  return {
    of: async (asked) => {
      const due = asked.filter(isDue)
      const answers = await windows.means(due.map(toQuestion))
      const byAsked = new Map(due.map((one, index) => [one, answers[index]]))
      return asked.map((one) => {
        const answer = byAsked.get(one)
        return one.verdict === 'opened' && !answer?.isCovered ? undefined : (answer?.mean ?? undefined)
      })
    },
  }
}

const toQuestion = ({ waited: { organization, server }, rule, fieldId, toMs }: MeanAsked): MeanQuestion => ({
  organization,
  server,
  fieldId,
  toMs,
  spanMs: rule.for_seconds * 1000,
})
