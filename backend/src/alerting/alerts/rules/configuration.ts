import {
  CreateAlertRuleBody,
  entityMetric,
  EVERY_SECONDS,
  FOR_SECONDS,
  NO_RULE_DESCRIPTION,
  PROMQL_METRIC,
} from '@vedette/shared'
import { type Configuration, pickFields, toConfigured } from '../../../access/auth/index.ts'
import type { RuleDeps } from './service.ts'
import { readRules } from './store.ts'
import { toAlertRule } from './wire.ts'

interface Condition {
  metric: string
  mount?: string | null
  name?: string | null
}

/** With the fields that the metric has. Pure. */
const completeCondition = (condition: Condition): Condition => ({
  ...(condition.metric.startsWith('filesystem.') && { mount: null }),
  ...(entityMetric(condition.metric) && { name: null }),
  ...(condition.metric === PROMQL_METRIC && { operator: 'equals', value: 1, every_seconds: EVERY_SECONDS.default }),
  ...condition,
})

export const ruleConfiguration: Configuration<RuleDeps> = {
  kind: 'alert_rule',
  table: 'alert_rule',
  read: async ({ db }, tenant, ids) =>
    (await readRules(db, tenant.number, ids)).map((row) => toConfigured(row, pickFields(CreateAlertRuleBody, toAlertRule(row)))),
  complete: ({ target, condition, ...spec }) => ({
    enabled: true,
    clear_value: null,
    for_seconds: FOR_SECONDS.default,
    severity: 'critical',
    channel_ids: [],
    repeat_seconds: null,
    escalation_policy_id: null,
    ...NO_RULE_DESCRIPTION,
    ...spec,
    ...(target !== undefined && { target: { id: null, tag: null, ...target } }),
    ...(condition !== undefined && { condition: completeCondition(condition as Condition) }),
  }),
}
