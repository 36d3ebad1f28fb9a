import type { Clock } from '../time/clock.ts'
import { type Db, dropLease, takeLease } from './index.ts'
import { newRandomId } from '../ids.ts'

/** A lease is extended so many times before it would expire. */
const RUNS_HELD = 4

/** Work of one process at a time. The lease of a dead process expires after `holdMs`. */
export interface Lease {
  /** Runs the task unless another process holds the lease. */
  run(task: () => Promise<unknown>): Promise<void>
  /** Releases the lease for the next process. */
  release(): Promise<void>
}

/**
 * `holdMs` is several times the pause between two runs: a process that runs on time keeps the lease. A task that takes longer keeps
 * it as well, as long as its process reaches the database.
 */
export function createLease({ db, clock }: { db: Db; clock: Clock }, name: string, holdMs: number): Lease {
  const holder = newRandomId()
  const take = () => {
    const now = clock.now()
    return takeLease(db, { name, holder }, new Date(now), new Date(now + holdMs))
  }

  async function extendUntil(done: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(holdMs / RUNS_HELD, done)
      if (done.aborted) return
      // The task does not depend on it: without a database it fails by itself.
      await take().catch(() => false)
    }
  }

  return {
    run: async (task) => {
      if (!(await take())) return
      const done = new AbortController()
      const extended = extendUntil(done.signal)
      try {
        await task()
      } finally {
        done.abort()
        await extended
      }
    },
    release: () => dropLease(db, { name, holder }),
  }
}
