import type { Clock } from '../../../platform/time/clock.ts'
import {
  createNodeFinder,
  isCanceled,
  isLostConnection,
  isMissingPartition,
  isOfNode,
  NODE_REST_MS,
  ONE_NODE,
  type Pool,
} from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/logging/log.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
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
 * database is unavailable all checks are queued with their own times and stored later; while a node is, those of its organizations.
 */
export function createRecorder({ pool, clock, now, log, settled }: RecorderDeps): Recorder {
  let queue: CompletedCheck[] = []
  let running: Promise<void> | undefined
  let isBehind = false
  const nodeOf = createNodeFinder(pool.db)
  /** Nodes that are not tried, and until when. */
  const resting = new Map<string, number>()
  const stopping = new AbortController()
  const hurrying = new AbortController()
  const counts = { dropped: 0, batches: 0, stored: 0 }

  const isGivenUp = () => isBehind && stopping.signal.aborted

  async function run(): Promise<void> {
    // Results of one turn of the event loop belong in one batch.
    await yieldToEventLoop()
    while (queue.length > 0 && !isGivenUp()) {
      const batch = takeBatch()
      if (batch.length > 0) await storeByNode(batch)
      // At the end a node that rests is not waited for.
      else if (hurrying.signal.aborted) break
      if (!isBehind && queue.length < MAX_BATCH) await clock.sleep(BATCH_DELAY_MS, hurrying.signal)
    }
    running = undefined
  }

  /** Those of nodes that rest stay in the queue. */
  function takeBatch(): CompletedCheck[] {
    for (const [node, untilMs] of resting) if (untilMs <= clock.now()) resting.delete(node)
    if (resting.size === 0) return queue.splice(0, MAX_BATCH)
    const [batch, rest]: [CompletedCheck[], CompletedCheck[]] = [[], []]
    for (const observed of queue) {
      const node = nodeOf(observed.organization)
      const isDue = batch.length < MAX_BATCH && !(typeof node === 'string' && resting.has(node))
      ;(isDue ? batch : rest).push(observed)
    }
    queue = rest
    return batch
  }

  /** At once: a node that does not answer delays its own checks alone. */
  async function storeByNode(batch: readonly CompletedCheck[]): Promise<void> {
    try {
      const nodes = await Promise.all(batch.map(async ({ organization }) => nodeOf(organization)))
      const groups = [...Map.groupBy(batch.keys(), (index) => nodes[index] as string)]
      const storing = groups.map(([node, indexes]) =>
        store(
          indexes.map((index) => batch[index] as CompletedCheck),
          node,
        ),
      )
      await Promise.all(storing)
    } catch (error) {
      // Of the look-up: nothing was stored yet.
      await requeue(batch, error)
    }
  }

  async function store(batch: readonly CompletedCheck[], node: string): Promise<void> {
    try {
      const taken = await recordChecks(pool, batch, now())
      isBehind = false
      counts.batches += 1
      counts.stored += taken.length
      settled(batch)
    } catch (error) {
      if (node !== ONE_NODE && isOfNode(error)) return rest(batch, node, error)
      if (isLostConnection(error) || isCanceled(error)) return requeue(batch, error)
      if (isMissingPartition(error)) return storeWithPartitions(batch, error)
      if (batch.length > 1) {
        // One of them is invalid: stored alone, only that one fails.
        for (const observed of batch) await store([observed], node)
        return
      }
      log.error({ err: error, monitor: batch[0]?.monitor }, 'a check could not be stored')
      settled(batch)
    }
  }

  function rest(batch: readonly CompletedCheck[], node: string, error: unknown): void {
    log.warn({ err: error, node, checks: batch.length, restMs: NODE_REST_MS }, 'a node does not store checks: they are queued')
    resting.set(node, clock.now() + NODE_REST_MS)
    queue = [...batch, ...queue]
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
      if (isLostConnection(again) || isCanceled(again)) return requeue(batch, again)
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
