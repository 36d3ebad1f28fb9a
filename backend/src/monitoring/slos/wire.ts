import { type Slo, toTimestamp } from '@vedette/shared'
import type { SloRule } from '../../alerting/alerts/index.ts'
import { encodeId } from '../../platform/ids.ts'
import type { SloRow } from './store.ts'

/** An SLO with its rules, of which there is one for each alert. */
export function toSlo(row: SloRow, rules: readonly SloRule[]): Slo {
  const { channelIds = [], policyId = null } = rules[0] ?? {}
  return {
    id: encodeId('slo', row.id),
    name: row.name,
    target: { id: row.target_id && encodeId('monitor', row.target_id), tag: row.target_tag },
    kind: row.kind,
    threshold_ms: row.threshold_ms,
    objective: row.objective,
    window: row.period,
    time_zone: row.time_zone,
    channel_ids: channelIds.map((id) => encodeId('channel', id)),
    escalation_policy_id: policyId === null ? null : encodeId('escalationPolicy', policyId),
    burn_alerts: rules.filter(({ enabled }) => enabled).map(({ alert }) => alert),
    managed: row.managed,
    created_at: toTimestamp(row.created_at.getTime()),
    updated_at: toTimestamp(row.updated_at.getTime()),
  }
}
