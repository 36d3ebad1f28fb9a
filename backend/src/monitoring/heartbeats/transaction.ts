import { type LockingTransaction, onTransaction } from '../checks/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction, isDistributed, isLostConnection, type Pool, transactionLimits } from '../../platform/db/index.ts'

/** Less than a request may wait for the database in all. */
const [LOST_PATIENCE_MS, LOST_PAUSE_MS] = [4_000, 100]

/** As `LockingTransaction`, of a transaction of the query builder. */
export const toLocking = async (db: Db): Promise<LockingTransaction> => ({
  run: onTransaction(db),
  isOnNodes: await isDistributed(db),
})

/**
 * Runs `work` in a transaction of few statements that all pings use. They are named where they may be, which halves what they cost,
 * and have a connection of the pool that does not wait behind queries.
 */
export async function inNamedTransaction<T>(
  { pool, clock }: { pool: Pool; clock: Clock },
  work: (transaction: LockingTransaction) => Promise<T>,
): Promise<T> {
  if (!pool.namedStatements) return inTransaction(pool.db, async (db) => work(await toLocking(db)))
  const untilMs = clock.now() + LOST_PATIENCE_MS
  for (;;) {
    const attempt = { isCommitting: false }
    try {
      return await runNamed(pool, work, attempt)
    } catch (error) {
      if (attempt.isCommitting || !isLostConnection(error) || clock.now() >= untilMs) throw error
      await clock.sleep(LOST_PAUSE_MS)
    }
  }
}

async function runNamed<T>(
  pool: Pool,
  work: (transaction: LockingTransaction) => Promise<T>,
  attempt: { isCommitting: boolean },
): Promise<T> {
  const client = await pool.pushes.connect()
  try {
    // All rows are read by keys: without statistics, as after a start, Postgres would read whole tables for each of them.
    await client.query(`begin; ${transactionLimits()}; set local enable_seqscan = off`)
    const run: LockingTransaction['run'] = async (name, text, values) =>
      (await client.query({ name, text, values: [...values] })).rows
    // Statements are named on the embedded database alone, which has no nodes.
    const result = await work({ run, isOnNodes: false })
    attempt.isCommitting = true
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    const isLost = isLostConnection(error)
    if (!isLost) await client.query('rollback').catch(() => undefined)
    client.release(isLost)
    throw error
  }
}
