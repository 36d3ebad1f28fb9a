import type { IncidentItem } from '@vedette/shared'

/** The newest incident of one rule and target, and the earlier ones of the same list. */
export interface IncidentGroup {
  incident: IncidentItem
  earlier: readonly IncidentItem[]
}

/** Folds incidents of the same rule and target into one entry, at the place of the first. */
export function foldIncidents(incidents: readonly IncidentItem[]): IncidentGroup[] {
  const groups = new Map<string, { incident: IncidentItem; earlier: IncidentItem[] }>()
  for (const incident of incidents) {
    const key = `${incident.rule_id} ${incident.target.id}`
    const group = groups.get(key)
    if (group) group.earlier.push(incident)
    else groups.set(key, { incident, earlier: [] })
  }
  return [...groups.values()]
}
