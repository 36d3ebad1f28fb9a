import type { Db } from '../../platform/db/index.ts'
import { findPolicyFor } from '../../notifying/escalation/index.ts'
import { findIncidentAt, type NotifiedIncident } from './store.ts'
import { takeStep } from './take-step.ts'
import { toIncidentItem } from './wire.ts'
import * as store from './notify-store.ts'
import {
  DELIVERIES,
  filterRecipients,
  listBrowsersOf,
  listBrowsersOfMembers,
  publishTo,
  PUSHES,
  withoutPending,
} from '../../notifying/notifications/index.ts'

/** A step of an incident. */
export interface IncidentStep {
  type: 'incident.opened' | 'incident.flapping' | 'incident.stable' | 'incident.acknowledged' | 'incident.resolved'
  incidentId: string
  /** When the incident opened. */
  incidentAt: Date
  at: Date
}

/**
 * Stores the event of a step and a delivery for each channel. Run it in the transaction of the step, after it. The opening goes to the
 * first step of its escalation policy, or to the channels of the rule, unless it is suppressed; later steps go to those that were
 * notified before. Without a policy browsers of all members get every step while the incident is not suppressed.
 */
export async function notifyOfStep(db: Db, organization: number, step: IncidentStep): Promise<void> {
  const { type, incidentId, incidentAt, at } = step
  const row = await findIncidentAt(db, organization, incidentId, incidentAt)
  if (!row) return
  const policy = type === 'incident.opened' && !row.silenced ? await findPolicyFor(db, organization, row) : undefined
  if (policy) return takeStep(db, organization, row, policy, 0, at)
  let channelsToNotify = row.notified_channel_ids
  if (type === 'incident.opened') {
    channelsToNotify = row.silenced ? [] : await store.findRuleChannels(db, organization, row.rule_id)
    if (!row.silenced) await store.markNotified(db, organization, { id: incidentId, at: incidentAt }, channelsToNotify, at)
  }
  const channelIds = await filterRecipients(db, organization, channelsToNotify, type)
  const browserIds = row.silenced ? [] : await browsersOf(db, organization, row)
  const event = { type, at, data: { incident: toIncidentItem(row) } }
  await publishTo(db, organization, event, channelIds, row, browserIds)
}

/** Those of all members, or of the people whom its policy has notified. */
const browsersOf = (
  db: Db,
  organization: number,
  { escalation_policy_id: policyId, notified_user_ids: userIds }: NotifiedIncident,
) => (policyId === null ? listBrowsersOfMembers(db, organization) : listBrowsersOf(db, organization, userIds))

/**
 * Notifies the same channels and the browsers again, except those that have not accepted the previous notification of the incident.
 * Run it like `notifyOfStep`.
 */
export async function notifyAgain(
  db: Db,
  incident: Omit<store.OverdueIncident, 'repeat_seconds'>,
  reminder: number,
  at: Date,
): Promise<void> {
  const { organization, incident_id: id, incident_at: incidentAt } = incident
  await store.markNotifiedAgain(db, incident, at)
  const row = await findIncidentAt(db, organization, id, incidentAt)
  if (!row) return
  const type = 'incident.opened'
  const channelIds = await filterRecipients(db, organization, row.notified_channel_ids, type)
  const channels = await withoutPending(db, DELIVERIES, organization, id, channelIds)
  const browsers = await withoutPending(db, PUSHES, organization, id, await browsersOf(db, organization, row))
  const event = { type, at, data: { incident: toIncidentItem(row), reminder } }
  if (channels.length + browsers.length > 0) await publishTo(db, organization, event, channels, row, browsers)
}
