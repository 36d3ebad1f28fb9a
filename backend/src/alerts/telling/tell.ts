import { insertEvent } from '../../events/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { findIncidentAt } from '../incidents/store.ts'
import { toItem } from '../incidents/wire.ts'
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
  const event = { id: newId(), type, at, data: { incident: toItem(row) } }
  await insertEvent(db, organization, event)
  const channelIds = await channelsFor(db, organization, type, row)
  if (type === 'incident.opened' && !row.silenced)
    await store.markTold(db, organization, { id: incidentId, at: incidentAt }, channelIds, at)
  const about = {
    event_id: event.id,
    event_at: at,
    incident_id: incidentId,
    incident_at: incidentAt,
    reminder: 0,
  }
  await store.insertTellings(db, organization, channelIds.map(tellingTo), about, at)
}

export const tellingTo = (channelId: string): store.NewTelling => ({ id: newId(), channel_id: channelId })

function channelsFor(db: Db, organization: number, type: string, row: store.ToldIncident): string[] | Promise<string[]> {
  if (type !== 'incident.opened') return store.findEnabledChannels(db, organization, row.told_channel_ids, type)
  return row.silenced ? [] : store.findRuleChannels(db, organization, row.rule_id, type)
}
