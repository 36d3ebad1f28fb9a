import type { EventType } from '@vedette/shared'
import { insertEvent } from '../../events/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { findSubscribed, insertTellings } from './store.ts'

/** Something that happened and is no step of an incident. */
export interface Happening {
  type: EventType
  at: Date
  data: object
}

/** Stores an event, and a telling for each webhook that asks for its kind. Run it in the transaction that does what it tells of. */
export async function publish(db: Db, organization: number, { type, at, data }: Happening): Promise<void> {
  const id = newId()
  await insertEvent(db, organization, { id, type, at, data })
  const tellings = (await findSubscribed(db, organization, type)).map((channelId) => ({ id: newId(), channel_id: channelId }))
  await insertTellings(db, organization, tellings, { event_id: id, event_at: at, incident_id: null, incident_at: null }, at)
}
