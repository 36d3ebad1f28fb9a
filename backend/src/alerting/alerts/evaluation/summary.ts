import { assertionTypeSpec, counted, isHostState, MEMBERS_DOWN, quantity, toTimestamp } from '@vedette/shared'
import type { RuleColumns } from '../rules/rule.ts'
import { describeHostState } from './host-state.ts'

type Rule = Pick<RuleColumns, 'metric' | 'operator' | 'value' | 'for_seconds'>

interface MetricText {
  label: string
  format(value: number): string
}

const percent = (value: number): string => `${round(value, 1)} %`
const plain = (value: number): string => String(round(value, 2))
const METRICS: Readonly<Record<string, MetricText>> = {
  response_ms: { label: 'response time', format: formatMs },
  certificate_days: { label: 'certificate expires in', format: (value) => counted`${round(value, 1)} days` },
  [MEMBERS_DOWN]: { label: 'members down', format: plain },
  'certificate.days': { label: 'certificate or its chain expires in', format: (value) => counted`${round(value, 1)} days` },
  'cpu.percent': { label: 'CPU', format: percent },
  'memory.percent': { label: 'memory', format: percent },
}
/** Undefined for a metric that is no fact of a check. */
function factText(metric: string): MetricText | undefined {
  const spec = assertionTypeSpec(metric)
  if (!spec) return undefined
  const { label, unit } = spec
  return { label, format: (value) => (unit === undefined ? plain(value) : quantity(round(value, 2), unit)) }
}

const THRESHOLDS = { equals: 'threshold: equal to', greater_than: 'threshold', less_than: 'threshold: below' } as const

/**
 * What a value is to a rule, in one line: `Login is slow: 1.41 s mean over 2 min (threshold 500 ms)`. `mount` is that of a filesystem.
 * `isOver`: the condition has ended. Pure.
 */
export function summaryOf(
  name: string,
  rule: Rule,
  value: number,
  { mount, isOver }: { mount?: string; isOver: boolean },
): string {
  const { metric, operator, value: bound, for_seconds: forSeconds } = rule
  if (isHostState(metric)) return describeHostState(name, metric, value)
  const text = METRICS[metric] ?? factText(metric) ?? { label: metric, format: metric.endsWith('percent') ? percent : plain }
  const isSlow = metric === 'response_ms' && operator === 'greater_than' && !isOver
  const mean = forSeconds > 0 && !metric.startsWith('certificate') ? ` mean over ${spanOf(forSeconds)}` : ''
  const subject = isSlow ? `${name} is slow:` : `${name}: ${mount === undefined ? text.label : `${mount} is`}`
  const full = mount === undefined ? '' : ' full'
  return `${subject} ${text.format(value)}${full}${mean} (${THRESHOLDS[operator]} ${text.format(bound as number)})`
}

/** `16:55 UTC`, with the date before it where that is not today. Pure. */
export function clockTime(atMs: number, nowMs: number): string {
  const [at, now] = [toTimestamp(atMs), toTimestamp(nowMs)]
  const [day, time] = [at.slice(0, 10), `${at.slice(11, 16)} UTC`]
  return day === now.slice(0, 10) ? time : `${day} ${time}`
}

/** `90 s`, `10 min`, `6 h`. */
export function spanOf(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

function formatMs(ms: number): string {
  return ms < 1_000 ? `${round(ms, ms < 100 ? 1 : 0)} ms` : `${round(ms / 1_000, 2)} s`
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
