/** The clock of the database, which all instances share, as this process reckons it. */
export interface DatabaseClock {
  /** Milliseconds since the epoch. Runs on evenly when the clock of this machine is set. */
  now(): number
  /** Compares again. Throws when the database is away; then the reckoning goes on. */
  measure(): Promise<void>
}

/** Of so many comparisons the one with the shortest way counts: its error is at most half of that way. */
const TRIES = 3

/** `now` is right from the first `measure` on; before, it is this machine's own time. */
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
