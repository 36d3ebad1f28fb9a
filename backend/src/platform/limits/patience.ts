import type { Clock } from '../clock.ts'
import { isLostConnection } from '../db/index.ts'
import type { Log } from '../log.ts'

/** How statements are waited for. */
export interface Patience {
  /** Whether the database was away a moment ago: then nobody waits for it. */
  isAway(): boolean
  /** Runs one statement, again after a lost connection; undefined when the database is away. */
  attempt<T>(statement: () => Promise<T>): Promise<T | undefined>
}

/** A restart of the database takes 0.1–3 s: so long a decision waits for it. */
const PATIENCE_MS = 4_000
const FIRST_PAUSE_MS = 50
/** Afterwards nobody waits for so long. */
const AWAY_MS = 1_000
/** Statements that hang are looked for so often, and so many times seen before they are given up: after 4 to 5 s. */
const LOOK_EVERY_MS = 1_000
const LOOKS = PATIENCE_MS / LOOK_EVERY_MS

/** Waits out a short absence of the database; after a long one nobody waits for a while. */
export function createPatience({ clock, log }: { clock: Clock; log: Log }): Patience {
  let awayUntil = Number.NEGATIVE_INFINITY
  const withinPatience = createWatch(clock)

  async function attempt<T>(run: () => Promise<T>): Promise<T | undefined> {
    try {
      // A statement may also hang: what it counts later is lost to the client, never over.
      return await withinPatience(again(run))
    } catch (error) {
      awayUntil = clock.now() + AWAY_MS
      log.warn({ err: error }, 'rate limits cannot reach the database; this instance decides alone')
      return undefined
    }
  }

  async function again<T>(run: () => Promise<T>): Promise<T> {
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

interface Watched {
  looks: number
  giveUp(): void
}

/**
 * Rejects what takes too long. One timer for all that are under way: a timer and a signal for each cost a third of what a
 * decision costs here, for a case that hardly ever comes.
 */
function createWatch(clock: Clock): <T>(work: Promise<T>) => Promise<T> {
  const watched = new Set<Watched>()
  let isLooking = false

  async function look(): Promise<void> {
    isLooking = true
    while (watched.size > 0) {
      await clock.sleep(LOOK_EVERY_MS)
      for (const one of watched) {
        one.looks += 1
        if (one.looks > LOOKS) one.giveUp()
      }
    }
    isLooking = false
  }

  return <T>(work: Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const one = { looks: 0, giveUp: () => settle(() => reject(new Error('the database did not answer in time'))) }
      const settle = (end: () => void) => {
        watched.delete(one)
        end()
      }
      watched.add(one)
      if (!isLooking) void look()
      work.then(
        (value) => settle(() => resolve(value)),
        (error: unknown) => settle(() => reject(error)),
      )
    })
}
