import type { Clock } from '../time/clock.ts'
import { isLostConnection } from '../db/index.ts'
import type { Log } from '../logging/log.ts'

/** Runs statements with retries and a time limit. */
export interface DatabaseRetry {
  /** Whether the database was unreachable within the last second: callers then decide without it. */
  isAway(): boolean
  /** Runs one statement and retries it after a lost connection; undefined when the database is unreachable. */
  attempt<T>(statement: () => Promise<T>): Promise<T | undefined>
}

/** A decision waits this long for the database: a restart takes 0.1–3 s. Less than a request may wait for it in all. */
const PATIENCE_MS = 4_000
const FIRST_PAUSE_MS = 50
/** After a failure, callers do not wait for the database during this time. */
const AWAY_MS = 1_000
/** Interval of the check for hanging statements, and the number of checks after which they fail: after 3.5 to 4 s. */
const CHECK_INTERVAL_MS = 500
const MAX_CHECKS = PATIENCE_MS / CHECK_INTERVAL_MS

/** Waits for the database during a short outage; after a long one, callers do not wait for a while. */
export function createDatabaseRetry({ clock, log }: { clock: Clock; log: Log }): DatabaseRetry {
  let awayUntil = Number.NEGATIVE_INFINITY
  const withinPatience = createWatch(clock)

  async function attempt<T>(run: () => Promise<T>): Promise<T | undefined> {
    try {
      // A statement may also hang: what it counts later is lost to the client and never exceeds the limit.
      return await withinPatience(retry(run))
    } catch (error) {
      awayUntil = clock.now() + AWAY_MS
      log.warn({ err: error }, 'rate limits cannot reach the database; this instance decides alone')
      return undefined
    }
  }

  async function retry<T>(run: () => Promise<T>): Promise<T> {
    const deadline = clock.now() + PATIENCE_MS
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      try {
        return await run()
      } catch (error) {
        if (!isLostConnection(error) || clock.now() + pause > deadline) throw error
        await clock.sleep(pause)
      }
    }
  }

  return { isAway: () => clock.now() < awayUntil, attempt }
}

interface WatchedStatement {
  checks: number
  giveUp(): void
}

/**
 * Rejects what takes too long. One timer serves all statements: a timer and a signal for each would cost a third of a decision
 * for a rare case.
 */
function createWatch(clock: Clock): <T>(work: Promise<T>) => Promise<T> {
  const watched = new Set<WatchedStatement>()
  let isRunning = false

  async function checkAll(): Promise<void> {
    isRunning = true
    while (watched.size > 0) {
      await clock.sleep(CHECK_INTERVAL_MS)
      for (const statement of watched) {
        statement.checks += 1
        if (statement.checks >= MAX_CHECKS) statement.giveUp()
      }
    }
    isRunning = false
  }

  return <T>(work: Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const statement = { checks: 0, giveUp: () => settle(() => reject(new Error('the database did not answer in time'))) }
      const settle = (end: () => void) => {
        watched.delete(statement)
        end()
      }
      watched.add(statement)
      if (!isRunning) void checkAll()
      work.then(
        (value) => settle(() => resolve(value)),
        (error: unknown) => settle(() => reject(error)),
      )
    })
}
