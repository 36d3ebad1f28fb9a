import type { ConfigurationKind, Difference } from '@vedette/shared'
import type { Step } from './plan.ts'

// Steps in words. All pure.

const NOUNS: Readonly<Record<ConfigurationKind, string>> = {
  channel: 'channel',
  schedule: 'on-call schedule',
  escalation_policy: 'escalation policy',
  identity_provider: 'identity provider',
  server_settings: 'server',
  monitor: 'monitor',
  alert_rule: 'alert rule',
  slo: 'SLO',
  maintenance_window: 'maintenance window',
  status_page: 'status page',
}

/** Fields that are seconds or milliseconds. */
const UNITS: Readonly<Record<string, string>> = {
  interval: ' s',
  timeout: ' s',
  for_seconds: ' s',
  repeat_seconds: ' s',
  reopen_seconds: ' s',
  threshold_ms: ' ms',
}

const MAX_VALUE = 60
const MAX_FIELDS = 5

function valueText(value: unknown, unit: string): string | undefined {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number') return `${value}${unit}`
  return typeof value === 'string' && value.length <= MAX_VALUE ? value : undefined
}

function fieldText({ path, from, to }: Difference): string {
  const field = path.slice(1).replaceAll('/', ' ').replaceAll('~1', '/').replaceAll('~0', '~')
  const name = field.replaceAll('_', ' ')
  const unit = UNITS[field] ?? ''
  const [before, after] = [valueText(from, unit), valueText(to, unit)]
  return before === undefined || after === undefined || before === after ? `${name} changed` : `${name} ${before} → ${after}`
}

/** `Checkout: interval 60 s → 30 s`. `differences`: without secrets. */
export function sentenceOf(
  { action, kind, name, managed, isRestored }: Pick<Step, 'action' | 'kind' | 'name' | 'managed' | 'isRestored'>,
  differences: readonly Difference[],
): string {
  if (isRestored) return `${name}: ${NOUNS[kind]} restored`
  if (action === 'create') return `${name}: new ${NOUNS[kind]}`
  if (action === 'delete') return `${name}: ${NOUNS[kind]} deleted`
  const fields = differences.slice(0, MAX_FIELDS).map(fieldText)
  const more = differences.length > MAX_FIELDS ? [`${differences.length - MAX_FIELDS} more fields`] : []
  const adopted = action === 'adopt' ? [`taken over by ${managed?.owner}`] : []
  const parts = [...adopted, ...fields, ...more]
  return `${name}: ${parts.length === 0 ? 'managed elsewhere' : parts.join(', ')}`
}
