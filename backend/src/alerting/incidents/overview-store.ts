import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import { IS_BELOW_SQL, STORY_SQL, type StoryRow } from './list-store.ts'

/**
 * How many incidents are not resolved, and the first of them, one for each story: the most severe first, then the one with the most
 * incidents, then the newest.
 */
export async function listMostSevere(
  db: Db,
  organization: number,
  limit: number,
): Promise<{ total: number; rows: Omit<StoryRow, 'evidence'>[] }> {
  const severity = sql`array_position(array['critical', 'warning', 'info'], severity)`
  const { rows } = await sql<Omit<StoryRow, 'evidence'> & { total: number }>`
    with standing as (
      select incident.id, incident.at, incident.rule_id, target_type, incident.target_id, incident.series, external, target_name, status, severity, summary,
        silenced, parent_id, incident.story_id, cause, flapping, acknowledged_at, acknowledged_by, resolved_at
      from open_incident as open
      join incident on incident.organization = open.organization and incident.id = open.incident_id and incident.at = open.incident_at
      where open.organization = ${organization} and incident.organization = ${organization} and not is_muted
    ), ranked as (
      select *, count(*) over ()::int as total, (count(*) over (partition by ${STORY_SQL}))::int as incident_count,
        row_number() over (partition by ${STORY_SQL} order by ${IS_BELOW_SQL}, ${severity}, at, id) as place
      from standing
    )
    select * from ranked where place = 1 order by ${severity}, incident_count desc, at desc, id desc limit ${limit}`.execute(db)
  return { total: rows[0]?.total ?? 0, rows }
}
