import type { Clock } from './clock.ts'
import { type Db, dropLease, takeLease } from './db/index.ts'
import { newRandomId } from './ids.ts'

/** What one process at a time does. A process that dies holds it no longer than `holdMs` from its last run on. */
export interface Lease {
  /** Runs the task where nobody else holds the lease. */
  run(task: () => Promise<unknown>): Promise<void>
  /** Gives it to whoever comes next. */
  release(): Promise<void>
}

/** `holdMs` is several times as long as the pause between two runs: who runs on time keeps it. */
export function createLease({ db, clock }: { db: Db; clock: Clock }, name: string, holdMs: number): Lease {
  const holder = newRandomId()
  return {
    run: async (task) => {
      const now = clock.now()
      if (await takeLease(db, { name, holder }, new Date(now), new Date(now + holdMs))) await task()
    },
    release: () => dropLease(db, { name, holder }),
  }
}
