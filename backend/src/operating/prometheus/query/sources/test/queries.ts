import { isStale, type Matcher, type SeriesData } from '../../../../../querying/promql/index.ts'
import type { TestBackend, TestOrganization } from '../../../../../../test/harness.ts'
import { sourceOf } from '../../../../../platform/db/index.ts'
import type { Scope, Wanted } from '../source.ts'

/** Whose series at this instant; `count` says how many statements were run. */
export function scopeOf({ pool, clock }: TestBackend, { number }: TestOrganization): { scope: Scope; count(): number } {
  let statements = 0
  const db = pool.db.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { scope: { from: sourceOf(db), organization: number, plan: 'enterprise', nowMs: clock.now() }, count: () => statements }
}

export const named = (value: string, op: Matcher['op'] = '='): Matcher => ({ label: '__name__', op, value })

const LOOKBACK_MS = 300_000
/** What an engine asks for one instant. */
export const instant = (atMs: number, ...matchers: Matcher[]): Wanted => ({
  matchers,
  fromMs: atMs - LOOKBACK_MS,
  toMs: atMs,
  stepMs: 0,
  rangeMs: undefined,
})

/** What an engine takes for an instant; undefined where nothing counts any more. */
export function valueAt({ atMs, values, lookbackMs = LOOKBACK_MS }: SeriesData, instantMs: number): number | undefined {
  const index = atMs.findLastIndex((at) => at <= instantMs)
  if (index < 0 || (atMs[index] as number) <= instantMs - lookbackMs || isStale(values, index)) return undefined
  return values[index]
}
