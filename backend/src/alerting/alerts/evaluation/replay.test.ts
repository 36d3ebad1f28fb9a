import { describe, expect, it } from 'vitest'
import { type DatedRule, replayStatuses, type StatusStep } from './replay.ts'

const NOW = 1_000_000
const rule = (forSeconds: number, saysSinceMs = 0): DatedRule => ({
  operator: 'equals',
  value: 'down',
  clear_value: null,
  for_seconds: forSeconds,
  defined_at: new Date(saysSinceMs),
})
/** `down@5`: down from five seconds before now. */
const steps = (text: string): StatusStep[] =>
  text.split(' ').map((step) => {
    const [status, seconds] = step.split('@') as [StatusStep['status'], string]
    return { status, reason: '', atMs: NOW - Number(seconds) * 1000 }
  })
const replay = (given: DatedRule, isOpen: boolean, text: string): string => {
  const { results, nextEvaluationMs } = replayStatuses(given, isOpen, steps(text), NOW)
  const parts = results.map(({ result, atMs }) => `${result}@${(NOW - atMs) / 1000}`)
  return [...parts, ...(nextEvaluationMs === undefined ? [] : [`again in ${(nextEvaluationMs - NOW) / 1000}`])].join(' ')
}

describe('the statuses of a monitor', () => {
  it.each([
    ['open at once', rule(0), false, 'down@5', 'opened@5'],
    ['open once', rule(0), true, 'down@5', ''],
    ['resolve', rule(0), true, 'up@5', 'resolved@5'],
    ['resolve by another bad one too', rule(0), true, 'degraded@5', 'resolved@5'],
    ['are evaluated in their order', rule(0), false, 'down@9 up@7 down@5', 'opened@9 resolved@7 opened@5'],
    ['wait for the duration [ALERT-06]', rule(60), false, 'down@5', 'again in 55'],
    ['have waited for long enough [ALERT-06]', rule(60), false, 'down@60', 'opened@0'],
    ['have waited while nobody looked', rule(60), false, 'down@200 up@100', 'opened@140 resolved@100'],
    ['have not waited long enough while nobody looked', rule(60), false, 'down@150 up@100', ''],
    ['restart the duration after each change', rule(60), false, 'down@150 up@100 down@50', 'again in 10'],
    ['open a rule that came later when it came', rule(60, NOW - 20_000), false, 'down@300', 'opened@20'],
    ['open no rule that came when they were over', rule(0, NOW - 20_000), false, 'down@300 up@30', ''],
    ['open now by a clock that is ahead', rule(0), false, 'down@-3600', 'opened@0'],
    ['keep their distances by a clock that is ahead', rule(0), false, 'down@-3600 up@-3610', 'opened@10 resolved@0'],
    ['wait no longer than the duration by a clock that is ahead', rule(60), false, 'down@-3600', 'again in 60'],
    ['open a rule that came by a clock that is ahead', rule(0, NOW + 3_600_000), false, 'down@5', 'opened@0'],
    ['say nothing new', rule(0), false, 'up@5', ''],
  ] as const)('%s', (_, given, isOpen, text, expected) => expect(replay(given, isOpen, text)).toBe(expected))
})
