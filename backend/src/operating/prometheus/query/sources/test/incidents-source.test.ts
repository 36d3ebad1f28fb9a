import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AlertFixture, createAlertFixture } from '../../../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../../../test/harness.ts'
import { incidentsSource, openSteps } from '../incidents-source.ts'
import { instant, named, scopeOf, valueAt } from './queries.ts'

const MINUTE = 60_000
const OPEN = 'vedette_incident_open'
const source = incidentsSource()

let backend: TestBackend
let organization: TestOrganization
let as: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  as = await backend.apiKey(organization, 'admin')
})
afterAll(() => backend.close())

const pass = (minutes: number) => backend.clock.advance(minutes * MINUTE)
const read = (rangeMs?: number) => {
  const { scope } = scopeOf(backend, organization)
  return source.read(scope, { ...instant(scope.nowMs, named(OPEN)), fromMs: scope.nowMs - 60 * MINUTE, rangeMs })
}

it('a rule has as many incidents as are open at an instant, from its first one on', async () => {
  const shop: AlertFixture = await createAlertFixture(backend, organization, as, { name: 'Shop is down' })
  const first = await shop.open()
  pass(10)
  const second = await shop.open()
  await shop.acknowledge(second)
  pass(10)
  await shop.resolve(first)
  pass(10)
  await shop.resolve(second)
  await shop.open({ severity: 'warning' })
  pass(10)
  const { series } = await read()
  expect(series.map(({ labels }) => labels)).toEqual([
    { __name__: OPEN, rule: 'Shop is down', severity: 'critical' },
    { __name__: OPEN, rule: 'Shop is down', severity: 'warning' },
  ])
  const nowMs = backend.clock.now()
  const at = (index: number) =>
    [41, 40, 30, 20, 10, 0].map((ago) => series[index] && valueAt(series[index], nowMs - ago * MINUTE))
  expect(at(0)).toEqual([undefined, 1, 2, 1, 0, 0])
  expect(at(1)).toEqual([undefined, undefined, undefined, undefined, 1, 1])
  const range = (await read(30 * MINUTE)).series[0]
  expect([range?.atMs.length, (range?.atMs[1] ?? 0) - (range?.atMs[0] ?? 0)]).toEqual([40, MINUTE])
  // An hour later the resolved ones are past, and the open one is not.
  pass(61)
  expect((await read()).series.map(({ labels }) => labels['severity'])).toEqual(['warning'])
})

it('a rule that is deleted keeps its name, and another organization has no series', async () => {
  const fixture = await createAlertFixture(backend, organization, as, { name: 'Gone' })
  await fixture.open()
  pass(1)
  await fixture.call('DELETE', `/v1/alert-rules/${fixture.ruleId}`)
  pass(1)
  const { scope } = scopeOf(backend, organization)
  const wanted = instant(scope.nowMs, named(OPEN), { label: 'rule', op: '=', value: 'Gone' })
  expect(await source.list(scope, wanted)).toEqual([{ __name__: OPEN, rule: 'Gone', severity: 'critical' }])
  const [gone] = (await source.read(scope, wanted)).series
  expect(gone && [valueAt(gone, scope.nowMs - MINUTE - 1), valueAt(gone, scope.nowMs)]).toEqual([1, 0])
  const other = scopeOf(backend, await backend.organization('Unrelated')).scope
  expect(await source.list(other, instant(other.nowMs, named(OPEN)))).toEqual([])
})

it('two rules of one name and severity are counted together', async () => {
  for (const _ of [1, 2]) await (await createAlertFixture(backend, organization, as, { name: 'Twice' })).open()
  const { series } = await read()
  const twice = series.filter(({ labels }) => labels['rule'] === 'Twice')
  expect(twice.map((one) => valueAt(one, backend.clock.now()))).toEqual([2])
})

it.each([
  ['none', [], []],
  ['one that is open', [[5, null]], [[5, 1]]],
  [
    'one that another follows at its end',
    [
      [5, 9],
      [9, null],
    ],
    [
      [5, 1],
      [9, 1],
    ],
  ],
  [
    'several at once',
    [
      [5, 9],
      [6, 7],
      [6, null],
    ],
    [
      [5, 1],
      [6, 3],
      [7, 2],
      [9, 1],
    ],
  ],
  ['one that was never open', [[5, 5]], [[5, 0]]],
])('open incidents of %s', (_, spans, steps) => {
  const given = spans.map(([openedAtMs, resolvedAtMs]) => ({
    openedAtMs: openedAtMs as number,
    resolvedAtMs: resolvedAtMs ?? null,
  }))
  expect(openSteps(given)).toEqual(steps.map(([atMs, value]) => ({ atMs, value })))
})
