import { addPartitions, type Db } from '../../../platform/db/index.ts'
import { INCIDENT_TABLES } from '../partitions.ts'
import * as store from './store.ts'

export type { EndedIncident } from './store.ts'

/** With its timeline, in its order. */
export interface EndedStory {
  incident: store.EndedIncident
  events: readonly Omit<store.PastEvent, 'incidentId'>[]
}

/** Creates the partitions of months before the installation. Not in a transaction: nobody may wait for one that stores much. */
export async function prepareMonths(db: Db, instants: readonly number[]): Promise<void> {
  for (const plan of INCIDENT_TABLES) await addPartitions(db, plan, instants)
}

/**
 * Stores incidents that are over, with their timelines, and returns how many of them were new. Nobody is notified: they were never open
 * here. Run it in a transaction that has locked the source, after `prepareMonths`.
 */
export async function addEnded(db: Db, organization: number, sourceId: string, stories: readonly EndedStory[]): Promise<number> {
  const stored = await store.insertEnded(
    db,
    organization,
    sourceId,
    stories.map(({ incident }) => incident),
  )
  // Of several with one id the first was stored.
  const byId = new Map(stories.toReversed().map((story) => [story.incident.id, story]))
  const events = [...stored].flatMap(
    (incidentId) => byId.get(incidentId)?.events.map((event) => ({ ...event, incidentId })) ?? [],
  )
  if (events.length > 0) await store.insertPastEvents(db, organization, events)
  return stored.size
}
