import { expect, it } from 'vitest'
import { clockTime, summaryOf } from './summary.ts'

const rule = (metric: string, value: number, own: object = {}) =>
  ({ metric, operator: 'greater_than', value, for_seconds: 0, ...own }) as const

it.each<[string, Parameters<typeof summaryOf>[1], number, Parameters<typeof summaryOf>[3]]>([
  [
    'Login is slow: 1.41 s mean over 2 min (threshold 500 ms)',
    rule('response_ms', 500, { for_seconds: 120 }),
    1413.13,
    { isOver: false },
  ],
  ['Login: response time 12.3 ms (threshold 500 ms)', rule('response_ms', 500), 12.34, { isOver: true }],
  [
    'Login: certificate expires in 6.9 days (threshold: below 14 days)',
    rule('certificate_days', 14, { operator: 'less_than', for_seconds: 60 }),
    6.94,
    { isOver: false },
  ],
  [
    'Login: memory 96.5 % mean over 10 min (threshold 95 %)',
    rule('memory.percent', 95, { for_seconds: 600 }),
    96.53,
    { isOver: false },
  ],
  ['Login: /srv is 93 % full (threshold 90 %)', rule('filesystem.percent', 90), 93, { mount: '/srv', isOver: false }],
  [
    'Login: cpu.iowait_percent 40 % (threshold: equal to 40 %)',
    rule('cpu.iowait_percent', 40, { operator: 'equals' }),
    40,
    { isOver: false },
  ],
  ['Login: cpu.load_1 8.12 (threshold 8)', rule('cpu.load_1', 8), 8.123, { isOver: false }],
])('%s', (expected, of, value, options) => expect(summaryOf('Login', of, value, options)).toBe(expected))

it('a time of another day has its date', () => {
  const at = Date.parse('2026-11-22T16:55:48.510Z')
  expect([clockTime(at, at + 3_600_000), clockTime(at, at + 86_400_000)]).toEqual(['16:55 UTC', '2026-11-22 16:55 UTC'])
})
