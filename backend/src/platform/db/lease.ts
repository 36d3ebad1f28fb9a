import type { Clock } from '../time/clock.ts'
import { type Changes, type Db, dropLease, takeLease } from './index.ts'
import { newRandomId } from '../ids.ts'
import { runExtended } from './run-extended.ts'

/** A lease is extended so many times before it would expire. */
const RUNS_HELD = 4

/** Work of one process at a time. The lease of a dead process expires after `holdMs`. */
export interface Lease {
  /** Runs the task unless another process holds the lease. */
  run(task: () => Promise<unknown>): Promise<void>
  /** Releases the lease for the next process. */
  release(): Promise<void>
}

interface LeaseDeps {
  db: Db
  clock: Clock
  changes: Pick<Changes, 'on' | 'isHeard'>
}

/**
 * `holdMs` is several times the pause between two runs: a process that runs on time keeps the lease. A task that takes longer keeps
 * it as well, as long as its process reaches the database.
 */
export function createLease({ db, clock, changes }: LeaseDeps, name: string, holdMs: number): Lease {
  const holder = newRandomId()
  /** What is known of the lease, and since when: of a clock that stepped back nothing is. */
  let known = { isOwn: false, atMs: 0, untilMs: 0 }
  const reset = () => (known = { isOwn: false, atMs: 0, untilMs: 0 })
  changes.on('job_lease', (released) => {
    if (released === undefined || released === name) reset()
  })

  async function take(): Promise<boolean> {
    const now = clock.now()
    const { isOwn, until } = await takeLease(db, { name, holder }, new Date(now), new Date(now + holdMs))
    known = { isOwn, atMs: now, untilMs: until.getTime() }
    return isOwn
  }

  const isKnown = (now: number) => now >= known.atMs && now < known.untilMs - (known.isOwn ? holdMs / 2 : 0)

  /** Asks the database only where the answer is not known. Where a release is not announced, nobody but the holder knows. */
  async function holds(): Promise<boolean> {
    if (isKnown(clock.now()) && (known.isOwn || changes.isHeard())) return known.isOwn
    return take()
  }

  return {
    run: async (task) => {
      if (!(await holds())) return
      await runExtended(clock, holdMs / RUNS_HELD, take, task)
    },
    release: async () => {
      reset()
      await dropLease(db, { name, holder })
    },
  }
}
