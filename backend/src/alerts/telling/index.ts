import type { Db } from '../../platform/db/index.ts'

/** A step of an incident that is told. */
export interface IncidentStep {
  type: 'incident.opened' | 'incident.acknowledged' | 'incident.resolved'
  incidentId: string
  /** When the incident opened. */
  incidentAt: Date
  at: Date
}

/** Stores what is to be told of a step; run it in the transaction that makes the step. Nobody is told anything yet. */
export async function tell(_db: Db, _organization: number, _step: IncidentStep): Promise<void> {}
