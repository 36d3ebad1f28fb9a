import type { Db } from '../platform/db/index.ts'
import { findIncidentAt } from './store.ts'
import { toIncidentItem } from './wire.ts'
import * as store from './notify-store.ts'
import { DELIVERIES, filterRecipients, listBrowsersOfMembers, publishTo, PUSHES, withoutPending } from '../notifications/index.ts'

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
 * channels of the rule, unless it is suppressed; later steps go to the channels that were notified of the opening. Browsers of members
 * get every step while the incident is not suppressed.
 */
export async function notifyOfStep(db: Db, organization: number, step: IncidentStep): Promise<void> {
  const { type, incidentId, incidentAt, at } = step
  const row = await findIncidentAt(db, organization, incidentId, incidentAt)
  if (!row) return
  let channelsToNotify = row.notified_channel_ids
  if (type === 'incident.opened') {
    channelsToNotify = row.silenced ? [] : await store.findRuleChannels(db, organization, row.rule_id)
    if (!row.silenced) await store.markNotified(db, organization, { id: incidentId, at: incidentAt }, channelsToNotify, at)
  }
  const channelIds = await filterRecipients(db, organization, channelsToNotify, type)
  const browserIds = row.silenced ? [] : await listBrowsersOfMembers(db, organization)
  const event = { type, at, data: { incident: toIncidentItem(row) } }
  await publishTo(db, organization, event, channelIds, { id: incidentId, at: incidentAt }, browserIds)
}

/**
 * Notifies the same channels and the browsers again, except those that have not accepted the previous notification of the incident.
 * Run it like `notifyOfStep`.
 */
export async function notifyAgain(db: Db, overdue: store.OverdueIncident, at: Date): Promise<void> {
  const { organization, incident_id: id, incident_at: incidentAt, repeat_seconds: repeatSeconds } = overdue
  await store.markNotifiedAgain(db, overdue, at)
  const row = await findIncidentAt(db, organization, id, incidentAt)
  if (!row) return
  const type = 'incident.opened'
  const channelIds = await filterRecipients(db, organization, row.notified_channel_ids, type)
  const channels = await withoutPending(db, DELIVERIES, organization, id, channelIds)
  const browsers = await withoutPending(db, PUSHES, organization, id, await listBrowsersOfMembers(db, organization))
  const reminder = Math.max(1, Math.floor((at.getTime() - incidentAt.getTime()) / (repeatSeconds * 1000)))
  const event = { type, at, data: { incident: toIncidentItem(row), reminder } }
  if (channels.length + browsers.length > 0) await publishTo(db, organization, event, channels, { id, at: incidentAt }, browsers)
}
