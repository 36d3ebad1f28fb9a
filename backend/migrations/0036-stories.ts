import { createTables } from './create-tables.ts'

/**
 * Incidents with one cause are one story. `story_id` is the incident that began it; null: the incident is alone. `story_tag`: the tag
 * that the silent servers of the story share.
 */
export const stories = createTables([
  'alter table incident add column story_id uuid, add column cause jsonb',
  'create index incident_by_story on incident (organization, story_id) where story_id is not null',
  'alter table open_incident add column story_id uuid, add column story_tag text',
])
