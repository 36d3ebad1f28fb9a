import type { Db } from '../../../platform/db/index.ts'
import { newId } from '../../../platform/ids.ts'
import { insertIncidentEvent, isOfSeries, lockOpenIncidents, openIncident, resolveIncident } from '../../incidents/index.ts'
import type { RuleRow } from '../rules/store.ts'
import { findDownParents, findSuppression, readSuppressionState } from './suppression.ts'
import { documentationOf } from './documentation.ts'
import { collectEvidence, type EvidenceTarget } from './evidence.ts'

/** What a rule is about; `series`: those of an expression that name neither a host nor a monitor. */
export type FindingTarget = (EvidenceTarget | { type: 'series'; id: string }) & { name: string; tags: readonly string[] }

/** A rule whose condition began or ended for a target. */
export interface Finding {
  rule: RuleRow
  result: 'opened' | 'resolved'
  target: FindingTarget
  /** Which of the series of the rule. */
  series?: string
  /** What happened, in one line. */
  summary: string
  /** The status of the target alternates. */
  flapping?: boolean
  /** What the rule evaluated; the checks and the state of the host are added. */
  evidence: Record<string, unknown>
}

/** Opens the incident, or joins the one that is open; or resolves it. Run it in a transaction that has locked rule and target. */
export async function applyFinding(db: Db, organization: number, finding: Finding, at: Date): Promise<void> {
  if (finding.result === 'opened') return open(db, organization, finding, at)
  const { rule, target, summary } = finding
  const current = (await lockOpenIncidents(db, organization, [target.id])).find(({ rule_id }) => rule_id === rule.id)
  if (current) await resolveIncident(db, organization, current, summary, at)
}

/** Resolves the incidents of rules that no longer apply to this target, because it lost a tag. Run it in a transaction. */
export async function resolveOrphanedIncidents(
  db: Db,
  organization: number,
  targetId: string,
  currentRuleIds: ReadonlySet<string>,
  at: Date,
): Promise<void> {
  for (const current of await lockOpenIncidents(db, organization, [targetId]))
    if (!isOfSeries(current) && !currentRuleIds.has(current.rule_id))
      await resolveIncident(db, organization, current, 'the rule no longer applies', at)
}

async function open(db: Db, organization: number, finding: Finding, at: Date): Promise<void> {
  const { rule, target, series, summary, evidence } = finding
  const about = { type: target.type, id: target.id, series, ruleId: rule.id, metric: rule.metric, openedAt: at }
  const state = await readSuppressionState(db, organization, [target.id], at)
  const suppression = await findSuppression(db, organization, state, about)
  const [parent] = findDownParents(state, about)
  const id = newId()
  const incident = {
    id,
    rule_id: rule.id,
    target_type: target.type,
    target_id: target.id,
    ...(series !== undefined && { series }),
    target_name: target.name,
    severity: rule.severity,
    summary,
    silenced: suppression !== undefined,
    parent_id: parent?.incident_id ?? null,
    hasDownParent: parent !== undefined,
    flapping: finding.flapping === true || suppression?.flapping === true,
    evidence: { ...evidence, ...(await evidenceOf(db, organization, finding, at)) },
  }
  const isNew = await openIncident(db, organization, incident, at)
  if (isNew && suppression) await insertIncidentEvent(db, organization, id, { type: 'silenced', message: suppression.reason }, at)
}

const evidenceOf = async (db: Db, organization: number, { rule, target }: Finding, at: Date) =>
  target.type === 'series' ? documentationOf(rule, undefined) : collectEvidence(db, organization, target, at.getTime(), rule)
