import type { Clock } from '../../platform/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { holdOverdueIncidents } from './audience-store.ts'
import { tellAgain } from './tell.ts'

const AT_ONCE = 50

/** Tells again what is open, and nobody has acknowledged, as often as its rule wants. */
export async function remindOfIncidents({ db, clock, ending }: { db: Db; clock: Clock; ending: AbortSignal }): Promise<void> {
  while (!ending.aborted) {
    const count = await inTransaction(db, async (transaction) => {
      const at = new Date(clock.now())
      const overdue = await holdOverdueIncidents(transaction, at, AT_ONCE)
      for (const incident of overdue) await tellAgain(transaction, incident, at)
      return overdue.length
    })
    if (count < AT_ONCE) return
  }
}
