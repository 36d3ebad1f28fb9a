import { DAY_MS } from '@vedette/shared/tables'
import { expect, test } from 'vitest'
import { burnDown, type CountedMonitor, eaters, toCounted, usedUpAt } from './burn-down.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const FIRST = Date.parse('2026-11-17T00:00:00Z')
const WINDOW = { from: '2026-11-17T00:00:00.000Z', to: '2026-11-20T12:00:00.000Z', budget_left_percent: 20 }

const monitor = (name: string, weight: number, ...days: (number | null)[]): CountedMonitor => ({
  id: name,
  name,
  weight,
  fromMs: FIRST - DAY_MS,
  days: [0, ...days],
})

test('the course ends at the exact budget and falls with the bad days of the window', () => {
  const monitors = [monitor('one', 1, 100, 0, 100, null), monitor('two', 3, 100, 100, 100, 0)]
  expect(burnDown(WINDOW, monitors, NOW)).toEqual({ from: FIRST, values: [100, 80, 80, 20] })
})

test.each([
  [
    'a whole budget stays whole',
    { ...WINDOW, budget_left_percent: 100 },
    [monitor('one', 1, 100, 100, 100, 100)],
    [100, 100, 100, 100],
  ],
  [
    'an exceeded one goes below zero',
    { ...WINDOW, budget_left_percent: -100 },
    [monitor('one', 1, 0, 100, 100, 0)],
    [0, 0, 0, -100],
  ],
  ['nothing bad on any day says nothing of a used budget', WINDOW, [monitor('one', 1, 100, 100, 100, 100)], undefined],
  ['without checks there is no course', { ...WINDOW, budget_left_percent: null }, [], undefined],
  [
    'a calendar window ends today',
    { ...WINDOW, to: '2026-12-01T00:00:00.000Z', budget_left_percent: 50 },
    [monitor('one', 1, 0, 100, 100, 100)],
    [50, 50, 50, 50],
  ],
] as const)('%s', (_title, window, monitors, values) => {
  expect(burnDown(window, monitors, NOW)?.values).toEqual(values)
})

test('the monitors are named by what they ate, the worst first', () => {
  const monitors = [
    monitor('b', 1, 100, 50, 100, 100),
    monitor('a', 1, 100, 50, 100, 100),
    monitor('c', 4, 100, 50, 100, 100),
    monitor('d', 1, 100, 100),
  ]
  expect(eaters(WINDOW, monitors, NOW).map(({ name, percent }) => [name, Math.round(percent)])).toEqual([
    ['c', 67],
    ['a', 17],
    ['b', 17],
  ])
  expect(eaters(WINDOW, monitors, NOW, 1)).toHaveLength(1)
})

const slo = (left: number | null, rate: number | null) => ({
  status: {
    from: new Date(NOW - 30 * DAY_MS).toISOString(),
    to: new Date(NOW).toISOString(),
    budget_left_percent: left,
    burn_rates: [
      { window: '1h', burn_rate: 99, total: 1, too_few_checks: false },
      { window: '3d', burn_rate: rate, total: 1, too_few_checks: false },
    ],
  },
})

test.each([
  [50, 5, 3],
  [100, 30, 1],
  [50, 0.5, undefined],
  [50, 0, undefined],
  [0, 5, undefined],
  [-10, 5, undefined],
  [null, 5, undefined],
  [50, null, undefined],
])('%s %% at a rate of %s is used up after %s days', (left, rate, days) => {
  const at = usedUpAt(slo(left, rate) as Parameters<typeof usedUpAt>[0], NOW)
  expect(at).toBe(days === undefined ? undefined : NOW + days * DAY_MS)
})

test('monitors count by their checks, and composites, which have none, only among themselves', () => {
  const uptime = { from: '2026-11-17T00:00:00.000Z', step_seconds: 86_400, uptime_percent: [100] }
  const checked = { id: 'a', name: 'a', interval: 30, regions: ['eu-1', 'local', 'us-1'], uptime } as never
  const [one, other] = ['b', 'c'].map((id) => ({ id, name: id, uptime }) as never) as [never, never]
  const weights = (...monitors: never[]) => toCounted(monitors).map(({ id, weight }) => [id, weight])
  expect(weights(checked, one)).toEqual([['a', 0.1]])
  expect(weights(one, other)).toEqual([
    ['b', 1],
    ['c', 1],
  ])
})
