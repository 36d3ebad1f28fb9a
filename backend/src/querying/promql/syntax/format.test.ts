import { expect, test } from 'vitest'
import { formatQuery } from './format.ts'
import { parseQuery } from './tree-json.ts'

test.each([
  ['sum( rate(a{ b = "c" }[5m] ) )by(d)', 'sum by (d) (rate(a{b="c"}[5m]))'],
  ['a+on(b)group_left(c)d', 'a + on (b) group_left (c) d'],
  ['a==bool 1', 'a == bool 1'],
  ['a offset 90s @ 1.5', 'a @ 1.500 offset 1m30s'],
  ['a[1w2d:5m] offset -1h', 'a[9d:5m] offset -1h'],
  ['rate(a[5m*2])', 'rate(a[5m * 2])'],
  ['a + b offset 5m * c', 'a + b offset 5m * c'],
  ['1. / 2.', '1 / 2'],
  ['a{b="1. x"}', 'a{b="1. x"}'],
  ['-a^2', '-a ^ 2'],
  ['{"my.metric", "x.y"="z"}', '{"x.y"="z",__name__="my.metric"}'],
  ['-1e3', '-1000'],
])('%s is formatted as %s', (expression, formatted) => {
  expect(formatQuery(expression)).toBe(formatted)
  expect(formatQuery(formatted)).toBe(formatted)
})

test('a long expression is broken into lines', () => {
  const selector = `requests_total{handler="/a/long/path/of/a/handler",host="some-host",job="api"}`
  expect(formatQuery(`sum by (job) (${selector}) / max(${selector})`)).toBe(`  sum by (job) (${selector})\n/\n  max(${selector})`)
  expect(formatQuery(`topk(5, abs(${selector} + ${selector}))`)).toBe(
    `topk(\n  5,\n  abs(\n      ${selector}\n    +\n      ${selector}\n  )\n)`,
  )
})

test('a tree has the form of Prometheus', () => {
  expect(parseQuery('a{b!="c"} @ end() > 1')).toEqual({
    type: 'binaryExpr',
    op: '>',
    lhs: {
      type: 'vectorSelector',
      name: 'a',
      matchers: [
        { name: 'b', value: 'c', type: '!=' },
        { name: '__name__', value: 'a', type: '=' },
      ],
      offset: 0,
      timestamp: null,
      startOrEnd: 'end',
    },
    rhs: { type: 'numberLiteral', val: '1' },
    matching: null,
    bool: false,
  })
  expect(parseQuery('rate(a[5m])')).toMatchObject({
    type: 'call',
    func: { name: 'rate', argTypes: ['matrix'], variadic: 0, returnType: 'vector' },
    args: [{ type: 'matrixSelector', range: 300_000 }],
  })
})
