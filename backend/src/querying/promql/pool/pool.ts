import { executionError } from '../error.ts'
import type { AnswerExtras } from '../answer/write.ts'
import type { QueryPlan, SeriesData } from '../types.ts'

export interface EvaluatorPool {
  /**
   * Evaluates in a thread and answers the body of `writeResult`. Rejects with a PromqlError: `timeout` after the deadline, `canceled`
   * once the signal aborts, `execution` for a query that is wrong or too large. `data` is moved into the thread: its arrays are empty
   * afterwards.
   */
  run(
    plan: QueryPlan,
    data: ReadonlyMap<number, readonly SeriesData[]>,
    options?: { signal?: AbortSignal; timeoutMs?: number; extras?: AnswerExtras; maxSamples?: number },
  ): Promise<EvaluatedAnswer>
  close(): Promise<void>
}

export interface EvaluatedAnswer {
  body: Uint8Array[]
  samplesRead: number
}

/** Two threads that start with their first query; at most four queries are evaluated or wait in them, others wait for those. */
export function createEvaluatorPool(): EvaluatorPool {
  return { run: () => Promise.reject(executionError('no thread yet')), close: () => Promise.resolve() }
}
