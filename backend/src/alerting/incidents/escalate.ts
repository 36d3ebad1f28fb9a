import { findPolicy } from '../../notifying/escalation/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import * as store from './escalation-store.ts'
import { notifyAgain } from './notify.ts'
import { findIncidentAt, insertIncidentEvent } from './store.ts'
import { takeStep } from './take-step.ts'

// An incident of an escalation policy: the step is notified → the next one is due → … → all repeats are over. Acknowledged: nothing is
// due, or it opens again at a set time. Resolved: its row in open_incident is gone, and with it what is due.

const BATCH_SIZE = 50

/** Takes the steps that are due, and opens acknowledged incidents again. Any number of processes may run it. */
export async function escalateDueIncidents({ db, clock, ending }: { db: Db; clock: Clock; ending: AbortSignal }): Promise<void> {
  while (!ending.aborted) {
    const count = await inTransaction(db, async (transaction) => {
      const at = new Date(clock.now())
      const due = await store.lockDueIncidents(transaction, at, BATCH_SIZE)
      for (const one of due) await escalateOne(transaction, one, at)
      return due.length
    })
    if (count < BATCH_SIZE) return
  }
}

async function escalateOne(db: Db, due: store.DueIncident, at: Date): Promise<void> {
  const { organization, incident_id: id, incident_at: incidentAt, escalation_policy_id: policyId } = due
  const isAcknowledged = due.status === 'acknowledged'
  if (isAcknowledged) {
    await store.markReopened(db, organization, due)
    const event = { type: 'reopened', message: 'opened again: it was acknowledged, but is not resolved' } as const
    await insertIncidentEvent(db, organization, id, event, at)
  }
  const policy = policyId === null ? undefined : await findPolicy(db, organization, policyId)
  const incident = policy && (await findIncidentAt(db, organization, id, incidentAt))
  if (policy && incident) return takeStep(db, organization, incident, policy, isAcknowledged ? 0 : due.escalation_step, at)
  await store.scheduleEscalation(db, organization, id, { dueAt: null })
  if (isAcknowledged) await notifyAgain(db, due, 1, at)
}

/**
 * Ends the steps of an incident that is acknowledged. It opens again after `snoozeSeconds`, else after the time of its policy, if it
 * has one. Run it in a transaction that has locked the open incident.
 */
export async function pauseEscalation(
  db: Db,
  organization: number,
  incidentId: string,
  at: Date,
  snoozeSeconds?: number,
): Promise<void> {
  const seconds = snoozeSeconds ?? (await store.findReopenSeconds(db, organization, incidentId))
  const dueAt = seconds === null ? null : new Date(at.getTime() + seconds * 1000)
  await store.scheduleEscalation(db, organization, incidentId, { dueAt })
}
