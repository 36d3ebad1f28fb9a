import type { ParentState, SuppressedIncident } from '../../incidents/index.ts'

/** An incident, and those of what is down that its target depends on, the best first; null: that has none. */
export interface Candidate {
  incident: SuppressedIncident
  parentIds: readonly (string | null)[]
}

/**
 * Chooses a parent for each incident. One above which the incident itself is counts as not down: two that are each other's parents
 * would both stay silent. Incidents without another one are left out. `parentOf` are the parents that incidents have. Pure.
 */
export function chooseParents(candidates: readonly Candidate[], parentOf: ReadonlyMap<string, string>): ParentState[] {
  const parents = new Map(parentOf)
  const isBelow = (id: string, incidentId: string): boolean => {
    const seen = new Set<string>()
    for (let at: string | undefined = id; at !== undefined && !seen.has(at); at = parents.get(at)) {
      if (at === incidentId) return true
      seen.add(at)
    }
    return false
  }
  return candidates.flatMap(({ incident, parentIds }): ParentState[] => {
    const parentId = parentIds.find((id) => id === null || !isBelow(id, incident.incident_id))
    if (parentId === undefined) return []
    if (parentId !== null) parents.set(incident.incident_id, parentId)
    return [{ incident, hasDownParent: true, parentId, upAt: null }]
  })
}
