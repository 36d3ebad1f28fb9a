import { dueAfter, findRecipients, nextStep, type PolicyRow } from '../../notifying/escalation/index.ts'
import { DELIVERIES, publishTo, PUSHES, withoutPending } from '../../notifying/notifications/index.ts'
import type { Db } from '../../platform/db/index.ts'
import * as store from './escalation-store.ts'
import { insertIncidentEvent, type NotifiedIncident } from './store.ts'
import { toIncidentItem } from './wire.ts'

/** Names in an entry of the timeline; it says how many more there are. */
const MAX_NAMES = 10

/**
 * Takes the step of this number, or the next one whose hours it is, and schedules what follows. Run it in a transaction that has
 * locked the open incident.
 */
export async function takeStep(
  db: Db,
  organization: number,
  incident: NotifiedIncident,
  policy: PolicyRow,
  from: number,
  at: Date,
): Promise<void> {
  const due = nextStep(policy, from, at.getTime())
  if (!due) return store.scheduleEscalation(db, organization, incident.id, { dueAt: null })
  const type = 'incident.opened'
  const recipients = await findRecipients(db, organization, due.step, at)
  const dueMs = dueAfter(policy, due, at.getTime())
  const next = { policyId: policy.id, step: due.number + 1, dueAt: dueMs === undefined ? null : new Date(dueMs) }
  await store.scheduleEscalation(db, organization, incident.id, next)
  const key = { incident_id: incident.id, incident_at: incident.at }
  await store.markStepNotified(db, organization, key, policy.id, recipients)
  const names = await store.listNames(db, organization, recipients)
  const message = `step ${(due.number % policy.steps.length) + 1} of ${policy.name}: ${namesText(names)}`
  await insertIncidentEvent(db, organization, incident.id, { type: 'notified', message }, at)
  const channels = await withoutPending(db, DELIVERIES, organization, incident.id, recipients.channelIds)
  const browsers = await withoutPending(db, PUSHES, organization, incident.id, recipients.browserIds)
  const isFirst = incident.notified_channel_ids.length + incident.notified_user_ids.length === 0
  const again = isFirst ? {} : { reminder: Math.max(1, due.number) }
  const event = { type, at, data: { incident: toIncidentItem(incident), ...again, escalation_step: due.number + 1 } } as const
  await publishTo(db, organization, event, channels, incident, browsers)
}

export function namesText(names: readonly string[]): string {
  if (names.length === 0) return 'nobody can be reached'
  const listed = names.slice(0, MAX_NAMES).join(', ')
  return names.length > MAX_NAMES ? `${listed} and ${names.length - MAX_NAMES} more` : listed
}
