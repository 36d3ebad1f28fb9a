import type { AlertRule, MaintenanceWindow } from '@vedette/shared'
import { describe, expect, it } from 'vitest'
import { annotationMarks, gapBands, statusBands, thresholdsOf, windowBands } from './chart-notes.ts'

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

it('a window is drawn where it applies; one with a rule of its own at its first and its current occurrence', () => {
  const subject = { type: 'monitor', id: 'mon_1', tags: ['web'] } as const
  const window = (target: object, under_way_until: string | null = null) =>
    ({
      name: 'w',
      target: { type: 'monitor', id: null, tag: null, ...target },
      starts_at: at(0),
      ends_at: at(10),
      under_way_until,
      repeat: under_way_until === null ? null : 'FREQ=HOURLY',
      time_zone: 'UTC',
    }) as MaintenanceWindow
  const drawn = (...windows: MaintenanceWindow[]) => spans(windowBands(windows, subject, RANGE))
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

describe('a window that repeats', () => {
  const subject = { type: 'monitor', id: 'mon_1', tags: [] } as const
  const starts = (repeat: string, from: string, to: string) =>
    windowBands(
      [
        {
          name: 'w',
          target: { type: 'monitor', id: null, tag: null },
          // Sunday 02:30 in Berlin, a week before the clocks go forward.
          starts_at: '2026-03-22T01:30:00.000Z',
          ends_at: '2026-03-22T03:30:00.000Z',
          under_way_until: null,
          repeat,
          time_zone: 'Europe/Berlin',
        } as MaintenanceWindow,
      ],
      subject,
      { from: Date.parse(from), to: Date.parse(to) },
    ).map((band) => new Date(band.from).toISOString().slice(0, 16))

  it('has each occurrence of the range at its local time, none that a change of the clocks skips', () => {
    expect(starts('FREQ=DAILY', '2026-03-27T00:00Z', '2026-03-31T00:00Z')).toEqual([
      '2026-03-27T01:30',
      '2026-03-28T01:30',
      '2026-03-30T00:30',
    ])
    expect(starts('FREQ=WEEKLY', '2026-03-20T00:00Z', '2026-04-06T00:00Z')).toEqual(['2026-03-22T01:30', '2026-04-05T00:30'])
    expect(starts('FREQ=WEEKLY;BYDAY=MO,WE', '2026-03-30T00:00Z', '2026-04-02T00:00Z')).toEqual([
      '2026-03-30T00:30',
      '2026-04-01T00:30',
    ])
    expect(starts('FREQ=MONTHLY;BYMONTHDAY=22', '2026-03-01T00:00Z', '2026-05-30T00:00Z')).toEqual([
      '2026-03-22T01:30',
      '2026-04-22T00:30',
      '2026-05-22T00:30',
    ])
  })

  it('is drawn at its first occurrence alone where it has more than 100', () => {
    expect(starts('FREQ=DAILY', '2026-03-01T00:00Z', '2027-04-01T00:00Z')).toEqual(['2026-03-22T01:30'])
  })

  it('has one that began before the range, and none before its first', () => {
    expect(starts('FREQ=DAILY', '2026-03-24T02:00Z', '2026-03-24T03:00Z')).toEqual(['2026-03-24T01:30'])
    expect(starts('FREQ=DAILY', '2026-03-01T00:00Z', '2026-03-22T00:00Z')).toEqual([])
  })
})

it('a gap is longer than usual, begins after the first sample, and lasts until now', () => {
  const minute = 60
  const values = [null, null, 1, 2, 3, null, 4, null, null, null, null, null, 5, null, null, null, null, null, null]
  const gaps = gapBands(values, 0, minute, 17 * 60_000)
  expect(gaps.map(({ from, to }) => [from / 60_000, to / 60_000])).toEqual([
    [7, 12],
    [13, 17],
  ])
  expect(gapBands([1, 2, 3], 0, minute, 3 * 60_000)).toEqual([])
  expect(gapBands([null, null], 0, minute, 120_000)).toEqual([])
})

describe('an annotation marks the charts', () => {
  const subject = { type: 'monitor', id: 'mon_1', tags: ['web'] } as const
  const annotation = {
    id: 'ann_1',
    at: at(5),
    text: 'Deployed',
    tags: [],
    server_id: null,
    monitor_id: null,
    url: null,
    created_at: at(5),
  }
  it.each([
    ['of everything, without tags', {}, true],
    ['of everything with one of its tags', { tags: ['db', 'web'] }, true],
    ['of nothing without its tags', { tags: ['db'] }, false],
    ['of its own monitor, whatever its tags are', { monitor_id: 'mon_1', tags: ['db'] }, true],
    ['not of another monitor', { monitor_id: 'mon_2', tags: ['web'] }, false],
    ['not of a monitor, where it is that of a server', { server_id: 'srv_1', tags: ['web'] }, false],
  ])('%s', (_, own, isMarked) => {
    const marks = annotationMarks([{ ...annotation, ...own }], subject)
    expect(marks).toEqual(isMarked ? [{ at: 5 * MINUTE, label: 'Deployed' }] : [])
  })
})
