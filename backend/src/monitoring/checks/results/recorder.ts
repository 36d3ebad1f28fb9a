import type { Clock } from '../../../platform/time/clock.ts'
import {
  createNodeFinder,
  isCanceled,
  isLostConnection,
  isMissingPartition,
  isOfNode,
  NODE_REST_MS,
  type Pool,
} from '../../../platform/db/index.ts'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'
import type { Log } from '../../../platform/logging/log.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import { createCertificateRecorder } from '../../certificates/index.ts'
import { keepCheckPartitions } from './partitions.ts'
import { createGroupCommit, Dropped, type Failure } from '../../../platform/concurrency/group-commit.ts'
import { type CompletedCheck, seenCertificates } from './completed-check.ts'
import { recordChecks } from './record.ts'
import { storeResponses } from './response-store.ts'

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
  encrypter: Encrypter
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
/** Those that are kept whole are up to 64 KiB each. */
const MAX_QUEUED_WITH_WHOLE = 500
/** A statement costs the database more than a few checks do: under load the checks of this time share one. */
const BATCH_DELAY_MS = 250

/**
 * A check after a quiet period is stored at once; the following ones are stored together every quarter of a second. While the
 * database is unavailable all checks are queued with their own times and stored later; while a node is, those of its organizations.
 */
export function createRecorder({ pool, clock, now, log, encrypter, settled }: RecorderDeps): Recorder {
  let isBehind = false
  const nodeOf = createNodeFinder(pool.db)
  const counts = { dropped: 0, batches: 0, stored: 0 }
  const storeCertificates = createCertificateStore(pool, log)
  const keepResponses = createResponseStore(pool, encrypter, log)

  const commit = createGroupCommit<CompletedCheck, undefined>({
    store,
    maxRows: MAX_BATCH,
    maxSize: MAX_QUEUED,
    full: () => 'drop the oldest',
    laneOf: ({ organization }) => nodeOf(organization),
    onFailure: keepIfAway,
    delayMs: (waiting) => (waiting < MAX_BATCH ? BATCH_DELAY_MS : 0),
    // Results of one turn of the event loop belong in one batch.
    collect: yieldToEventLoop,
    clock,
  })

  async function store(batch: readonly CompletedCheck[]): Promise<undefined[]> {
    const taken = await recordWithPartitions(batch)
    isBehind = false
    counts.batches += 1
    counts.stored += taken.length
    const stored = taken.map((index) => batch[index] as CompletedCheck)
    await storeCertificates(stored)
    await keepResponses(stored)
    return []
  }

  /** Only once: the partition of a day past the retention would be missing again. */
  async function recordWithPartitions(batch: readonly CompletedCheck[]) {
    try {
      return await recordChecks(pool, batch, now())
    } catch (error) {
      if (!isMissingPartition(error)) throw error
      log.error({ err: error }, 'the partition for these checks is missing; creating it')
      await keepCheckPartitions(pool.db, log, now())
      return recordChecks(pool, batch, now())
    }
  }

  function keepIfAway(error: unknown, batch: readonly CompletedCheck[], node: string | undefined): Failure {
    if (node && isOfNode(error)) {
      log.warn({ err: error, node, checks: batch.length, restMs: NODE_REST_MS }, 'a node does not store checks: they are queued')
      return { action: 'keep', forMs: NODE_REST_MS }
    }
    if (!isLostConnection(error) && !isCanceled(error)) return { action: 'each' }
    if (!isBehind)
      log.warn({ err: error, checks: batch.length }, 'the database is unavailable: checks are queued until it is back')
    isBehind = true
    return { action: 'keep', forMs: RETRY_MS }
  }

  function refused(observed: CompletedCheck, error: unknown): void {
    if (error instanceof Dropped) counts.dropped += 1
    else log.error({ err: error, monitor: observed.monitor }, 'a check could not be stored')
    settled([observed])
  }

  return {
    record: (observed) => {
      const kept = asQueued(observed, commit.size())
      void commit.add(kept).then(
        () => settled([observed]),
        (error: unknown) => refused(observed, error),
      )
    },
    isBehind: () => isBehind,
    drain: commit.drain,
    stats: () => ({ ...counts, queued: commit.size() }),
    stop: commit.stop,
  }
}

/** Stores certificates after their checks, which must not fail with them: later checks report the same ones. */
function createCertificateStore({ db }: Pool, log: Log) {
  const certificates = createCertificateRecorder()
  return async (checks: readonly CompletedCheck[]): Promise<void> => {
    try {
      await certificates.record(db, seenCertificates(checks))
    } catch (error) {
      log.warn({ err: error }, 'certificates that checks saw could not be stored; later checks report them again')
    }
  }
}

/** As certificates: a check is stored without its response where that fails. */
const createResponseStore =
  ({ db }: Pool, encrypter: Encrypter, log: Log) =>
  (checks: readonly CompletedCheck[]): Promise<void> =>
    storeResponses(db, encrypter, checks).catch((error: unknown) =>
      log.warn({ err: error }, 'responses of failed checks could not be stored'),
    )

/** What waits of a check, by the number of those that wait. */
function asQueued(observed: CompletedCheck, queued: number): CompletedCheck {
  if (queued >= MAX_QUEUED_WITH_ANSWER) return withoutAnswer(observed)
  return queued >= MAX_QUEUED_WITH_WHOLE ? withoutWhole(observed) : observed
}

function withoutWhole(observed: CompletedCheck): CompletedCheck {
  const { answer, ...result } = observed.result
  if (answer?.whole === undefined) return observed
  const { status_line, body } = answer
  return { ...observed, result: { ...result, answer: { status_line, body } } }
}

function withoutAnswer(observed: CompletedCheck): CompletedCheck {
  const { answer: _answer, ...result } = observed.result
  return { ...observed, result }
}
