import type { AlertRule, CreateAlertRuleBody } from '@vedette/shared'
import { text } from '../../../messages/index.ts'
import { ANY_SERVER, type TargetDraft, targetDraftOf, targetOf } from '../target.ts'

/** What the editor of a rule holds: texts as they are typed. */
export interface RuleDraft {
  name: string
  target: TargetDraft
  metric: string
  operator: AlertRule['condition']['operator']
  value: string
  mount: string
  clear: string
  forSeconds: string
  severity: AlertRule['severity']
  /** Seconds; empty: told once. */
  repeat: string
  channels: readonly string[]
  enabled: boolean
}

export const OPERATORS = ['greater_than', 'less_than', 'equals'] as const
export const SEVERITIES = ['critical', 'warning', 'info'] as const
export const MOUNTED = 'filesystem.percent'
const STATUSES: Readonly<Record<TargetDraft['type'], readonly [string, ...string[]]>> = {
  monitor: ['down', 'degraded'],
  server: ['offline'],
}

export const metricsOf = (type: TargetDraft['type']): readonly string[] => Object.keys(text.alerts.metrics[type])
export const statusesOf = (type: TargetDraft['type']): readonly string[] => STATUSES[type]
export const unitOf = ({ target: { type }, metric }: RuleDraft): string => text.alerts.metrics[type][metric]?.unit ?? ''
export const isStatus = ({ metric }: RuleDraft): boolean => metric === 'status'

export const EMPTY_RULE: RuleDraft = {
  name: '',
  target: ANY_SERVER,
  metric: 'cpu.percent',
  operator: 'greater_than',
  value: '90',
  mount: '',
  clear: '',
  forSeconds: '300',
  severity: 'warning',
  repeat: '',
  channels: [],
  enabled: true,
}

/** Another thing to look at brings what goes with it. */
export function withMetric(draft: RuleDraft, metric: string): RuleDraft {
  const same = { ...draft, metric, mount: '', clear: '' }
  if (metric === 'status') return { ...same, operator: 'equals', value: STATUSES[draft.target.type][0] }
  return isStatus(draft) ? { ...same, operator: 'greater_than', value: '' } : same
}

/** What is known of monitors is not known of servers. */
export function withTarget(draft: RuleDraft, target: TargetDraft): RuleDraft {
  if (target.type === draft.target.type) return { ...draft, target }
  return withMetric({ ...draft, target }, 'status')
}

export function ruleDraftOf(rule: AlertRule): RuleDraft {
  const { name, target, condition, clear_value, for_seconds, severity, repeat_seconds, channel_ids, enabled } = rule
  return {
    name,
    target: targetDraftOf(target),
    metric: condition.metric,
    operator: condition.operator,
    value: String(condition.value),
    mount: condition.mount ?? '',
    clear: clear_value === null ? '' : String(clear_value),
    forSeconds: String(for_seconds),
    severity,
    repeat: repeat_seconds === null ? '' : String(repeat_seconds),
    channels: channel_ids,
    enabled,
  }
}

const numberOf = (typed: string): number | string => (typed.trim() === '' ? typed : Number(typed))

/** As the API takes it; a name that is empty is made of the condition. */
export function ruleBodyOf(draft: RuleDraft): CreateAlertRuleBody {
  const { name, metric, operator, value, mount, clear, forSeconds, severity, repeat, channels, enabled } = draft
  return {
    name: name.trim() === '' ? nameOf(draft) : name.trim(),
    target: targetOf(draft.target),
    condition: {
      metric,
      operator,
      value: isStatus(draft) ? value : numberOf(value),
      ...(metric === MOUNTED && mount.trim() !== '' ? { mount: mount.trim() } : {}),
    },
    clear_value: isStatus(draft) || clear.trim() === '' ? null : Number(clear),
    for_seconds: Number(forSeconds),
    severity,
    repeat_seconds: repeat === '' ? null : Number(repeat),
    channel_ids: [...channels],
    enabled,
  }
}

function nameOf({ target: { type }, metric, operator, value }: RuleDraft): string {
  const words = text.alerts
  const { name, unit } = words.metrics[type][metric] ?? { name: metric, unit: '' }
  return `${name} ${words.operators[operator]} ${value}${unit === '' ? '' : ` ${unit}`}`
}

/** The same rule, for one that is made anew. */
export const bodyOfRule = (rule: AlertRule): CreateAlertRuleBody => ruleBodyOf(ruleDraftOf(rule))
