import type { IncidentListItem } from '@vedette/shared'

/** The newest incident of one rule and target, and the earlier ones of the same list. */
export interface IncidentGroup {
  incident: IncidentListItem
  earlier: readonly IncidentListItem[]
}

/** Folds incidents of the same rule and target into one entry, at the place of the first. */
export function foldIncidents(incidents: readonly IncidentListItem[]): IncidentGroup[] {
  const groups = new Map<string, { incident: IncidentListItem; earlier: IncidentListItem[] }>()
  for (const incident of incidents) {
    const key = incident.story_id ?? `${incident.origin.id} ${incident.target.id}`
    const group = groups.get(key)
    if (group) group.earlier.push(incident)
    else groups.set(key, { incident, earlier: [] })
  }
  return [...groups.values()]
}
