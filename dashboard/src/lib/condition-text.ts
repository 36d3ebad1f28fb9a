import type { AlertRule, AlertTarget } from '@vedette/shared'
import { assertionTypeSpec, healthMetric, isCertificateFlag } from '@vedette/shared/tables'
import type { MetricLabel } from '../messages/en/metrics.ts'
import { entityMetricLabel, thresholdText } from './entity-texts.ts'
import { factLabel } from './fact-texts.ts'
import { duration } from './format.ts'
import { findingName } from './health-tabs.ts'
import { statusName } from './status.ts'
import { findings } from '../messages/findings.ts'
import { alerts } from '../messages/alerts.ts'
import { metrics } from '../messages/metrics.ts'

const { operators, rules: text } = alerts
const labels: Readonly<Record<AlertTarget['type'], Readonly<Record<string, MetricLabel>>>> = metrics

/** The label of a metric; one that the page does not know is shown as the API names it. */
export const metricLabel = (type: AlertTarget['type'], metric: string, entityName?: string | null): MetricLabel =>
  labels[type][metric] ??
  findingLabel(metric) ??
  entityMetricLabel(metric, entityName) ?? { name: factLabel(metric), unit: assertionTypeSpec(metric)?.unit ?? '' }

function findingLabel(metric: string): MetricLabel | undefined {
  const code = healthMetric(metric)
  return code && { name: findingName(code), unit: '' }
}

/** `CPU usage is above 90 % for 5 min`. */
export function conditionText({ target, condition, for_seconds }: AlertRule): string {
  const { metric, operator, value, mount, name: entityName, expression } = condition
  const forSpan = for_seconds > 0 ? text.forSpan(duration(for_seconds)) : ''
  if (target.type === 'series') return `${expression ?? metric} ${forSpan}`.trim()
  const { name, unit } = metricLabel(target.type, metric, entityName)
  const isFinding = healthMetric(metric) !== undefined || isCertificateFlag(metric)
  return [
    healthMetric(metric) !== undefined ? findings.found(name) : name,
    mount ? text.on(mount) : '',
    isFinding ? '' : (operators[operator] ?? operator),
    isFinding ? '' : metric === 'status' ? statusName(String(value)).toLowerCase() : thresholdText(metric, value),
    unit,
    forSpan,
  ]
    .filter((part) => part !== '')
    .join(' ')
}
