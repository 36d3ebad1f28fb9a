import type { AlertRule } from '@vedette/shared'
import { duration } from '../../../lib/format.ts'
import { text } from '../../../messages/index.ts'

const words = text.alerts

/** `CPU: use above 90 % for 5 min`. */
export function conditionWords({ target, condition, for_seconds }: AlertRule): string {
  const { metric, operator, value, mount } = condition
  const { name, unit } = words.metrics[target.type][metric] ?? { name: metric, unit: '' }
  return [
    name,
    ...(mount === undefined || mount === null ? [] : [words.rules.on(mount)]),
    words.operators[operator],
    metric === 'status' ? (text.status[String(value)] ?? String(value)) : `${value}${unit === '' ? '' : ` ${unit}`}`,
    ...(for_seconds > 0 ? [words.rules.forWords(duration(for_seconds))] : []),
  ].join(' ')
}
