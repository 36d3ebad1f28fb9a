import type { RuleColumns } from '../rules/rule.ts'

/** How metrics are told to people, where their name alone does not. */
const WORDS: Readonly<Record<string, (value: string) => string>> = {
  response_ms: (value) => `answers in ${value} ms`,
  'cpu.percent': (value) => `uses ${value} % of its CPU`,
  'memory.percent': (value) => `uses ${value} % of its memory`,
  'filesystem.percent': (value) => `is ${value} % full`,
  certificate_days: (value) => `has a certificate for ${value} more days`,
}

/** `Shop answers in 1234 ms, mean of 5 min (rule: above 1000)`. Pure. */
export function summaryOf(
  name: string,
  rule: Pick<RuleColumns, 'metric' | 'operator' | 'value' | 'for_seconds'>,
  value: number,
  where = '',
): string {
  const { metric, operator, value: bound, for_seconds: forSeconds } = rule
  const words = WORDS[metric] ?? ((told: string) => `has ${metric} ${told}`)
  const mean = forSeconds > 0 && metric !== 'certificate_days' ? `, mean of ${spanOf(forSeconds)}` : ''
  const relation = { equals: 'equal to', greater_than: 'above', less_than: 'below' }[operator]
  return `${name} ${words(String(Math.round(value * 100) / 100))}${where}${mean} (rule: ${relation} ${bound})`
}

/** `90 s`, `10 min`, `6 h`. */
export function spanOf(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}
