import type { IncidentCause } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { lockGroupMembers, recordStories } from './group-store.ts'

interface GroupedIncident {
  id: string
  external: { group: string | null }
}

/**
 * Gives incidents of a source that open the stories of their labels: alerts with the same text are one. Returns those that have one. Run it
 * in a transaction that has stored them and locked the stories.
 */
export async function joinGroups(
  db: Db,
  organization: number,
  sourceId: string,
  incidents: readonly GroupedIncident[],
): Promise<Map<string, { story_id: string; cause: IncidentCause }>> {
  const groups = [...new Set(incidents.flatMap(({ external }) => external.group ?? []))]
  if (groups.length === 0) return new Map()
  const members = await lockGroupMembers(db, organization, sourceId, groups)
  const recorded = [...Map.groupBy(members, ({ group }) => group)].flatMap(([group, some]) => {
    const [first] = some
    if (!first || some.length < 2) return []
    const storyId = some.find(({ story_id: id }) => id !== null)?.story_id ?? first.incident_id
    const cause: IncidentCause = { kind: 'labels', text: `alerts with ${group}` }
    return some.filter(({ story_id: id }) => id !== storyId).map(({ incident_id: id }) => ({ id, story_id: storyId, cause }))
  })
  await recordStories(db, organization, recorded)
  const news = new Set(incidents.map(({ id }) => id))
  return new Map(recorded.filter(({ id }) => news.has(id)).map(({ id, ...story }) => [id, story]))
}
