import type { EventType } from '@vedette/shared'
import { insertEvent, type NewEvent } from '../../event-stream/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { findOperatorChannels, findSubscribers } from '../channels/recipient-store.ts'
import { DELIVERIES, enqueueDeliveries, PUSHES } from './store.ts'

/** An event that is not a step of an incident. */
export interface PublishedEvent {
  type: EventType
  at: Date
  data: object
}

/** Stores an event, and a delivery for each webhook that subscribes to its type. Run it in the transaction that causes the event. */
export async function publish(db: Db, organization: number, event: PublishedEvent): Promise<void> {
  await publishTo(db, organization, event, await findSubscribers(db, organization, event.type))
}

/**
 * The same for an event of the installation: it goes to every enabled channel of the organization, except webhooks that subscribe
 * to other types only.
 */
export async function notifyOperator(db: Db, organization: number, event: PublishedEvent): Promise<void> {
  await publishTo(db, organization, event, await findOperatorChannels(db, organization, event.type))
}

/** The same for these channels and browsers. Each receives the events of one incident in their order. */
export async function publishTo(
  db: Db,
  organization: number,
  event: Omit<NewEvent, 'id'>,
  channelIds: readonly string[],
  incident?: { id: string; at: Date },
  browserIds: readonly string[] = [],
): Promise<void> {
  const id = newId()
  await insertEvent(db, organization, { id, ...event })
  const notified = { id, type: event.type, at: event.at, isReminder: 'reminder' in event.data, incident }
  await enqueueDeliveries(db, DELIVERIES, organization, channelIds, notified)
  await enqueueDeliveries(db, PUSHES, organization, browserIds, notified)
}
