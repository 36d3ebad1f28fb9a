import { randomFraction } from '../crypto/random.ts'
import { type Db, inTransaction } from '../db/index.ts'
import type { Clock } from '../time/clock.ts'
import * as store from './queue-store.ts'
import type { Job, Lane, QueueTable } from './queue-store.ts'
import type { Pace } from './pace.ts'
import { nextAttemptAt } from './retry.ts'

// A job: stored in the transaction that causes it → leased by one process → done: deleted in the transaction of its result; or it
// failed: due again after a pause, until it is abandoned. A process extends the leases of its jobs under way; those of a process
// that died expire within seconds.

/** How long a process that died delays its jobs. */
const LEASE_MS = 4_000
/** Three times within a lease: one late statement does not lose it. */
const EXTEND_EVERY_MS = 1_000

/** A queue is a table and the rules by which it is processed. */
export interface Queue<Payload> extends QueueTable<Payload> {
  /** Jobs under way at once in a process, per lane where jobs have one. */
  concurrency: number
  /** Jobs of one key are processed one after the other; a job that is retried delays the later ones of its key. */
  isOrdered: boolean
  /** The part by which the pause before a retry varies. */
  retrySpread: number
}

export interface QueueDeps {
  db: Db
  clock: Clock
  /** The end of the program: no further job is leased. */
  ending: AbortSignal
}

/**
 * Processes what is due until nothing is, or the program ends: as soon as one job ends the next is leased. Waits for all that are
 * under way, also after a failure, and throws the first.
 */
export async function drainQueue<Payload>(
  { db, clock, ending }: QueueDeps,
  { table, concurrency, isOrdered }: Queue<Payload>,
  process: (job: Job<Payload>) => Promise<unknown>,
  { pace, ...only }: { lane?: Lane; createdBefore?: Date; pace?: Pace } = {},
): Promise<void> {
  const underWay = new Map<Promise<void>, store.HeldJob>()
  const drained = new AbortController()
  const failures: unknown[] = []
  const run = async (job: Job<Payload>): Promise<void> => {
    try {
      await process(job)
    } catch (error) {
      failures.push(error)
    }
  }
  void extendLeases({ db, clock }, table, underWay, drained.signal)
  try {
    while (!ending.aborted && failures.length === 0) {
      const nowMs = clock.now()
      const until = new Date(nowMs + LEASE_MS)
      const limit = Math.min(concurrency - underWay.size, pace?.left() ?? concurrency)
      const lease = { at: new Date(nowMs), until, limit, isOrdered }
      for (const job of await store.leaseJobs<Payload>(db, table, { ...lease, ...only })) {
        pace?.take()
        const running = run(job).finally(() => underWay.delete(running))
        underWay.set(running, { organization: job.organization, id: job.id, until })
      }
      if (underWay.size === 0) break
      await Promise.race(underWay.keys())
    }
  } finally {
    await Promise.all(underWay.keys())
    drained.abort()
  }
  if (failures.length > 0) throw failures[0]
}

async function extendLeases(
  { db, clock }: Pick<QueueDeps, 'db' | 'clock'>,
  table: string,
  underWay: ReadonlyMap<unknown, store.HeldJob>,
  drained: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.sleep(EXTEND_EVERY_MS, drained)
    if (drained.aborted) return
    const held = [...underWay.values()]
    const until = new Date(clock.now() + LEASE_MS)
    // Without a database the jobs cannot end either; what another process repeats meanwhile is completed once.
    const extended = held.length === 0 ? [] : await store.extendLeases(db, table, held, until).catch(() => [])
    for (const job of held) if (extended.includes(job.id)) job.until = until
  }
}

export interface RetryHandlers<Payload> {
  /** Does the job and completes it in its own transaction. Resolves with the reason where it failed and is to be retried. */
  attempt(job: Job<Payload>): Promise<Error | undefined>
  onRetry(job: Job<Payload>, reason: Error, nextAttemptAt: Date): void
  /** Gives a job up, by `abandonJob`. */
  abandon(job: Job<Payload>, reason: Error): Promise<void>
}

/** Attempts a job; one that fails is due again after a pause, or abandoned after a day. An attempt that our own end cut short does not count. */
export async function attemptJob<Payload>(
  { db, clock, ending }: QueueDeps,
  { table, retrySpread: spread }: Queue<Payload>,
  job: Job<Payload>,
  { attempt, onRetry, abandon }: RetryHandlers<Payload>,
): Promise<void> {
  const reason = await attempt(job)
  if (!reason) return
  if (ending.aborted) return store.postponeJob(db, table, job, job.attempts, new Date(clock.now()))
  const nextMs = nextAttemptAt(job.created_at.getTime(), job.attempts, clock.now(), { spread, fraction: randomFraction() })
  if (nextMs === undefined) return abandon(job, reason)
  onRetry(job, reason, new Date(nextMs))
  await store.postponeJob(db, table, job, job.attempts + 1, new Date(nextMs))
}

/** Deletes a job together with what records that; false where another process has dealt with it. */
export async function abandonJob<Payload>(
  db: Db,
  queue: Queue<Payload>,
  job: Job<Payload>,
  record: (db: Db) => Promise<void>,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    if (!(await store.completeJob(transaction, queue, job))) return false
    await record(transaction)
    return true
  })
}
