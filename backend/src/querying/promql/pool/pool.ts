import PQueue from 'p-queue'
import { type BoundedThread, createBoundedThread } from '../../../platform/concurrency/bounded-thread.ts'
import { after } from '../../../platform/time/monotonic.ts'
import type { AnswerExtras } from '../answer/write.ts'
import { executionError, PromqlError } from '../model/error.ts'
import { tooLarge } from '../evaluation/context.ts'
import type { Bounds, QueryPlan, SeriesData } from '../model/types.ts'
import type { EvaluatedAnswer, QueryAnswer, QueryQuestion } from './answer-query.ts'

type Data = ReadonlyMap<number, readonly SeriesData[]>

export interface RunOptions {
  /** Aborted when nobody waits for the answer any more: the evaluation ends at once. */
  signal?: AbortSignal
  /** Of waiting, reading and evaluating together; 30 s at most and by default. */
  timeoutMs?: number
  extras?: AnswerExtras
  bounds?: Bounds
}

export interface EvaluatorPool {
  /**
   * Evaluates in a thread. Rejects with a PromqlError: `timeout`, `canceled` once the signal aborts, and what `evaluate` throws.
   * `read` is called when it is this query's turn, and what it reads is moved into the thread: its arrays are empty afterwards.
   */
  run(plan: QueryPlan, read: (signal: AbortSignal) => Data | Promise<Data>, options?: RunOptions): Promise<EvaluatedAnswer>
  close(): Promise<void>
}

const THREADS = 2
/** Queries that have samples in memory; others wait before they read. */
const AT_ONCE = 4
export const MAX_TIMEOUT_MS = 30_000
/** Of what V8 manages; arrays of numbers are counted by the evaluation itself. */
const MAX_HEAP_MB = 256

/** In the source folder, or in the bundle's folder. */
const file = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './vedette-queries.mjs', import.meta.url)

/** Threads that start with their first query. */
export function createEvaluatorPool(): EvaluatorPool {
  const threads = Array.from({ length: THREADS }, () => ({
    running: 0,
    thread: createBoundedThread<QueryQuestion, QueryAnswer>(file, {
      cpuMs: MAX_TIMEOUT_MS,
      // The deadline of the query ends it sooner.
      lostMs: 2 * MAX_TIMEOUT_MS,
      memory: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      transfer: ({ data }) => buffersOf(data),
    }),
  }))
  const queue = new PQueue({ concurrency: AT_ONCE })

  async function evaluate(question: QueryQuestion, signal: AbortSignal): Promise<EvaluatedAnswer> {
    const [idlest] = threads.toSorted((a, b) => a.running - b.running)
    if (!idlest) throw executionError('there is no thread')
    idlest.running++
    try {
      return answerOf(await idlest.thread.run(question, { signal }))
    } finally {
      idlest.running--
    }
  }

  return {
    async run(plan, read, { signal, timeoutMs = MAX_TIMEOUT_MS, extras = {}, bounds = {} } = {}) {
      const deadline = new AbortController()
      const alarm = after(Math.min(timeoutMs, MAX_TIMEOUT_MS), () => deadline.abort())
      const ended = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal
      const work = async () => evaluate({ plan, data: await read(ended), bounds, extras }, ended)
      try {
        return await queue.add(work, { signal: ended })
      } catch (error) {
        if (deadline.signal.aborted) throw new PromqlError('timeout', `query timed out after ${timeoutMs / 1_000} s`)
        if (signal?.aborted) throw new PromqlError('canceled', 'query was canceled')
        throw error
      } finally {
        alarm.cancel()
      }
    },
    async close() {
      await Promise.all(threads.map(({ thread }) => thread.close()))
    },
  }
}

function buffersOf(data: Data): ArrayBuffer[] {
  const buffers = new Set<ArrayBufferLike>()
  for (const series of data.values()) for (const { atMs, values } of series) buffers.add(atMs.buffer).add(values.buffer)
  return [...buffers].filter((buffer) => buffer instanceof ArrayBuffer)
}

function answerOf(
  outcome: Awaited<ReturnType<BoundedThread<QueryQuestion, QueryAnswer>['run']>> | { failure: 'canceled' },
): EvaluatedAnswer {
  if ('answer' in outcome) {
    const { answer } = outcome
    if ('kind' in answer) throw new PromqlError(answer.kind, answer.message, answer.position)
    return answer
  }
  if (outcome.failure === 'memory') throw tooLarge()
  throw new PromqlError(outcome.failure === 'time' ? 'timeout' : 'execution', 'the thread that evaluates queries ended')
}
