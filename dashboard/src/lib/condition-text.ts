import type { AlertRule } from '@vedette/shared'
import { duration } from '../../lib/format.ts'
import { statusName } from '../../lib/status.ts'
import { messages } from '../../messages/index.ts'
import { metricLabel } from './input.ts'

const { operators, rules: text } = messages.alerts

/** `CPU usage is above 90 % for 5 min`. */
export function conditionText({ target, condition, for_seconds }: AlertRule): string {
  const { metric, operator, value, mount } = condition
  const { name, unit } = metricLabel(target.type, metric)
  return [
    name,
    mount ? text.on(mount) : '',
    operators[operator] ?? operator,
    metric === 'status' ? statusName(String(value)).toLowerCase() : String(value),
    unit,
    for_seconds > 0 ? text.forSpan(duration(for_seconds)) : '',
  ]
    .filter((part) => part !== '')
    .join(' ')
}
