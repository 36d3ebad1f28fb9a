import type { Db } from '../../../platform/db/index.ts'
import { chooseStory } from './choose-story.ts'
import { mergeNotifications } from './merge-notifications.ts'
import * as store from './store.ts'

/** The same for incidents that open below one parent and of which nothing else says the cause. */
export async function joinStoryOfParent(db: Db, organization: number, parentId: string, ids: readonly string[]): Promise<void> {
  const parent = await store.findOpen(db, organization, parentId)
  const chosen = parent && chooseStory({ isSlo: false, targetName: '', sameTarget: [], parent, tags: [] })
  if (!chosen) return
  const members = await store.lockMembers(db, organization, [...ids, ...chosen.incidentIds], chosen.storyId)
  const storyId = chosen.storyId ?? members.find(({ story_id: id }) => id !== null)?.story_id ?? members[0]?.incident_id
  if (storyId === undefined || (chosen.storyId === null && members.length < 2)) return
  await store.recordStory(db, organization, {
    storyId,
    cause: chosen.cause,
    tag: null,
    ids: [...ids, ...chosen.incidentIds],
    members,
  })
}

/**
 * Gives an incident that opens its story, and makes one of those that have the same cause. One that is alone costs one statement. Run it
 * in a transaction that has stored the incident and locked the stories.
 */
export async function joinStory(db: Db, organization: number, incident: store.OpeningIncident, at: Date): Promise<void> {
  const related = await store.readRelated(db, organization, incident, at)
  const chosen = chooseStory({ isSlo: incident.target_type === 'slo', targetName: incident.target_name, ...related })
  if (!chosen) return
  const others = chosen.tag === null ? chosen.incidentIds : await store.listSilent(db, organization, chosen.tag, at)
  const ids = [...new Set([incident.id, ...others])]
  const members = await store.lockMembers(db, organization, ids, chosen.storyId)
  const storyId = chosen.storyId ?? members.find(({ story_id: id }) => id !== null)?.story_id ?? members[0]?.incident_id
  if (storyId === undefined || (chosen.storyId === null && members.length < 2)) return
  await store.recordStory(db, organization, { storyId, cause: chosen.cause, tag: chosen.tag, ids, members })
  if (others.length > 0 && chosen.tag !== null) await mergeNotifications(db, organization, storyId)
}
