import {
  ALERT_METRICS,
  ALERT_STATUSES,
  type AlertOperator,
  type AlertTargetType,
  capacityMetric,
  type CreateAlertRuleBody,
  entityMetric,
  type ErrorDetail,
  EVERY_SECONDS,
  FOR_SECONDS,
  healthMetric,
  isCertificateFlag,
  NO_RULE_DESCRIPTION,
  type PatchAlertRuleBody,
  PROMQL_METRIC,
  type RuleTargetType,
  MEMBERS_DOWN,
} from '@vedette/shared'
import type { TableRow } from '../../../platform/db/index.ts'
import { certainFaults, type OwnFaults } from '../../../platform/http/index.ts'
import { expressionFault } from './expression.ts'

/** The definition of a rule, as it is stored. */
export type RuleColumns = Omit<
  TableRow<'alert_rule'>,
  | 'organization'
  | 'id'
  | 'managed'
  | 'created_at'
  | 'updated_at'
  | 'defined_at'
  | 'target_type'
  | 'deleted_at'
  | 'deleted_references'
  | 'last_error'
  | 'evaluation'
> & { target_type: RuleTargetType }

const PLAIN_COLUMNS = [
  'name',
  'enabled',
  'clear_value',
  'for_seconds',
  'severity',
  'channel_ids',
  'repeat_seconds',
  'escalation_policy_id',
  'description',
  'runbook_url',
] as const

/** The columns that a body names; ids are still those of the API. Pure. */
export function columnsOf(body: PatchAlertRuleBody): Partial<RuleColumns> {
  const { target, condition } = body
  return {
    ...Object.fromEntries(PLAIN_COLUMNS.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]]))),
    ...(target && { target_type: target.type, target_id: target.id ?? null, target_tag: target.tag ?? null }),
    ...(condition && {
      metric: condition.metric,
      mount: condition.mount ?? null,
      entity_name: condition.name ?? null,
      ...comparisonOf(condition),
      expression: condition.expression ?? null,
      every_seconds: condition.every_seconds ?? (condition.metric === PROMQL_METRIC ? EVERY_SECONDS.default : null),
    }),
  }
}

type Comparison = Pick<RuleColumns, 'operator' | 'value'>

/** A series is in the answer, or it is not. */
const IS_THERE: Comparison = { operator: 'equals', value: 1 }

/** What is missing is a fault of the rule, which `ruleFaults` reports. */
const comparisonOf = ({ metric, operator, value }: CreateAlertRuleBody['condition']): Comparison =>
  metric === PROMQL_METRIC
    ? { operator: operator ?? IS_THERE.operator, value: value ?? IS_THERE.value }
    : ({ operator, value } as Comparison)

/** The rule with its defaults. Pure. */
export function withDefaults(body: CreateAlertRuleBody): RuleColumns {
  const defaults = {
    enabled: true,
    clear_value: null,
    for_seconds: FOR_SECONDS.default,
    severity: 'critical',
    channel_ids: [],
    repeat_seconds: null,
    escalation_policy_id: null,
    ...NO_RULE_DESCRIPTION,
  } as const
  return { ...defaults, ...columnsOf(body) } as RuleColumns
}

/** What the schema cannot validate. Pure. */
export function ruleFaults(rule: RuleColumns): ErrorDetail[] {
  return [
    ...targetFaults(rule),
    ...(ALERT_METRICS[rule.target_type].includes(rule.metric) ? comparisonFaults(rule) : [unknownMetric(rule)]),
    ...mountFaults(rule),
    ...nameFaults(rule),
    ...expressionFaults(rule),
    ...policyFaults(rule),
  ]
}

/** Of a new rule; what is missing is reported by the schema. */
export const ownRuleFaults: OwnFaults = (body, isRefused) => {
  const { target, condition, ...given } = body as Partial<CreateAlertRuleBody>
  const whole = {
    ...given,
    target: { type: 'monitor', ...target },
    condition: { metric: 'status', ...condition },
  }
  return certainFaults(ruleFaults(withDefaults(whole as CreateAlertRuleBody)), DEPENDS_ON, isRefused)
}

const DEPENDS_ON = {
  'condition.metric': ['target'],
  'condition.operator': ['target', 'condition.metric'],
  'condition.value': ['target', 'condition.metric'],
  'condition.mount': ['condition.metric'],
  'condition.name': ['condition.metric'],
  'condition.expression': ['condition.metric'],
  'condition.every_seconds': ['condition.metric'],
  'target.id': ['target.type'],
  clear_value: ['target', 'condition'],
  channel_ids: ['escalation_policy_id'],
  repeat_seconds: ['escalation_policy_id'],
}

const unknownMetric = ({ target_type: type, metric }: RuleColumns): ErrorDetail =>
  metric === PROMQL_METRIC
    ? { path: 'target.type', message: 'must be series for promql' }
    : { path: 'condition.metric', message: type === 'series' ? 'must be promql for series' : `is not a metric of a ${type}` }

function comparisonFaults(rule: RuleColumns): ErrorDetail[] {
  if (rule.metric === PROMQL_METRIC) return presenceFaults(rule)
  if (rule.metric === 'status') return statusFaults(rule)
  const isMissing = (rule.operator as AlertOperator | undefined) === undefined
  return isMissing ? [{ path: 'condition.operator', message: 'is required for this metric' }] : numberFaults(rule)
}

function presenceFaults({ operator, value, clear_value }: RuleColumns): ErrorDetail[] {
  const faults: ErrorDetail[] = []
  if (operator !== IS_THERE.operator || value !== IS_THERE.value)
    faults.push({ path: 'condition.value', message: 'must be equals 1 for promql, or left out: a series is in the answer' })
  if (clear_value !== null) faults.push({ path: 'clear_value', message: 'must be null for promql' })
  return faults
}

function expressionFaults({ metric, expression, every_seconds }: RuleColumns): ErrorDetail[] {
  if (metric === PROMQL_METRIC) {
    const message = expression === null ? 'is required for promql' : expressionFault(expression)
    return message === undefined ? [] : [{ path: 'condition.expression', message }]
  }
  const message = 'is allowed for promql only'
  return [
    ...(expression === null ? [] : [{ path: 'condition.expression', message }]),
    ...(every_seconds === null ? [] : [{ path: 'condition.every_seconds', message }]),
  ]
}

function targetFaults({ target_type, target_id, target_tag }: RuleColumns): ErrorDetail[] {
  if (target_type === 'series')
    return [
      ...(target_id === null ? [] : [{ path: 'target.id', message: 'must be null for series' }]),
      ...(target_tag === null ? [] : [{ path: 'target.tag', message: 'must be null for series' }]),
    ]
  return target_id === null || target_tag === null ? [] : [{ path: 'target.tag', message: 'cannot be combined with an id' }]
}

function statusFaults({ target_type, operator, value, clear_value }: RuleColumns): ErrorDetail[] {
  const statuses = ALERT_STATUSES[target_type]
  const faults: ErrorDetail[] = []
  if (operator !== 'equals') faults.push({ path: 'condition.operator', message: 'must be equals for a status' })
  if (!statuses.includes(value as string))
    faults.push({ path: 'condition.value', message: `must be ${statuses.join(' or ')} for the status of a ${target_type}` })
  if (clear_value !== null) faults.push({ path: 'clear_value', message: 'must be null for a status' })
  return faults
}

function numberFaults({ metric, operator, value, clear_value, for_seconds: forSeconds }: RuleColumns): ErrorDetail[] {
  if (typeof value !== 'number') return [{ path: 'condition.value', message: 'must be a number for this metric' }]
  if (capacityMetric(metric) !== undefined && operator !== 'less_than')
    return [{ path: 'condition.operator', message: 'must be less_than for this metric: the fewer days, the worse' }]
  if (healthMetric(metric) !== undefined && (operator !== 'equals' || value !== 1))
    return [{ path: 'condition.value', message: 'must be equals 1 for a finding: it is there' }]
  if (metric === MEMBERS_DOWN && forSeconds !== 0)
    return [{ path: 'for_seconds', message: `must be 0 for ${MEMBERS_DOWN}: it counts at each change of a member` }]
  if (isCertificateFlag(metric) && (operator !== 'equals' || value !== 1))
    return [{ path: 'condition.value', message: 'must be equals 1: the metric is 1 while the certificate has the fault' }]
  if (clear_value === null) return []
  const message = clearFault(operator, value, clear_value)
  return message === undefined ? [] : [{ path: 'clear_value', message }]
}

/** With a clear value beyond the threshold the condition would end before it begins. */
function clearFault(operator: AlertOperator, value: number, clearValue: number): string | undefined {
  if (operator === 'equals') return 'must be null where the condition is equals'
  if (operator === 'greater_than') return clearValue > value ? `must not be above the value, ${value}` : undefined
  return clearValue < value ? `must not be below the value, ${value}` : undefined
}

function mountFaults({ metric, mount }: RuleColumns): ErrorDetail[] {
  if (mount === null || metric.startsWith('filesystem.')) return []
  return [{ path: 'condition.mount', message: 'is allowed for filesystem.percent and filesystem.days_until_full only' }]
}

function nameFaults({ metric, entity_name: name }: RuleColumns): ErrorDetail[] {
  if (name === null || entityMetric(metric)) return []
  return [{ path: 'condition.name', message: 'is allowed for a field of entities only, as entity.container.memory_percent' }]
}

function policyFaults({
  escalation_policy_id: policy,
  channel_ids: channels,
  repeat_seconds: repeat,
}: RuleColumns): ErrorDetail[] {
  if (policy === null) return []
  return [
    ...(channels.length > 0
      ? [{ path: 'channel_ids', message: 'must be empty with an escalation policy, which has its own' }]
      : []),
    ...(repeat === null ? [] : [{ path: 'repeat_seconds', message: 'must be null with an escalation policy, which repeats' }]),
  ]
}

/** Whether a rule applies to this monitor or server of its organization; `id` is the stored one. Pure. */
export function appliesTo(
  rule: Pick<RuleColumns, 'target_id' | 'target_tag'> & { target_type: string },
  target: { type: AlertTargetType; id: string; tags: readonly string[] },
): boolean {
  if (rule.target_type !== target.type) return false
  if (rule.target_id !== null) return rule.target_id === target.id
  return rule.target_tag === null || target.tags.includes(rule.target_tag)
}

/**
 * Whether a rule on the status covers a composite: one for all monitors does not, because it covers the members already, and nobody wants
 * to be notified twice of one outage. Pure.
 */
export const coversComposites = (rule: Pick<RuleColumns, 'target_id' | 'target_tag' | 'metric'>): boolean =>
  rule.metric !== 'status' || rule.target_id !== null || rule.target_tag !== null
