import type { Clock } from '../time/clock.ts'
import { type Db, dropLease, takeLease } from './index.ts'
import { newRandomId } from '../ids.ts'

/** Work of one process at a time. The lease of a dead process expires `holdMs` after its last run. */
export interface Lease {
  /** Runs the task unless another process holds the lease. */
  run(task: () => Promise<unknown>): Promise<void>
  /** Releases the lease for the next process. */
  release(): Promise<void>
}

/** `holdMs` is several times the pause between two runs: a process that runs on time keeps the lease. */
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
