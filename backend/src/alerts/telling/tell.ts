import { insertEvent, type NewEvent } from '../../events/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { findIncidentAt } from '../incidents/store.ts'
import { toItem } from '../incidents/wire.ts'
import * as audience from './audience-store.ts'
import * as store from './store.ts'

/** A step of an incident that is told. */
export interface IncidentStep {
  type: 'incident.opened' | 'incident.acknowledged' | 'incident.resolved'
  incidentId: string
  /** When the incident opened. */
  incidentAt: Date
  at: Date
}

/**
 * Stores what is to be told of a step: the event, and a telling for each channel. Run it in the transaction that makes the step,
 * behind it. That an incident opened is told to the channels of its rule, unless it is silenced; what comes after is told to
 * those who were told that. Somebody else sends it.
 */
export async function tell(db: Db, organization: number, step: IncidentStep): Promise<void> {
  const { type, incidentId, incidentAt, at } = step
  const row = await findIncidentAt(db, organization, incidentId, incidentAt)
  if (!row) return
  let told = row.told_channel_ids
  if (type === 'incident.opened') {
    told = row.silenced ? [] : await audience.findRuleChannels(db, organization, row.rule_id)
    if (!row.silenced) await audience.markTold(db, organization, { id: incidentId, at: incidentAt }, told, at)
  }
  const channelIds = await audience.findAsking(db, organization, told, type)
  await storeTellings(db, organization, { type, at, data: { incident: toItem(row) } }, channelIds, { incidentId, incidentAt })
}

/** Tells those again who were told that it opened, but for channels that have not taken that yet. Run it like `tell`. */
export async function tellAgain(db: Db, overdue: audience.OverdueIncident, at: Date): Promise<void> {
  const { organization, incident_id: incidentId, incident_at: incidentAt, repeat_seconds: repeatSeconds } = overdue
  await audience.markToldAgain(db, overdue, at)
  const row = await findIncidentAt(db, organization, incidentId, incidentAt)
  if (!row) return
  const type = 'incident.opened'
  const behind = await store.holdTellings(db, organization, incidentId)
  const enabled = await audience.findAsking(db, organization, row.told_channel_ids, type)
  const reminder = Math.max(1, Math.floor((at.getTime() - incidentAt.getTime()) / (repeatSeconds * 1000)))
  const event = { type, at, data: { incident: toItem(row), reminder } }
  const channelIds = enabled.filter((id) => !behind.has(id))
  if (channelIds.length > 0) await storeTellings(db, organization, event, channelIds, { incidentId, incidentAt })
}

async function storeTellings(
  db: Db,
  organization: number,
  event: Omit<NewEvent, 'id'>,
  channelIds: readonly string[],
  { incidentId, incidentAt }: Pick<IncidentStep, 'incidentId' | 'incidentAt'>,
): Promise<void> {
  const id = newId()
  await insertEvent(db, organization, { id, ...event })
  const about = { event_id: id, event_at: event.at, incident_id: incidentId, incident_at: incidentAt }
  await store.insertTellings(db, organization, channelIds.map(tellingTo), about, event.at)
}

const tellingTo = (channelId: string): store.NewTelling => ({ id: newId(), channel_id: channelId })
