import type { AlertRule, CreateAlertRuleBody } from '@vedette/shared'
import { ALERT_STATUSES, isHostState } from '@vedette/shared/tables'
import { messages } from '../../messages/index.ts'
import { ALL_SERVERS, type TargetInput, toTargetInput, toTarget } from '../../lib/alert-target.ts'
import { metricLabel } from '../../lib/condition-text.ts'

/** A rule while it is edited: numbers as they are typed. */
export interface RuleInput {
  name: string
  target: TargetInput
  metric: string
  operator: AlertRule['condition']['operator']
  value: string
  mount: string
  recoversAt: string
  forSeconds: string
  severity: AlertRule['severity']
  /** Seconds; empty: notified once. */
  repeat: string
  channels: readonly string[]
  enabled: boolean
}

export const FILESYSTEM_METRIC = 'filesystem.percent'

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
  recoversAt: '',
  forSeconds: '300',
  severity: 'warning',
  repeat: '',
  channels: [],
  enabled: true,
}

/** Changes the metric, and the operator and value with it where they do not fit. */
export function withMetric(input: RuleInput, metric: string): RuleInput {
  const next = { ...input, metric, mount: '', recoversAt: '' }
  if (metric === 'status') return { ...next, operator: 'equals', value: ALERT_STATUSES[input.target.type][0] ?? '' }
  if (isHostState(metric)) return { ...next, operator: 'greater_than', value: '0' }
  return isStatus(input) || isHostState(input.metric) ? { ...next, operator: 'greater_than', value: '' } : next
}

/** Changes the target. Another type has other metrics: the condition becomes one of the status. */
export function withTarget(input: RuleInput, target: TargetInput): RuleInput {
  if (target.type === input.target.type) return { ...input, target }
  return withMetric({ ...input, target }, 'status')
}

export function toRuleInput(rule: AlertRule): RuleInput {
  const { name, target, condition, clear_value, for_seconds, severity, repeat_seconds, channel_ids, enabled } = rule
  return {
    name,
    target: toTargetInput(target),
    metric: condition.metric,
    operator: condition.operator,
    value: String(condition.value),
    mount: condition.mount ?? '',
    recoversAt: clear_value === null ? '' : String(clear_value),
    forSeconds: String(for_seconds),
    severity,
    repeat: repeat_seconds === null ? '' : String(repeat_seconds),
    channels: channel_ids,
    enabled,
  }
}

/** Nothing typed is no number, not 0. */
const numberOf = (typed: string): number => (typed.trim() === '' ? Number.NaN : Number(typed))

/** An empty name becomes the text of the condition. */
export function toRuleBody(input: RuleInput): CreateAlertRuleBody {
  const { name, metric, operator, value, mount, recoversAt, forSeconds, severity, repeat, channels, enabled } = input
  return {
    name: name.trim() === '' ? nameOf(input) : name.trim(),
    target: toTarget(input.target),
    condition: {
      metric,
      operator,
      value: isStatus(input) ? value : numberOf(value),
      ...(metric === FILESYSTEM_METRIC && mount.trim() !== '' ? { mount: mount.trim() } : {}),
    },
    clear_value: hasRecovery(input) && recoversAt.trim() !== '' ? Number(recoversAt) : null,
    for_seconds: Number(forSeconds),
    severity,
    repeat_seconds: repeat === '' ? null : Number(repeat),
    channel_ids: [...channels],
    enabled,
  }
}

function nameOf({ target, metric, operator, value }: RuleInput): string {
  const { name, unit } = metricLabel(target.type, metric)
  return [name, messages.alerts.operators[operator] ?? operator, value, unit].filter((part) => part !== '').join(' ')
}

/** The body that creates the same rule again. */
export const copyOfRule = (rule: AlertRule): CreateAlertRuleBody => toRuleBody(toRuleInput(rule))
