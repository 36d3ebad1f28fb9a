import type { AlertRule, MaintenanceWindow } from '@vedette/shared'
import { expect, it } from 'vitest'
import { statusBands, thresholdsOf, windowBands } from './chart-notes.ts'

const MINUTE = 60_000
const at = (minutes: number) => new Date(minutes * MINUTE).toISOString()
const RANGE = { from: 0, to: 100 * MINUTE }
const spans = (bands: readonly { from: number; to: number; tone: string }[]) =>
  bands.map(({ from, to, tone }) => [from / MINUTE, to / MINUTE, tone])

it('a status lasts from its transition to the next, and before the first one as what that one ended', () => {
  const current = { status: 'up', status_since: at(60) }
  const transitions = [
    { at: at(60), from_status: 'degraded', to_status: 'up' },
    { at: at(40), from_status: 'down', to_status: 'degraded' },
    { at: at(10), from_status: 'paused', to_status: 'down' },
  ]
  expect(spans(statusBands(transitions, current, RANGE))).toEqual([
    [40, 60, 'warn'],
    [10, 40, 'bad'],
    [0, 10, 'idle'],
  ])
})

it('without a transition in the range the present status counts from when it began', () => {
  expect(spans(statusBands([], { status: 'down', status_since: at(-5) }, RANGE))).toEqual([[0, 100, 'bad']])
  expect(statusBands([], { status: 'down', status_since: at(200) }, RANGE)).toEqual([])
  expect(statusBands([], { status: 'up', status_since: at(-5) }, RANGE)).toEqual([])
})

it('a window is drawn where it applies, at its first and its current occurrence', () => {
  const subject = { type: 'monitor', id: 'mon_1', tags: ['web'] } as const
  const window = (target: object, under_way_until: string | null = null) =>
    ({
      name: 'w',
      target: { type: 'monitor', id: null, tag: null, ...target },
      starts_at: at(0),
      ends_at: at(10),
      under_way_until,
    }) as MaintenanceWindow
  const drawn = (...windows: MaintenanceWindow[]) => spans(windowBands(windows, subject))
  expect(drawn(window({ id: 'mon_1' }))).toEqual([[0, 10, 'idle']])
  expect(drawn(window({ tag: 'web' }, at(90)))).toEqual([
    [0, 10, 'idle'],
    [80, 90, 'idle'],
  ])
  expect(drawn(window({ id: 'mon_2' }), window({ tag: 'db' }), window({ type: 'server' }))).toEqual([])
})

it('thresholds are those of enabled rules for the metric that apply', () => {
  const subject = { type: 'server', id: 'srv_1', tags: [] } as const
  const rule = (metric: string, value: number | string, enabled = true) =>
    ({ enabled, target: { type: 'server', id: null, tag: null }, condition: { metric, value } }) as AlertRule
  const rules = [rule('cpu.percent', 90), rule('cpu.percent', 80, false), rule('status', 'offline'), rule('memory.percent', 70)]
  expect(thresholdsOf(rules, subject, 'cpu.percent')).toEqual([90])
  expect(thresholdsOf(rules, subject, 'status')).toEqual([])
})
