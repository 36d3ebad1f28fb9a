import type { Clock } from '../../../platform/time/clock.ts'
import type { Reader } from '../../../platform/db/index.ts'
import { findPlan } from '../../../access/plans/index.ts'
import { type EvaluatorPool, planQuery, type SeriesData } from '../../../querying/promql/index.ts'
import { requireWithinBounds } from './sources/bounds.ts'
import type { Catalogue } from './catalogue.ts'
import { lookbackOrDefault, type Range } from './parameters.ts'
import type { Scope } from './sources/source.ts'

export interface QueryDeps {
  reader: Reader
  clock: Clock
  catalogue: Catalogue
  pool: EvaluatorPool
}

export interface Question extends Range {
  expression: string
  /** Undefined: what is known of each series. */
  lookbackMs: number | undefined
  timeoutMs: number
  limit: number | undefined
  withStats: boolean
}

const MEANS =
  'some of it was answered by means of 5 minutes: single samples are read at a step below 5 minutes and while they are kept'

/** The bytes of the answer. Throws PromqlError. */
export async function answerQuery(
  { reader, clock, catalogue, pool }: QueryDeps,
  organization: number,
  question: Question,
  signal: AbortSignal,
): Promise<Buffer> {
  const { expression, lookbackMs, timeoutMs, startMs, endMs, stepMs } = question
  const plan = planQuery(expression, { startMs, endMs, stepMs, lookbackMs: lookbackOrDefault(lookbackMs) })
  // What the reading finds out is added to the answer.
  const extras: { warnings?: string[]; stats?: unknown } = {}
  const read = async (ended: AbortSignal) => {
    const data = new Map<number, SeriesData[]>()
    let samples = 0
    for (const selection of plan.selections) {
      ended.throwIfAborted()
      const found = await inScope({ reader, clock }, organization, (scope) => catalogue.read(scope, selection))
      samples += found.series.reduce((sum, { atMs }) => sum + atMs.length, 0)
      requireWithinBounds({ samples })
      if (found.hasMeans) extras.warnings = [MEANS]
      // A request that names a lookback means it for all series.
      data.set(selection.id, lookbackMs === undefined ? found.series : found.series.map(({ lookbackMs: _own, ...one }) => one))
    }
    if (question.withStats) extras.stats = statsOf(samples)
    return data
  }
  const { body } = await pool.run(plan, read, { signal, timeoutMs, extras, bounds: { limit: question.limit } })
  return Buffer.concat(body)
}

/** As Prometheus counts: what was read at all, and it is what was held at once too. */
const statsOf = (samples: number) => ({ samples: { totalQueryableSamples: samples, peakSamples: samples } })

export function inScope<T>(
  { reader, clock }: Pick<QueryDeps, 'reader' | 'clock'>,
  organization: number,
  read: (scope: Scope) => Promise<T>,
): Promise<T> {
  return reader(async (from) => {
    const plan = await findPlan(from.db, organization)
    return read({ from, organization, plan, nowMs: clock.now() })
  })
}
