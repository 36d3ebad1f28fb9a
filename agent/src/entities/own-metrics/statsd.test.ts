import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { StatsdMetrics } from './statsd.ts'

function taken(lines: string[], { maximum = 500, elapsedMs = 10_000 } = {}) {
  const metrics = new StatsdMetrics(maximum, () => 0.999)
  for (const line of lines) metrics.add(line)
  const { series, ...counts } = metrics.take(elapsedMs)
  return { metrics, counts, values: Object.fromEntries(series.map(({ name, value }) => [name, value])) }
}

test('counters become a rate, also sampled ones, and start at 0 after each reading', () => {
  const { metrics, values } = taken(['page.views:1|c\npage.views:3|c|@0.1', 'down:-2|c'])
  expect(values).toEqual({ page_views_per_second: 3.1, down_per_second: -0.2 })
  expect(metrics.take(10_000).series).toEqual([])
})

test('a gauge is set or changed, and keeps its value', () => {
  const { metrics, values } = taken(['queue:10|g', 'queue:+4|g', 'queue:-1.5|g'])
  expect(values).toEqual({ queue: 12.5 })
  expect(metrics.take(10_000).series).toMatchObject([{ name: 'queue', value: 12.5, type: 'gauge' }])
})

test('timers, histograms and distributions have mean, maximum and 95th percentile', () => {
  const { values } = taken([...Array.from({ length: 100 }, (_, index) => `t:${index + 1}|ms`), 'h:1:2:6|h', 'd:4|d'])
  expect(values).toMatchObject({ t_mean: 50.5, t_max: 100, t_p95: 95, h_mean: 3, h_max: 6, d_p95: 4 })
})

test('rate, tags and what others add stand in any order', () => {
  for (const rest of ['|@0.5|#a:b', '|#a:b|@0.5', '|c:ci-7|#a:b|T1656581400|@0.5|e:it-false'])
    expect(taken([`foo:1|c${rest}`]).values).toEqual({ 'foo_per_second{a="b"}': 0.2 })
  expect(taken(['foo:1|c|what|@0.5']).counts.invalid).toBe(1)
})

/** Bytes that are in use: what nobody refers to is collected first. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}

test('what is kept has a bound, however long the datagrams are', () => {
  const metrics = new StatsdMetrics(500, () => 0)
  const before = heapBytes()
  for (let index = 0; index < 2_000; index++) metrics.add(`users:${index}${'x'.repeat(20_000)}|s`)
  for (let set = 0; set < 40; set++) for (let index = 0; index < 2_000; index++) metrics.add(`set${set}:${index}|s`)
  // 40 MB of datagrams: a part of one keeps it whole.
  expect(heapBytes() - before).toBeLessThan(20e6)
  const values = metrics.take(10_000).series.map(({ value }) => value)
  expect(values[0]).toBe(2_000)
  expect(values.reduce((sum, value) => sum + value, 0)).toBe(65_536)
  metrics.add('users:again|s')
  expect(metrics.take(10_000).series).toMatchObject([{ name: 'users', value: 1 }])
})

test('a set counts its different members', () => {
  expect(taken(['users:ann|s', 'users:bob|s', 'users:ann|s']).values).toEqual({ users: 2 })
})

test('tags become labels, and each combination is a series', () => {
  const { values } = taken(['req:1|c|#env:prod,node:a', 'req:1|c|#node:a,env:prod', 'req:5|c|#canary', '9lives-x:1|g|#a-b:c:"d"'])
  expect(values).toEqual({
    'req_per_second{env="prod",node="a"}': 0.2,
    'req_per_second{canary="true"}': 0.5,
    '_9lives_x{a_b="c:\\"d\\""}': 1,
  })
})

test('what is no StatsD is counted, and new metrics above the bound are', () => {
  const bad = ['x', 'x:1', 'x:1|q', 'x:one|c', 'x:1|c|@0', 'x:1|c|@2', ':1|c', `${'x'.repeat(300)}:1|c`, '_e{1,1}:a|b']
  expect(taken(bad)).toMatchObject({ values: {}, counts: { invalid: bad.length, dropped: 0 } })
  const { values, counts } = taken(['a:1|g', 'b:1|g', 'c:1|g', 'a:2|g'], { maximum: 2 })
  expect([values, counts]).toEqual([
    { a: 2, b: 1 },
    { dropped: 1, invalid: 0 },
  ])
})

test('many timings are kept as a sample of them, and mean and maximum are of all', () => {
  const { values } = taken(Array.from({ length: 2_000 }, (_, index) => `t:${index}|ms`))
  expect(values).toMatchObject({ t_mean: 999.5, t_max: 1_999 })
})
