import { hash } from 'node:crypto'
import { DAY_MS } from '@vedette/shared'
import type { Clock } from '../time/clock.ts'
import { type Db, inTransaction } from '../db/index.ts'
import { ApiError, conflict } from '../errors.ts'
import { digestOf } from './digest.ts'
import { findAnswer, insertAnswer, type StoredAnswer, type KeyName, lockKey, deleteAnswers } from './store.ts'

/** How long an answer is stored. */
const KEPT_MS = DAY_MS
/** Creating takes milliseconds; a retry after this time finds the answer. */
const UNDER_WAY_RETRY_SECONDS = 1

/** A creating request under a key of its sender. */
export interface RepeatableRequest extends KeyName {
  /** What identifies the request: organization, method, path, body. */
  content: unknown
}

/** The result of `work`, and the answer to store. */
export interface Done<T> {
  result: T
  stored: Omit<StoredAnswer, 'request'>
}

/**
 * Runs the work once for this key and stores its answer in the same transaction: a crash leaves both or neither. A repeat gets
 * the stored answer. Throws conflict for another request under the same key and, with a Retry-After, while the first is under way.
 */
export async function runOnce<T>(
  { db, clock }: { db: Db; clock: Clock },
  request: RepeatableRequest,
  work: (db: Db) => Promise<Done<T>>,
): Promise<{ result: T } | { stored: StoredAnswer }> {
  const { credential, key, content } = request
  const name = { credential, key }
  const digest = digestOf(content)
  return inTransaction(db, async (transaction) => {
    const at = clock.now()
    const after = new Date(at - KEPT_MS)
    // The lock comes first: its holder sees the commit of the previous holder.
    if (!(await lockKey(transaction, lockOf(name)))) throw underWay()
    const stored = await findAnswer(transaction, name, after)
    if (stored) {
      if (!stored.request.equals(digest)) throw conflict('This Idempotency-Key was sent with another request before.')
      return { stored }
    }
    const done = await work(transaction)
    // Where advisory locks are not shared (several coordinators of one database), the primary key decides; the work is rolled back.
    if (!(await insertAnswer(transaction, name, { request: digest, ...done.stored }, new Date(at), after))) throw underWay()
    return { result: done.result }
  })
}

/** Deletes expired answers. */
export async function deleteOldAnswers(db: Db, nowMs: number): Promise<void> {
  await deleteAnswers(db, new Date(nowMs - KEPT_MS))
}

const underWay = (): ApiError =>
  new ApiError('conflict', 'The first request with this Idempotency-Key is still under way.', {
    retryAfterSeconds: UNDER_WAY_RETRY_SECONDS,
  })

/** Two keys with the same number would only wait for each other. */
const lockOf = ({ credential, key }: KeyName): bigint => hash('sha256', `${credential}\n${key}`, 'buffer').readBigInt64BE()
