import type { Difference } from '@vedette/shared'
import type { Step } from './plan.ts'

// Steps in words. All pure.

/** The unit that the name of a field says. */
function unitOf(field: string): string {
  if (/(?:_seconds|^interval|^timeout)$/.test(field)) return ' s'
  return field.endsWith('_ms') ? ' ms' : ''
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
  const unit = unitOf(field)
  const [before, after] = [valueText(from, unit), valueText(to, unit)]
  return before === undefined || after === undefined || before === after ? `${name} changed` : `${name} ${before} → ${after}`
}

/** `Checkout: interval 60 s → 30 s`. `noun`: what it is; `differences`: without secrets. */
export function sentenceOf(
  { action, name, managed, isRestored }: Pick<Step, 'action' | 'name' | 'managed' | 'isRestored'>,
  noun: string,
  differences: readonly Difference[],
): string {
  if (isRestored) return `${name}: ${noun} restored`
  if (action === 'create') return `${name}: new ${noun}`
  if (action === 'delete') return `${name}: ${noun} deleted`
  const fields = differences.slice(0, MAX_FIELDS).map(fieldText)
  const more = differences.length > MAX_FIELDS ? [`${differences.length - MAX_FIELDS} more fields`] : []
  const adopted = action === 'adopt' ? [`taken over by ${managed?.owner}`] : []
  const parts = [...adopted, ...fields, ...more]
  return `${name}: ${parts.length === 0 ? 'managed elsewhere' : parts.join(', ')}`
}
