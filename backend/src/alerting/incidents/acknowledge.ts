import type { Db } from '../../platform/db/index.ts'
import { pauseEscalation } from './escalate.ts'
import { notifyOfStep } from './notify.ts'
import * as store from './store.ts'
import { listUnresolved, sharesNotification } from './stories/notified-store.ts'

export interface Acknowledgement {
  event: { type: 'acknowledged'; message: string; actorId: string | null }
  /** Null where no user did it. */
  userId: string | null
  snoozeSeconds?: number | undefined
}

/**
 * Acknowledges an open incident, which ends its escalation, and the others of its story, which were notified with it; with a snooze also
 * one that is acknowledged already. False where nothing changed. Run it in a transaction.
 */
export async function acknowledgeStory(
  db: Db,
  organization: number,
  id: string,
  { event, userId, snoozeSeconds }: Acknowledgement,
  at: Date,
): Promise<boolean> {
  let isChanged = false
  for (const memberId of await lockStoryOf(db, organization, id)) {
    // Locked before the incident: a step of its policy locks them in this order.
    const open = await store.lockOpenIncident(db, organization, memberId)
    if (!open) continue
    const incidentAt = await store.markAcknowledged(db, organization, memberId, userId, at)
    if (!incidentAt && snoozeSeconds === undefined) continue
    isChanged = true
    await pauseEscalation(db, organization, memberId, at, snoozeSeconds)
    await store.insertIncidentEvent(db, organization, memberId, event, at)
    if (incidentAt) await notifyOfStep(db, organization, { type: 'incident.acknowledged', incidentId: memberId, incidentAt, at })
  }
  return isChanged
}

/** The incident and those that were notified with it, which the transaction then keeps together. */
async function lockStoryOf(db: Db, organization: number, id: string): Promise<string[]> {
  const row = await store.findIncident(db, organization, id)
  if (!row?.story_id || !sharesNotification(row) || row.status === 'resolved') return [id]
  await store.lockFamilies(db, organization)
  return listUnresolved(db, organization, row)
}
