import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { lockOverdueIncidents } from './notify-store.ts'
import { notifyAgain } from './notify.ts'

const BATCH_SIZE = 50

/** Notifies again of open, unacknowledged incidents at the repeat interval of their rules. */
export async function notifyOverdueIncidents({
  db,
  clock,
  ending,
}: {
  db: Db
  clock: Clock
  ending: AbortSignal
}): Promise<void> {
  while (!ending.aborted) {
    const count = await inTransaction(db, async (transaction) => {
      const at = new Date(clock.now())
      const overdue = await lockOverdueIncidents(transaction, at, BATCH_SIZE)
      for (const incident of overdue) {
        const openMs = at.getTime() - incident.incident_at.getTime()
        await notifyAgain(transaction, incident, Math.max(1, Math.floor(openMs / (incident.repeat_seconds * 1000))), at)
      }
      return overdue.length
    })
    if (count < BATCH_SIZE) return
  }
}
