import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { IncidentRow } from './store.ts'

/** How many incidents are not resolved, and the first of them: the most severe first, then the newest. */
export async function listMostSevere(
  db: Db,
  organization: number,
  limit: number,
): Promise<{ total: number; rows: Omit<IncidentRow, 'evidence'>[] }> {
  const { rows } = await sql<Omit<IncidentRow, 'evidence'> & { total: number }>`
    select incident.id, incident.at, incident.rule_id, target_type, incident.target_id, target_name, status, severity, summary,
      silenced, parent_id, incident.story_id, cause, flapping, acknowledged_at, acknowledged_by, resolved_at, count(*) over ()::int as total
    from open_incident as standing
    join incident on incident.organization = standing.organization and incident.id = standing.incident_id
      and incident.at = standing.incident_at
    where standing.organization = ${organization} and incident.organization = ${organization} and not is_muted
    order by array_position(array['critical', 'warning', 'info'], severity), incident.at desc, incident.id desc
    limit ${limit}`.execute(db)
  return { total: rows[0]?.total ?? 0, rows }
}
