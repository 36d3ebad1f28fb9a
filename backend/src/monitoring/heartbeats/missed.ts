import { followStatuses } from '../checks/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Outcome, recordOutcomes } from './record.ts'
import { type Absence, deadlineOf, missDeadline } from './state.ts'
import { toLocking } from './transaction.ts'
import { findNextDeadline, lockDue, updateStates } from './store.ts'

/** Deadlines of one transaction. */
const AT_ONCE = 200
/** The longest pause: another instance may have stored an earlier deadline, which it looks after itself. */
const MAX_PAUSE_MS = 30_000

export interface Watch {
  /** Stores the results of deadlines that have passed; resolves with the ms until the next one. Several instances may run it. */
  run(): Promise<number>
}

/**
 * Looks for missed pings. A heartbeat is locked from the look at its deadline until its result is stored, so that a ping comes before
 * or after it.
 */
export function createWatch(db: Db, clock: Clock, absence: () => Absence | undefined): Watch {
  async function missDue(): Promise<number> {
    const nowMs = Math.round(clock.now())
    const { count, changed } = await inTransaction(db, async (locked) => {
      const transaction = await toLocking(locked)
      const due = await lockDue(transaction, nowMs, AT_ONCE)
      const missed = due.map((heartbeat) => {
        return { heartbeat, result: missDeadline(heartbeat, heartbeat.schedule, nowMs, absence()) }
      })
      const outcomes = missed.map(({ heartbeat, result: { outcome, message } }) => {
        const stored: Outcome = {
          outcome,
          message,
          atMs: nowMs,
          durationMs: null,
          code: outcome === 'down' ? 'timeout' : 'internal',
        }
        return { heartbeat, outcome: stored }
      })
      const changed = await recordOutcomes(transaction, outcomes, nowMs)
      const states = missed.map(({ heartbeat, result: { state } }) => {
        return { heartbeat, state, deadlineMs: deadlineOf(state, heartbeat.schedule) }
      })
      await updateStates(transaction, states)
      return { count: due.length, changed }
    })
    await followStatuses(db, changed, new Date(nowMs))
    return count
  }

  return {
    run: async () => {
      while ((await missDue()) === AT_ONCE);
      const nextMs = await findNextDeadline(db)
      return Math.max(0, Math.min(MAX_PAUSE_MS, (nextMs ?? Number.POSITIVE_INFINITY) - clock.now()))
    },
  }
}
