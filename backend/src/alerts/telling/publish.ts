import type { EventType } from '@vedette/shared'
import { insertEvent } from '../../events/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { findListening, findSubscribed } from './audience-store.ts'
import { insertTellings } from './store.ts'

/** Something that happened and is no step of an incident. */
export interface Happening {
  type: EventType
  at: Date
  data: object
}

/** Stores an event, and a telling for each webhook that asks for its kind. Run it in the transaction that does what it tells of. */
export async function publish(db: Db, organization: number, happening: Happening): Promise<void> {
  await storeHappening(db, organization, happening, await findSubscribed(db, organization, happening.type))
}

/**
 * The same of the installation itself: told by each enabled channel of the organization, but webhooks that list what they ask for
 * have to list it.
 */
export async function tellOperator(db: Db, organization: number, happening: Happening): Promise<void> {
  await storeHappening(db, organization, happening, await findListening(db, organization, happening.type))
}

async function storeHappening(
  db: Db,
  organization: number,
  { type, at, data }: Happening,
  channelIds: readonly string[],
): Promise<void> {
  const id = newId()
  await insertEvent(db, organization, { id, type, at, data })
  const tellings = channelIds.map((channelId) => ({ id: newId(), channel_id: channelId }))
  await insertTellings(db, organization, tellings, { event_id: id, event_at: at, incident_id: null, incident_at: null }, at)
}
