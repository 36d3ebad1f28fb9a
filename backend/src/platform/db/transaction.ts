import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { endsSession, isLostConnection, isRolledBack } from './lost-connection.ts'
import type { Db } from './pool.ts'

/** Postgres ends a deadlock after a second: three turns are what a client waits for at most. */
const MAX_TURNS = 3
/** The one that was let through needs a moment to take what it waited for, or both meet again. */
const PAUSE_MS = 50

/**
 * Runs `work` in one transaction and gives its result. Inside use the `db` that is passed, never the outer one. On a `db` that
 * is in a transaction already it joins that one; when it throws, only what it did itself is undone.
 *
 * A connection lost before the commit rolled everything back, so the work is done once more from its start: it must not have
 * effects outside the database. A connection lost during the commit leaves the result unknown and is thrown. A transaction that
 * Postgres rolled back to end a deadlock is done again up to twice: the other one may meet it again before it is through.
 */
export async function inTransaction<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return inSavepoint(db, work)
  const attempt = { committing: false, wasLost: false }
  for (let turn = 1; ; turn += 1) {
    try {
      return await db.transaction().execute(async (transaction) => {
        attempt.committing = false
        const result = await work(transaction)
        attempt.committing = true
        return result
      })
    } catch (error) {
      const isLost = !attempt.committing && !attempt.wasLost && isLostConnection(error)
      if (!isLost && (turn >= MAX_TURNS || !isRolledBack(error))) throw error
      if (!isLost) await pause(PAUSE_MS)
      attempt.wasLost ||= isLost
    }
  }
}

/**
 * As `inTransaction`, without the two statements of a savepoint where it joins a transaction: for work whose failure ends that one
 * as well.
 */
export const joinTransaction = async <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> =>
  db.isTransaction ? work(db) : inTransaction(db, work)

/** Not repeated after a lost connection or a deadlock: the transaction around it is. */
async function inSavepoint<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  await sql`savepoint joined`.execute(db)
  try {
    const result = await work(db)
    await sql`release savepoint joined`.execute(db)
    return result
  } catch (error) {
    if (!endsSession(error)) await sql`rollback to savepoint joined`.execute(db)
    throw error
  }
}
