import { type Db, inTransaction } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { resolveAll } from './apply.ts'
import { listEnded, listOpen, lockReceiving } from './store.ts'

const AT_ONCE = 100

/** Resolves the alerts that were not sent again, or were to end by now. Any number of processes may run it. */
export async function resolveEnded({ db, clock, ending }: { db: Db; clock: Clock; ending: AbortSignal }): Promise<void> {
  while (!ending.aborted) {
    const at = new Date(clock.now())
    const sources = await listEnded(db, at, AT_ONCE)
    for (const { organization, id } of sources)
      await inTransaction(db, async (transaction) => {
        await lockReceiving(transaction, organization, id)
        const ended = await listOpen(transaction, organization, id, { endedBy: at, isLocked: true })
        await resolveAll(transaction, organization, ended, 'was not sent again', at)
      })
    if (sources.length < AT_ONCE) return
  }
}
