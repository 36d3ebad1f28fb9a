import type { Db } from '../../platform/db/index.ts'
import { tell } from '../telling/index.ts'
import {
  insertIncident,
  insertIncidentEvent,
  lockOpenIncidents,
  lockOpenIncidentsOfRule,
  markResolved,
  type NewIncident,
  type OpenIncident,
} from './store.ts'

/** Opens an incident with its first line, or joins the one that stands open, and gives false. Run inside a transaction. */
export async function openIncident(db: Db, organization: number, incident: NewIncident, at: Date): Promise<boolean> {
  if (!(await insertIncident(db, organization, incident, at))) return false
  await insertIncidentEvent(db, organization, incident.id, { type: 'opened', message: incident.summary }, at)
  await tell(db, organization, { type: 'incident.opened', incidentId: incident.id, incidentAt: at, at })
  return true
}

/** Ends an incident that stands open, with a line that says why; of one that was ended by hand nothing more is said. Run inside a transaction that has locked it. */
export async function resolveIncident(
  db: Db,
  organization: number,
  open: OpenIncident,
  why: string,
  at: Date,
  actorId: string | null = null,
): Promise<void> {
  if (!(await markResolved(db, organization, open, at))) return
  await insertIncidentEvent(db, organization, open.incident_id, { type: 'resolved', message: why, actorId }, at)
  await tell(db, organization, { type: 'incident.resolved', incidentId: open.incident_id, incidentAt: open.incident_at, at })
}

/** Ends all incidents of a rule that does not say any more what it said. Run inside a transaction that has locked the rule. */
export async function resolveIncidentsOfRule(db: Db, organization: number, ruleId: string, why: string, at: Date): Promise<void> {
  const standing = await lockOpenIncidentsOfRule(db, organization, ruleId)
  for (const open of standing) await resolveIncident(db, organization, open, why, at)
}

/** Ends all incidents of what is not watched any more. Run inside a transaction. */
export async function resolveIncidentsOf(
  db: Db,
  organization: number,
  targetIds: readonly string[],
  why: string,
  at: Date,
): Promise<void> {
  const standing = await lockOpenIncidents(db, organization, targetIds)
  for (const open of standing) await resolveIncident(db, organization, open, why, at)
}
