import type { Db } from '../../platform/db/index.ts'
import { notifyOfStep } from './notify.ts'
import { joinStory } from './stories/join-story.ts'
import { handOver } from './stories/notified-store.ts'
import {
  insertIncident,
  insertIncidentEvent,
  lockFamilies,
  lockOpenIncidents,
  lockOpenIncidentsOfRule,
  markFlapping,
  markResolved,
  type NewIncident,
  type OpenIncident,
} from './store.ts'

/** Opens an incident with its first timeline entry; false where one of the rule and target is open already. Run it in a transaction. */
export async function openIncident(
  db: Db,
  organization: number,
  incident: NewIncident & { hasDownParent?: boolean },
  at: Date,
): Promise<boolean> {
  if (!(await insertIncident(db, organization, incident, at))) return false
  await joinStory(db, organization, incident, at)
  await insertIncidentEvent(db, organization, incident.id, { type: 'opened', message: incident.summary }, at)
  await notifyOfStep(db, organization, { type: 'incident.opened', incidentId: incident.id, incidentAt: at, at })
  return true
}

/**
 * Resolves an open incident, with the reason in its timeline; one that was resolved by hand only loses its key. Run it in a
 * transaction that has locked it.
 */
export async function resolveIncident(
  db: Db,
  organization: number,
  open: OpenIncident,
  reason: string,
  at: Date,
  actorId: string | null = null,
): Promise<void> {
  const isOfStory = open.story_id !== null && !open.is_muted
  if (isOfStory) {
    await lockFamilies(db, organization)
    await handOver(db, organization, open)
  }
  if (!(await markResolved(db, organization, open, at))) return
  await insertIncidentEvent(db, organization, open.incident_id, { type: 'resolved', message: reason, actorId }, at)
  await notifyOfStep(db, organization, {
    type: 'incident.resolved',
    incidentId: open.incident_id,
    incidentAt: open.incident_at,
    at,
  })
}

/** Marks open incidents of a target as flapping, or as stable again, and notifies of that. Run it in a transaction that has locked them. */
export async function changeFlapping(
  db: Db,
  organization: number,
  target: { id: string; ruleIds: readonly string[] },
  step: { type: 'flapping' | 'stable'; message: string },
  at: Date,
): Promise<void> {
  const changed = await markFlapping(db, organization, target.id, target.ruleIds, step.type === 'flapping')
  for (const { id, at: incidentAt } of changed) {
    await insertIncidentEvent(db, organization, id, step, at)
    await notifyOfStep(db, organization, { type: `incident.${step.type}`, incidentId: id, incidentAt, at })
  }
}

/** Resolves all incidents of a rule that was changed or deleted. Run it in a transaction that has locked the rule. */
export async function resolveIncidentsOfRule(
  db: Db,
  organization: number,
  ruleId: string,
  reason: string,
  at: Date,
): Promise<void> {
  const openIncidents = await lockOpenIncidentsOfRule(db, organization, ruleId)
  for (const open of openIncidents) await resolveIncident(db, organization, open, reason, at)
}

/** Resolves all incidents of targets that are no longer monitored. Run it in a transaction. */
export async function resolveIncidentsOf(
  db: Db,
  organization: number,
  targetIds: readonly string[],
  reason: string,
  at: Date,
): Promise<void> {
  const openIncidents = await lockOpenIncidents(db, organization, targetIds)
  for (const open of openIncidents) await resolveIncident(db, organization, open, reason, at)
}
