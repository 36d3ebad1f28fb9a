import { readLiveMean } from '../../metrics/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import type { RuleRow } from '../rules/store.ts'
import type { Verdict } from './judge.ts'
import type { Waited } from './server-schedule.ts'

/** Asks for means over `for_seconds`, which are dear, no more often than they can matter. */
export interface Means {
  /** Undefined where it was asked lately, and, for what would open, where live samples do not go back far enough. */
  of(server: Waited, rule: RuleRow, fieldId: number, toMs: number, verdict: Verdict): Promise<number | undefined>
}

/** An incident is found so much later than it could be, as a part of `for_seconds`. */
const LATENESS = 1 / 20
const LEAST_MS = 5_000
const MAX_KNOWN = 100_000

export function createMeans(db: Db, clock: Clock): Means {
  const nextMs = new Map<string, number>()
  return {
    of: async ({ organization, server }, rule, fieldId, toMs, verdict) => {
      const name = `${rule.id} ${server} ${verdict} ${rule.says_since.getTime()}`
      const nowMs = clock.now()
      if (nowMs < (nextMs.get(name) ?? 0)) return undefined
      if (nextMs.size >= MAX_KNOWN) nextMs.clear()
      nextMs.set(name, nowMs + Math.max(LEAST_MS, rule.for_seconds * 1000 * LATENESS))
      const { mean, isCovered } = await readLiveMean(db, { organization, server }, fieldId, toMs, rule.for_seconds * 1000)
      return mean === null || (verdict === 'opened' && !isCovered) ? undefined : mean
    },
  }
}
