import type { AlertOperator, RuleTargetType, Severity } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'

export interface StoredRule {
  id: string
  name: string
  targetType: RuleTargetType | 'slo'
  targetId: string | null
  targetTag: string | null
  metric: string
  mount: string | null
  entityName: string | null
  /** As it is asked, of `series`. */
  expression: string | null
  lastError: string | null
  operator: AlertOperator
  value: string | number
  forSeconds: number
  severity: Severity
}

/** Rules that are evaluated, with those of SLOs, oldest first. What senders report is evaluated elsewhere. */
export async function listEvaluatedRules(db: Db, organization: number): Promise<StoredRule[]> {
  const { rows } = await sql<StoredRule>`
    select id, name, target_type as "targetType", target_id as "targetId", target_tag as "targetTag", metric, mount,
      entity_name as "entityName", expression, last_error as "lastError", operator, value, for_seconds as "forSeconds", severity
    from alert_rule where organization = ${organization} and enabled and deleted_at is null
      and target_type <> 'source'
    order by created_at, id`.execute(db)
  return rows
}

export interface OpenAlert {
  id: string
  ruleId: string
  openedAtMs: number
  targetType: RuleTargetType | 'slo'
  targetId: string
  targetName: string
  severity: Severity
  summary: string
  evidence: Record<string, unknown>
}

/** Incidents that are not resolved, oldest first. */
export async function listOpenAlerts(db: Db, organization: number): Promise<OpenAlert[]> {
  const { rows } = await sql<OpenAlert>`
    select i.id, i.rule_id as "ruleId", (extract(epoch from i.at) * 1000)::float8 as "openedAtMs", i.target_type as "targetType",
      i.target_id as "targetId", i.target_name as "targetName", i.severity, i.summary, i.evidence
    from open_incident as o
    join incident as i on i.organization = o.organization and i.id = o.incident_id and i.at = o.incident_at
    where o.organization = ${organization} and i.organization = ${organization} and not o.is_muted
    order by i.at, i.id`.execute(db)
  return rows
}
