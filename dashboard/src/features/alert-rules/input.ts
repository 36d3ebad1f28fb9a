import type { AlertRule, CreateAlertRuleBody } from '@vedette/shared'
import {
  ALERT_METRICS,
  CERTIFICATE_DAYS,
  ALERT_STATUSES,
  ENTITY_KINDS,
  EVERY_SECONDS,
  type EntityKindName,
  type EntityKindSpec,
  type HealthCode,
  capacityMetric,
  entityMetric,
  HEALTH_CODES,
  healthMetric,
  healthMetricOf,
  isCertificateFlag,
  isHostState,
  MAX_NAME_LENGTH,
  PROMQL_METRIC,
} from '@vedette/shared/tables'
import { alerts } from '../../messages/alerts.ts'
import { ALL_SERVERS, type TargetInput, toTargetInput, toTarget } from '../../lib/alert-target.ts'
import { type DocumentationInput, NO_DOCUMENTATION, toDocumentationInput, toRuleDocumentation } from '../../lib/documentation.ts'
import { metricLabel } from '../../lib/condition-text.ts'
import { thresholdText, unitOfMetric } from '../../lib/entity-texts.ts'

/** A rule while it is edited: numbers as they are typed. */
export interface RuleInput {
  name: string
  target: TargetInput
  metric: string
  operator: AlertRule['condition']['operator']
  value: string
  mount: string
  /** Of the entities that the rule is about; empty: of any. */
  entityName: string
  /** PromQL, and the seconds between its evaluations. */
  expression: string
  everySeconds: string
  /** Why its last evaluation failed; empty: it did not. */
  lastError: string
  recoversAt: string
  forSeconds: string
  severity: AlertRule['severity']
  /** Seconds; empty: notified once. */
  repeat: string
  channels: readonly string[]
  /** Id of the escalation policy; empty: the channels are notified. */
  policy: string
  enabled: boolean
  documentation: DocumentationInput
}

export const isFilesystem = ({ metric }: Pick<RuleInput, 'metric'>): boolean => metric.startsWith('filesystem.')

export const isFinding = ({ metric }: RuleInput): boolean => healthMetric(metric) !== undefined || isCertificateFlag(metric)
export const isExpression = ({ metric }: Pick<RuleInput, 'metric'>): boolean => metric === PROMQL_METRIC
export const isStatus = ({ metric }: RuleInput): boolean => metric === 'status'
/** Whether the condition may end at another value than it begins. */
export const hasRecovery = (input: RuleInput): boolean => !isStatus(input) && input.operator !== 'equals'

export const NEW_RULE: RuleInput = {
  name: '',
  target: ALL_SERVERS,
  metric: 'cpu.percent',
  operator: 'greater_than',
  value: '90',
  mount: '',
  entityName: '',
  expression: '',
  everySeconds: String(EVERY_SECONDS.default),
  lastError: '',
  recoversAt: '',
  forSeconds: '300',
  severity: 'warning',
  repeat: '',
  channels: [],
  policy: '',
  enabled: true,
  documentation: NO_DOCUMENTATION,
}

export const isFlag = ({ metric }: RuleInput): boolean => unitOfMetric(metric) === 'flag'
/** Flags that are a problem when set; of the others it is one that they are not. */
const PROBLEMS = new Set(['failed', 'on_battery', 'low_battery', 'update_available'])

/** What a rule is about: the kind of an entity, the health of the host, or the host itself. */
export const sourceOf = ({ metric }: RuleInput): EntityKindName | 'health' | 'host' =>
  entityMetric(metric)?.kind ?? (healthMetric(metric) ? 'health' : 'host')

/** Changes what the rule is about, and the metric with it to the one that people look at first. */
export function withSource(input: RuleInput, source: string): RuleInput {
  if (source === 'health') return withMetric(input, healthMetricOf(HEALTH_CODES[0] as HealthCode))
  if (!Object.hasOwn(ENTITY_KINDS, source)) return withMetric(input, NEW_RULE.metric)
  const { sort, fields }: EntityKindSpec = ENTITY_KINDS[source as EntityKindName]
  return withMetric(input, `entity.${source}.${sort ?? Object.keys(fields)[0]}`)
}

/** Changes the metric, and the operator and value with it where they do not fit. */
export function withMetric(input: RuleInput, metric: string): RuleInput {
  const entityName = entityMetric(metric)?.kind === entityMetric(input.metric)?.kind ? input.entityName : ''
  const next = { ...input, metric, mount: '', entityName, recoversAt: '' }
  if (metric === 'status') return { ...next, operator: 'equals', value: ALERT_STATUSES[input.target.type][0] ?? '' }
  if (isFinding(next) || isExpression(next)) return { ...next, operator: 'equals', value: '1' }
  if (isHostState(metric)) return { ...next, operator: 'greater_than', value: '0' }
  if (capacityMetric(metric) || metric === CERTIFICATE_DAYS) return { ...next, operator: 'less_than', value: '14' }
  if (isFlag(next)) {
    const isProblem = PROBLEMS.has(entityMetric(metric)?.field ?? '')
    return { ...next, operator: 'equals', value: isProblem ? '1' : '0' }
  }
  return isStatus(input) || isExpression(input) || isFinding(input) || isFlag(input) || isHostState(input.metric)
    ? { ...next, operator: 'greater_than', value: '' }
    : next
}

/** Changes the target. Another type has other metrics: the condition becomes one of the status. */
export function withTarget(input: RuleInput, target: TargetInput): RuleInput {
  if (target.type === input.target.type) return { ...input, target }
  return withMetric({ ...input, target }, 'status')
}

/** What the address of the form may fill in: a metric of one server, and the name of an entity or a mount. */
export interface RuleSearch {
  server?: string
  metric?: string
  name?: string
  mount?: string
  /** With the metric `promql`. */
  expression?: string
}

/** A new rule; what of the address is not what it should be is left out. */
export function newRule({ server, metric, name, mount, expression }: RuleSearch): RuleInput {
  if (metric === 'promql')
    return { ...withMetric(NEW_RULE, metric), expression: typeof expression === 'string' ? expression : '' }
  const target = typeof server === 'string' ? { ...ALL_SERVERS, scope: 'single' as const, id: server } : ALL_SERVERS
  if (metric === undefined || !ALERT_METRICS.server.includes(metric)) return { ...NEW_RULE, target }
  const input = withMetric({ ...NEW_RULE, target }, metric)
  if (isFilesystem(input) && typeof mount === 'string') return { ...input, mount }
  return entityMetric(metric) && typeof name === 'string' ? { ...input, entityName: name } : input
}

export function toRuleInput(rule: AlertRule): RuleInput {
  const {
    name,
    target,
    condition,
    clear_value,
    for_seconds,
    severity,
    repeat_seconds,
    channel_ids,
    escalation_policy_id,
    enabled,
    last_error,
  } = rule
  return {
    name,
    target: target.type === 'series' ? ALL_SERVERS : toTargetInput({ ...target, type: target.type }),
    metric: condition.metric,
    operator: condition.operator,
    value: String(condition.value),
    mount: condition.mount ?? '',
    entityName: condition.name ?? '',
    expression: condition.expression ?? '',
    everySeconds: String(condition.every_seconds ?? EVERY_SECONDS.default),
    lastError: last_error ?? '',
    recoversAt: clear_value === null ? '' : String(clear_value),
    forSeconds: String(for_seconds),
    severity,
    repeat: repeat_seconds === null ? '' : String(repeat_seconds),
    channels: channel_ids,
    policy: escalation_policy_id ?? '',
    enabled,
    documentation: toDocumentationInput(rule),
  }
}

/** Nothing typed is no number, not 0. */
const numberOf = (typed: string): number => (typed.trim() === '' ? Number.NaN : Number(typed))

/** An empty name becomes the text of the condition. */
export function toRuleBody(input: RuleInput): CreateAlertRuleBody {
  const { name, recoversAt, forSeconds, severity, repeat, channels, policy, enabled } = input
  return {
    name: name.trim() === '' ? nameOf(input) : name.trim(),
    ...(isExpression(input) ? ofExpression(input) : { target: toTarget(input.target), condition: comparisonOf(input) }),
    clear_value: hasRecovery(input) && recoversAt.trim() !== '' ? Number(recoversAt) : null,
    for_seconds: Number(forSeconds),
    severity,
    // A policy has its own.
    repeat_seconds: repeat === '' || policy !== '' ? null : Number(repeat),
    channel_ids: policy === '' ? [...channels] : [],
    escalation_policy_id: policy === '' ? null : policy,
    enabled,
    ...toRuleDocumentation(input.documentation),
  }
}

const comparisonOf = (input: RuleInput): CreateAlertRuleBody['condition'] => {
  const { metric, operator, value, mount, entityName } = input
  return {
    metric,
    operator,
    value: isStatus(input) ? value : numberOf(value),
    ...(isFilesystem(input) && mount.trim() !== '' ? { mount: mount.trim() } : {}),
    ...(entityMetric(metric) && entityName.trim() !== '' ? { name: entityName.trim() } : {}),
  }
}

/** Its series are what it is about. */
const ofExpression = ({ metric, expression, everySeconds }: RuleInput): Pick<CreateAlertRuleBody, 'target' | 'condition'> => ({
  target: { type: 'series', id: null, tag: null },
  condition: { metric, operator: 'equals', value: 1, expression: expression.trim(), every_seconds: Number(everySeconds) },
})

function nameOf({ target, metric, operator, value, entityName, expression }: RuleInput): string {
  if (metric === PROMQL_METRIC) return expression.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_NAME_LENGTH)
  const { name, unit } = metricLabel(target.type, metric, entityName.trim())
  if (healthMetric(metric) || isCertificateFlag(metric)) return name
  return [name, alerts.operators[operator] ?? operator, thresholdText(metric, value), unit]
    .filter((part) => part !== '')
    .join(' ')
    .slice(0, MAX_NAME_LENGTH)
}
