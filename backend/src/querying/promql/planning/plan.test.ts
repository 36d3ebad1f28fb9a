import { expect, test } from 'vitest'
import { planQuery } from './plan.ts'

const HOUR_MS = 3_600_000
const window = { startMs: 10 * HOUR_MS, endMs: 11 * HOUR_MS, stepMs: 60_000, lookbackMs: 300_000 }
const plan = (expression: string) => planQuery(expression, window)
const minutes = (expression: string) =>
  plan(expression).selections.map(({ fromMs, toMs }) => [fromMs - window.startMs, toMs - window.endMs].map((ms) => ms / 60_000))

test.each([
  ['a', [[-5, 0]]],
  ['a offset 5m', [[-10, -5]]],
  ['a offset -5m', [[0, 5]]],
  [
    'a + b offset 5m',
    [
      [-5, 0],
      [-10, -5],
    ],
  ],
  ['-a offset 5m', [[-10, -5]]],
  ['rate(a[5m * 2])', [[-10, 0]]],
  ['a @ start()', [[-5, -60]]],
  ['a @ end() offset 1m', [[54, -1]]],
  ['max_over_time(rate(a[5m])[30m:1m])', [[-34, 0]]],
])('%s reads minutes %j around the window', (expression, expected) => {
  expect(minutes(expression)).toEqual(expected)
})

test('a selection names its matchers, function and grouping', () => {
  expect(plan('sum by (tag) (rate(cpu{host=~"a.*"}[5m]))').selections).toMatchObject([
    {
      id: 0,
      matchers: [
        { label: 'host', op: '=~', value: 'a.*' },
        { label: '__name__', op: '=', value: 'cpu' },
      ],
      func: 'rate',
      rangeMs: 300_000,
    },
  ])
  expect(plan('sum by (tag) (cpu)').selections).toMatchObject([{ func: 'sum', grouping: { labels: ['tag'], without: false } }])
})

test.each([
  ['', '1:1: parse error: no expression found in input'],
  ['a +', '1:4: parse error: unexpected end of input'],
  ['foo(a)', '1:1: parse error: unknown function with name "foo"'],
  ['rate(a)', '1:6: parse error: expected type range vector in call to function "rate", got instant vector'],
  ['{a=~".*"}', '1:1: parse error: vector selector must contain at least one non-empty matcher'],
  ['1 > 2', '1:1: parse error: comparisons between scalars must use BOOL modifier'],
  ['info(a)', '1:1: parse error: info() is not supported: it is an experimental function of Prometheus'],
  ['a[5m]', 'invalid expression type "range vector" for range query, must be Scalar or instant Vector'],
  ['a{b=~"("}', '1:1: parse error: "(" is not a regular expression of RE2, or too large'],
  ['a{b=~`(?i)[Ā-\u{10ffff}]`}', '1:1: parse error: "(?i)[Ā-\u{10ffff}]" is not a regular expression of RE2, or too large'],
])('%s is refused', (expression, message) => {
  expect(() => plan(expression)).toThrow(expect.objectContaining({ kind: 'bad_data', message }))
})
