import { hash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { type Db, inTransaction } from '../db/index.ts'
import { ApiError, conflict } from '../errors.ts'
import { digestOf } from './digest.ts'
import { findKept, insertKept, type Kept, type KeyName, lockKey, removeKept } from './store.ts'

/** How long an answer is kept. */
const KEPT_MS = 86_400_000
/** Creating takes milliseconds; who asks again after this finds the answer. */
const UNDER_WAY_RETRY_SECONDS = 1

/** A creating request under a key of its sender. */
export interface RepeatableRequest extends KeyName {
  /** All that makes it the same request: organization, method, path, body. */
  content: unknown
}

/** What `work` did, in the form in which it is kept. */
export interface Done<T> {
  result: T
  kept: Omit<Kept, 'request'>
}

/**
 * Does the work once for this key, in one transaction with the note that it is done: either both are there or neither,
 * whenever the process dies. A repeat is given what was kept. Throws conflict for another request under the same key, and,
 * with a time to come back, while the first is under way.
 */
export async function runOnce<T>(
  { db, clock }: { db: Db; clock: Clock },
  request: RepeatableRequest,
  work: (db: Db) => Promise<Done<T>>,
): Promise<{ result: T } | { kept: Kept }> {
  const { credential, key, content } = request
  const name = { credential, key }
  const digest = digestOf(content)
  return inTransaction(db, async (transaction) => {
    const at = clock.now()
    const after = new Date(at - KEPT_MS)
    // The lock comes first: whoever gets it sees what the one before has committed.
    if (!(await lockKey(transaction, lockOf(name)))) throw underWay()
    const kept = await findKept(transaction, name, after)
    if (kept) {
      if (!kept.request.equals(digest)) throw conflict('This Idempotency-Key was sent with another request before.')
      return { kept }
    }
    const done = await work(transaction)
    // Where locks do not reach (several coordinators of one database) the key itself decides; the work is rolled back.
    if (!(await insertKept(transaction, name, { request: digest, ...done.kept }, new Date(at), after))) throw underWay()
    return { result: done.result }
  })
}

/** Removes answers that are no longer kept. */
export async function forgetOldAnswers(db: Db, nowMs: number): Promise<void> {
  await removeKept(db, new Date(nowMs - KEPT_MS))
}

const underWay = (): ApiError =>
  new ApiError('conflict', 'The first request with this Idempotency-Key is still under way.', {
    retryAfterSeconds: UNDER_WAY_RETRY_SECONDS,
  })

/** Two keys that share a number would only wait for each other. */
const lockOf = ({ credential, key }: KeyName): bigint => hash('sha256', `${credential}\n${key}`, 'buffer').readBigInt64BE()
