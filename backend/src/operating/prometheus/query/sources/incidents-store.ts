import type { Severity } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../../../platform/db/index.ts'

export interface IncidentSpan {
  /** The name of its rule as it is now; null where that is removed. */
  rule: string | null
  severity: Severity
  openedAtMs: number
  /** Null while it is not resolved. */
  resolvedAtMs: number | null
}

/** Incidents that were not resolved at some instant of (from, to], oldest first, at most `limit`. */
export async function listIncidentSpans(
  db: Db,
  organization: number,
  { from, to }: { from: Date; to: Date },
  limit: number,
): Promise<IncidentSpan[]> {
  const { rows } = await sql<IncidentSpan>`
    select rule.name as rule, i.severity, (extract(epoch from i.at) * 1000)::float8 as "openedAtMs",
      (extract(epoch from i.resolved_at) * 1000)::float8 as "resolvedAtMs"
    from incident as i left join alert_rule as rule on rule.organization = i.organization and rule.id = i.rule_id
    where i.organization = ${organization} and i.at <= ${to} and (i.resolved_at is null or i.resolved_at > ${from})
    order by i.at limit ${limit}`.execute(db)
  return rows
}
