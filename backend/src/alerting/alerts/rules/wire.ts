import { type AlertRule, entityMetric, toTimestamp } from '@vedette/shared'
import { encodeId } from '../../../platform/ids.ts'
import type { RuleRow } from './store.ts'

export function toAlertRule(row: RuleRow): AlertRule {
  const {
    target_type: type,
    target_id: id,
    target_tag: tag,
    metric,
    operator,
    value,
    mount,
    entity_name: name,
    expression,
    every_seconds,
  } = row
  return {
    id: encodeId('alertRule', row.id),
    name: row.name,
    enabled: row.enabled,
    target: { type, id: id && encodeId(type, id), tag },
    condition: {
      metric,
      operator,
      value,
      ...(metric.startsWith('filesystem.') && { mount }),
      ...(entityMetric(metric) && { name }),
      ...(expression !== null && every_seconds !== null && { expression, every_seconds }),
    },
    clear_value: row.clear_value,
    for_seconds: row.for_seconds,
    severity: row.severity,
    channel_ids: row.channel_ids.map((channel) => encodeId('channel', channel)),
    repeat_seconds: row.repeat_seconds,
    escalation_policy_id: row.escalation_policy_id && encodeId('escalationPolicy', row.escalation_policy_id),
    description: row.description,
    runbook_url: row.runbook_url,
    ...(expression !== null && { last_error: row.last_error }),
    managed: row.managed,
    created_at: toTimestamp(row.created_at.getTime()),
    updated_at: toTimestamp(row.updated_at.getTime()),
  }
}
