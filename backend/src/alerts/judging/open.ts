import type { Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { openIncident } from '../incidents/service.ts'
import { insertIncidentEvent } from '../incidents/store.ts'
import type { RuleRow } from '../rules/store.ts'
import { silenceOf } from './silence.ts'
import { gatherEvidence, type Witnessed } from './evidence.ts'

/** What a rule has found. */
export interface Finding {
  rule: RuleRow
  target: Witnessed & { name: string; tags: readonly string[] }
  /** What happened, in a line. */
  summary: string
  /** What the rule itself saw; what else is known is added. */
  evidence: Record<string, unknown>
}

/** Opens the incident of a finding, or joins the one that stands. Run inside a transaction that holds rule and target. */
export async function openFor(
  db: Db,
  organization: number,
  { rule, target, summary, evidence }: Finding,
  at: Date,
): Promise<void> {
  const silence = await silenceOf(db, organization, { type: target.type, id: target.id, metric: rule.metric }, at)
  const id = newId()
  const incident = {
    id,
    rule_id: rule.id,
    target_type: target.type,
    target_id: target.id,
    target_name: target.name,
    severity: rule.severity,
    summary,
    silenced: silence !== undefined,
    evidence: { ...evidence, ...(await gatherEvidence(db, organization, target, at.getTime())) },
  }
  const isNew = await openIncident(db, organization, incident, at)
  if (isNew && silence) await insertIncidentEvent(db, organization, id, { type: 'silenced', message: silence.why }, at)
}
