import type { Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { insertIncidentEvent, openIncident } from '../../incidents/index.ts'
import type { RuleRow } from '../rules/store.ts'
import { findSuppression } from './suppression.ts'
import { collectEvidence, type EvidenceTarget } from './evidence.ts'

/** A rule whose condition holds for a target. */
export interface NewFinding {
  rule: RuleRow
  target: EvidenceTarget & { name: string; tags: readonly string[] }
  /** What happened, in one line. */
  summary: string
  /** What the rule evaluated; the checks and the state of the host are added. */
  evidence: Record<string, unknown>
}

/** Opens the incident, or joins the one that is open. Run it in a transaction that has locked rule and target. */
export async function openIncidentFor(
  db: Db,
  organization: number,
  { rule, target, summary, evidence }: NewFinding,
  at: Date,
): Promise<void> {
  const suppression = await findSuppression(db, organization, { type: target.type, id: target.id, metric: rule.metric }, at)
  const id = newId()
  const incident = {
    id,
    rule_id: rule.id,
    target_type: target.type,
    target_id: target.id,
    target_name: target.name,
    severity: rule.severity,
    summary,
    silenced: suppression !== undefined,
    evidence: { ...evidence, ...(await collectEvidence(db, organization, target, at.getTime())) },
  }
  const isNew = await openIncident(db, organization, incident, at)
  if (isNew && suppression) await insertIncidentEvent(db, organization, id, { type: 'silenced', message: suppression.reason }, at)
}
