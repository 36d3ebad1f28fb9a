import { isLostConnection, isRolledBack } from './lost-connection.ts'
import type { Db } from './pool.ts'

/**
 * Runs `work` in one transaction and gives its result. Inside use the `db` that is passed, never the outer one.
 *
 * A connection lost before the commit rolled everything back, so the work is done once more from its start: it must not have
 * effects outside the database. A connection lost during the commit leaves the result unknown and is thrown. A transaction that
 * Postgres rolled back to end a deadlock is done once more too.
 */
export async function inTransaction<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  const attempt = { committing: false }
  const once = () =>
    db.transaction().execute(async (transaction) => {
      attempt.committing = false
      const result = await work(transaction)
      attempt.committing = true
      return result
    })
  try {
    return await once()
  } catch (error) {
    if (!isRolledBack(error) && (attempt.committing || !isLostConnection(error))) throw error
    return once()
  }
}
