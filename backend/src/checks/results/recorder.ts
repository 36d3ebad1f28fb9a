import type { Clock } from '../../platform/time/clock.ts'
import { isLostConnection, isMissingPartition, type Pool } from '../../platform/db/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { keepCheckPartitions } from './partitions.ts'
import type { CompletedCheck } from './completed-check.ts'
import { recordChecks } from './record.ts'

/** Queues completed checks of this process until they are stored. */
export interface Recorder {
  record(observed: CompletedCheck): void
  /** Whether the database was unavailable at the last attempt. Claim no checks until the queue is stored. */
  isBehind(): boolean
  /** Resolves when everything recorded so far is stored, or at once when the database is unavailable. Stops batching. */
  drain(): Promise<void>
  stats(): { queued: number; dropped: number; batches: number; stored: number }
  stop(): Promise<void>
}

export interface RecorderDeps {
  pool: Pool
  clock: Clock
  /** The clock of the schedule. */
  now(): number
  log: Log
  /** These checks are stored, or never will be. */
  settled(checks: readonly CompletedCheck[]): void
}

/** Checks per transaction. */
const MAX_BATCH = 500
/** About 30 MB. While the database is unavailable nothing is claimed, so only a very large installation reaches it. */
const MAX_QUEUED = 50_000
const RETRY_MS = 250
/** Responses of failed checks are a KB each: only this many queued checks keep theirs. */
const MAX_QUEUED_WITH_ANSWER = 5_000
/** A statement costs the database more than a few checks do: under load the checks of this time share one. */
const BATCH_DELAY_MS = 250

/**
 * A check after a quiet period is stored at once; the following ones are stored together every quarter of a second. While the
 * database is unavailable all checks are queued with their own times and stored later.
 */
export function createRecorder({ pool, clock, now, log, settled }: RecorderDeps): Recorder {
  let queue: CompletedCheck[] = []
  let running: Promise<void> | undefined
  let isBehind = false
  const stopping = new AbortController()
  const hurrying = new AbortController()
  const counts = { dropped: 0, batches: 0, stored: 0 }

  async function run(): Promise<void> {
    // Results of one turn of the event loop belong in one batch.
    await yieldToEventLoop()
    while (queue.length > 0 && !(isBehind && stopping.signal.aborted)) {
      const batch = queue.slice(0, MAX_BATCH)
      queue = queue.slice(MAX_BATCH)
      await store(batch)
      if (!isBehind && queue.length < MAX_BATCH) await clock.sleep(BATCH_DELAY_MS, hurrying.signal)
    }
    running = undefined
  }

  async function store(batch: readonly CompletedCheck[]): Promise<void> {
    try {
      const taken = await recordChecks(pool, batch, now())
      isBehind = false
      counts.batches += 1
      counts.stored += taken.length
      settled(batch)
    } catch (error) {
      if (isLostConnection(error)) return requeue(batch, error)
      if (isMissingPartition(error)) return storeWithPartitions(batch, error)
      if (batch.length > 1) {
        // One of them is invalid: stored alone, only that one fails.
        for (const observed of batch) await store([observed])
        return
      }
      log.error({ err: error, monitor: batch[0]?.monitor }, 'a check could not be stored')
      settled(batch)
    }
  }

  async function requeue(batch: readonly CompletedCheck[], error: unknown): Promise<void> {
    if (!isBehind)
      log.warn({ err: error, checks: batch.length }, 'the database is unavailable: checks are queued until it is back')
    isBehind = true
    queue = [...batch, ...queue]
    await clock.sleep(RETRY_MS, stopping.signal)
  }

  /** Only once per batch: the partition of a day past the retention would be missing again. */
  async function storeWithPartitions(batch: readonly CompletedCheck[], error: unknown): Promise<void> {
    log.error({ err: error }, 'the partition for these checks is missing; creating it')
    try {
      await keepCheckPartitions(pool.db, log, now())
      await recordChecks(pool, batch, now())
    } catch (again) {
      if (isLostConnection(again)) return requeue(batch, again)
      log.error({ err: again, checks: batch.length }, 'checks of a day without a partition could not be stored')
    }
    settled(batch)
  }

  return {
    record: (observed) => {
      queue.push(queue.length < MAX_QUEUED_WITH_ANSWER ? observed : withoutAnswer(observed))
      if (queue.length > MAX_QUEUED) {
        counts.dropped += 1
        settled(queue.splice(0, 1))
      }
      running ??= run()
    },
    isBehind: () => isBehind,
    // Do not wait for a database that may never come back.
    drain: async () => {
      hurrying.abort()
      if (!isBehind) await running
    },
    stats: () => ({ ...counts, queued: queue.length }),
    stop: async () => {
      stopping.abort()
      hurrying.abort()
      await running
    },
  }
}

function withoutAnswer(observed: CompletedCheck): CompletedCheck {
  const { answer: _answer, ...result } = observed.result
  return { ...observed, result }
}
