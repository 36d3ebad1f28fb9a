import type { Clock } from '../time/clock.ts'

/** The clock of the database, which all instances share, as estimated by this process. */
export interface DatabaseClock {
  /** Milliseconds since the epoch. Runs on evenly when the clock of this machine is set. */
  now(): number
  /** Measures the offset again. Throws when the database is unreachable; the last offset stays in use. */
  measure(): Promise<void>
}

/** Number of measurements. The one with the shortest round trip is used: its error is at most half of that time. */
const TRIES = 3

/** `now` is accurate after the first `measure`; before, it is this machine's own time. */
export function createDatabaseClock(
  readTime: () => Promise<number>,
  monotonic: () => number = () => performance.now(),
  ownTime: () => number = () => Date.now(),
): DatabaseClock {
  let offsetMs = ownTime() - monotonic()
  return {
    now: () => monotonic() + offsetMs,
    measure: async () => {
      let shortest = Number.POSITIVE_INFINITY
      let best = offsetMs
      for (let tries = 0; tries < TRIES; tries += 1) {
        const sent = monotonic()
        const time = await readTime()
        const tookMs = monotonic() - sent
        if (tookMs >= shortest) continue
        shortest = tookMs
        best = time - (sent + tookMs / 2)
      }
      offsetMs = best
    },
  }
}

/**
 * The clock of a process whose instants other processes compare: sessions, leases, samples. It sleeps by `clock`. An hour by which the
 * clock of one machine is wrong changes nothing.
 */
export const sharedClock = (databaseClock: DatabaseClock, clock: Clock): Clock => ({
  now: () => Math.floor(databaseClock.now()),
  sleep: clock.sleep,
})
