export const ALERT_TARGET_TYPES = ['monitor', 'server'] as const
export type AlertTargetType = (typeof ALERT_TARGET_TYPES)[number]
/** What a rule can be about: `series` are those of an expression. */
export const RULE_TARGET_TYPES = [...ALERT_TARGET_TYPES, 'series'] as const
export type RuleTargetType = (typeof RULE_TARGET_TYPES)[number]
export const ALERT_OPERATORS = ['equals', 'greater_than', 'less_than'] as const
export type AlertOperator = (typeof ALERT_OPERATORS)[number]
export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

export const MAX_ALERT_CHANNELS = 20
export const FOR_SECONDS = { minimum: 0, maximum: 86_400, default: 0 } as const
export const REPEAT_SECONDS = { minimum: 60, maximum: 2_592_000 } as const

/** The metric of the row of rules that says who is notified of a sender's alerts. */
export const SOURCE_METRIC = 'alert'
/** The metric of a rule on an expression, and its bounds. */
export const PROMQL_METRIC = 'promql'
export const MAX_EXPRESSION_LENGTH = 4_096
export const EVERY_SECONDS = { minimum: 30, maximum: 300, default: 60 } as const
/** An expression that gives more is a fault of its rule. */
export const MAX_RULE_SERIES = 100

/** The state of a host, as a number. */
export const isHostState = (metric: string): boolean => metric.startsWith('host.')

/** The statuses that a rule can evaluate. */
export const ALERT_STATUSES: Readonly<Record<RuleTargetType, readonly string[]>> = {
  monitor: ['down', 'degraded'],
  server: ['offline'],
  series: [],
}

export const INCIDENT_STATUSES = ['open', 'acknowledged', 'resolved'] as const
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number]
/** Why incidents are one story. */
export const CAUSE_KINDS = ['shared_tag', 'parent', 'same_target', 'slo', 'labels'] as const
export const INCIDENT_SORTS = ['opened_at', 'severity'] as const
export type IncidentSort = (typeof INCIDENT_SORTS)[number]
export const INCIDENT_EVENT_TYPES = [
  'opened',
  'silenced',
  'unsilenced',
  'flapping',
  'stable',
  'notified',
  'acknowledged',
  'reopened',
  'resolved',
  'comment',
] as const
export type IncidentEventType = (typeof INCIDENT_EVENT_TYPES)[number]
