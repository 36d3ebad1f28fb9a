import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dutiesOf, gapsIn, shiftsIn } from './rota.ts'
import type { StoredRota } from './store.ts'

type Layer = StoredRota['layers'][number]

const ms = (text: string) => Date.parse(text.length === 16 ? `${text}Z` : text)
const iso = (atMs: number) => new Date(atMs).toISOString().slice(0, 16)
const everybody = () => true
const layer = (userIds: Layer['user_ids'], more: Partial<Layer> = {}): Layer => ({
  user_ids: userIds,
  starts_at: ms('2026-09-28T07:00'),
  repeat: null,
  restrictions: [],
  ...more,
})
const range = (from: string, to: string) => ({ fromMs: ms(from), toMs: ms(to) })
const override = (userId: string, from: string, to: string) => ({ user_id: userId, starts_at: ms(from), ends_at: ms(to) })
const rota = (layers: Layer[], overrides: StoredRota['overrides'] = []) => ({
  time_zone: 'Europe/Berlin',
  rota: { layers, overrides },
})
const linesOf = (shifts: ReturnType<typeof shiftsIn>) =>
  shifts.map(({ fromMs, toMs, userId, layer: index }) => `${iso(fromMs)} ${iso(toMs)} ${userId} ${index ?? 'override'}`)

const WORKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR'] as const
const THREE_LAYERS = rota(
  [
    layer(['ada', 'ben', 'cem'], { repeat: 'FREQ=WEEKLY;BYDAY=MO' }),
    layer(['dee', 'eli'], { repeat: 'FREQ=DAILY', restrictions: [{ days: [...WORKDAYS], from: '09:00', to: '17:00' }] }),
    layer(['fay'], { restrictions: [{ days: ['SA', 'SU'], from: '22:00', to: '06:00' }] }),
  ],
  [override('ben', '2026-10-14T18:00', '2026-10-14T20:00')],
)

describe('the shifts of a schedule', () => {
  // rota.txt was made without this program: each quarter of an hour looked up by the local time of Python's zoneinfo.
  const [autumn = [], spring = []] = readFileSync(join(import.meta.dirname, 'test/rota.txt'), 'utf8')
    .trim()
    .split('\n\n')
    .map((part) => part.split('\n'))
  it.each([
    ['October 2026', range('2026-10-01T00:00', '2026-11-01T00:00'), autumn],
    ['three weeks of spring 2027', range('2027-03-15T00:00', '2027-04-05T00:00'), spring],
  ])('of three layers over a change of the clock, %s, are those of the table', (_name, span, table) => {
    expect(table.length).toBeGreaterThan(40)
    expect(linesOf(shiftsIn(THREE_LAYERS, span, everybody))).toEqual(table)
  })

  it('are the same in one range as in many short ones [DUTY-12]', () => {
    const whole = range('2026-10-20T00:00', '2026-10-30T00:00')
    const shifts = shiftsIn(THREE_LAYERS, whole, everybody)
    for (let fromMs = whole.fromMs; fromMs < whole.toMs; fromMs += 45 * 60_000) {
      const at = { fromMs, toMs: fromMs + 1 }
      const shift = shifts.find((one) => one.fromMs <= fromMs && one.toMs > fromMs)
      expect(shiftsIn(THREE_LAYERS, at, everybody)).toEqual([{ ...shift, ...at }])
    }
  })

  it('leave a gap before the first layer, and outside of its hours [DUTY-13]', () => {
    const restrictions = [{ days: ['MO' as const], from: '09:00', to: '10:00' }]
    const span = range('2026-09-27T00:00', '2026-09-29T00:00')
    const shifts = shiftsIn(rota([layer(['ada'], { restrictions })]), span, everybody)
    expect(linesOf(shifts)).toEqual(['2026-09-28T07:00 2026-09-28T08:00 ada 0'])
    expect(gapsIn(shifts, span).map(({ fromMs, toMs }) => [iso(fromMs), iso(toMs)])).toEqual([
      ['2026-09-27T00:00', '2026-09-28T07:00'],
      ['2026-09-28T08:00', '2026-09-29T00:00'],
    ])
  })

  it('of somebody who has left are those of the layer below, and the turns of the others stay [DUTY-14]', () => {
    const layers = [layer(['ada']), layer(['ben', 'cem'], { repeat: 'FREQ=DAILY' })]
    const shifts = shiftsIn(rota(layers), range('2026-09-28T07:00', '2026-10-01T07:00'), (userId) => userId !== 'ben')
    expect(linesOf(shifts)).toEqual([
      '2026-09-28T07:00 2026-09-29T07:00 ada 0',
      '2026-09-29T07:00 2026-09-30T07:00 cem 1',
      '2026-09-30T07:00 2026-10-01T07:00 ada 0',
    ])
  })

  it('of two overrides at the same time are those of the later one [DUTY-15]', () => {
    const overrides = [
      override('ben', '2026-10-01T00:00', '2026-10-01T02:00'),
      override('cem', '2026-10-01T00:00', '2026-10-01T01:00'),
    ]
    const shifts = shiftsIn(rota([], overrides), range('2026-10-01T00:00', '2026-10-02T00:00'), everybody)
    expect(linesOf(shifts)).toEqual([
      '2026-10-01T00:00 2026-10-01T01:00 cem override',
      '2026-10-01T01:00 2026-10-01T02:00 ben override',
    ])
  })

  it('have no handover at a local time that daylight saving skips: the person stays another day [DUTY-16]', () => {
    const daily = layer(['ada', 'ben'], { starts_at: ms('2027-03-27T01:30'), repeat: 'FREQ=DAILY' })
    expect(linesOf(shiftsIn(rota([daily]), range('2027-03-27T00:00', '2027-03-30T00:00'), everybody))).toEqual([
      '2027-03-27T01:30 2027-03-29T00:30 ada 0',
      '2027-03-29T00:30 2027-03-30T00:00 ben 0',
    ])
  })

  it('have no time for hours that daylight saving leaves nothing of [DUTY-17]', () => {
    const restrictions = [{ days: ['SU' as const], from: '02:30', to: '03:15' }]
    const span = range('2027-03-21T00:00', '2027-04-05T00:00')
    const shifts = shiftsIn(rota([layer(['ada'], { restrictions })]), span, everybody)
    expect(linesOf(shifts)).toEqual(['2027-03-21T01:30 2027-03-21T02:15 ada 0', '2027-04-04T00:30 2027-04-04T01:15 ada 0'])
    expect(gapsIn(shifts, span)).toHaveLength(3)
  })

  it('by the hour count elapsed time over a change of the clock [DUTY-19]', () => {
    const hourly = layer(['ada', 'ben'], { starts_at: ms('2027-03-27T08:00'), repeat: 'FREQ=HOURLY;INTERVAL=12' })
    expect(linesOf(shiftsIn(rota([hourly]), range('2027-03-28T00:00', '2027-03-29T00:00'), everybody))).toEqual([
      '2027-03-28T00:00 2027-03-28T08:00 ben 0',
      '2027-03-28T08:00 2027-03-28T20:00 ada 0',
      '2027-03-28T20:00 2027-03-29T00:00 ben 0',
    ])
    expect(shiftsIn(rota([hourly]), range('2027-03-27T00:00', '2027-03-27T08:00'), everybody)).toEqual([])
    const [first] = shiftsIn(rota([hourly]), range('2027-03-27T00:00', '2027-03-27T21:00'), everybody)
    expect(first).toMatchObject({ userId: 'ada', fromMs: ms('2027-03-27T08:00'), toMs: ms('2027-03-27T20:00') })
  })

  it('of a turn of several people overlap, one a person; who stays has one shift [DUTY-20]', () => {
    const together = layer([['ada', 'ben'], ['ben', 'cem'], []], { repeat: 'FREQ=DAILY' })
    const span = range('2026-09-28T07:00', '2026-10-01T07:00')
    const shifts = shiftsIn(rota([together]), span, everybody)
    expect(linesOf(shifts)).toEqual([
      '2026-09-28T07:00 2026-09-29T07:00 ada 0',
      '2026-09-28T07:00 2026-09-30T07:00 ben 0',
      '2026-09-29T07:00 2026-09-30T07:00 cem 0',
    ])
    expect(gapsIn(shifts, span)).toEqual([range('2026-09-30T07:00', '2026-10-01T07:00')])
    // The others of a turn stay where one has left; an override is in place of all.
    const left = rota([layer(['dee']), together], [override('eli', '2026-09-28T10:00', '2026-09-28T11:00')])
    const others = shiftsIn(left, span, (userId) => !['ada', 'cem'].includes(userId))
    expect(linesOf(others)).toEqual([
      '2026-09-28T07:00 2026-09-28T10:00 ben 1',
      '2026-09-28T10:00 2026-09-28T11:00 eli override',
      '2026-09-28T11:00 2026-09-30T07:00 ben 1',
      '2026-09-30T07:00 2026-10-01T07:00 dee 0',
    ])
  })

  it('of one person in two layers that follow each other are one duty, also next to somebody else [DUTY-21]', () => {
    const layers = [layer([['ada', 'ben']]), layer([['ada', 'cem']], { starts_at: ms('2026-09-29T07:00') })]
    const shifts = shiftsIn(rota(layers), range('2026-09-28T07:00', '2026-09-30T07:00'), everybody)
    expect(linesOf(dutiesOf(shifts))).toEqual([
      '2026-09-28T07:00 2026-09-30T07:00 ada 0',
      '2026-09-28T07:00 2026-09-29T07:00 ben 0',
      '2026-09-29T07:00 2026-09-30T07:00 cem 1',
    ])
  })

  it('end with their layer, to the millisecond [DUTY-22]', () => {
    const ending = layer(['ada'], { ends_at: ms('2026-10-01T12:00') })
    const span = range('2026-09-30T00:00', '2026-10-02T00:00')
    expect(linesOf(shiftsIn(rota([ending]), span, everybody))).toEqual(['2026-09-30T00:00 2026-10-01T12:00 ada 0'])
    const at = (atMs: number) => shiftsIn(rota([ending]), { fromMs: atMs, toMs: atMs + 1 }, everybody).length
    expect([at(ms('2026-10-01T12:00') - 1), at(ms('2026-10-01T12:00'))]).toEqual([1, 0])
    expect(shiftsIn(rota([ending]), range('2026-10-03T00:00', '2026-10-04T00:00'), everybody)).toEqual([])
  })

  it('count the handovers of 13 years of days [DUTY-18]', () => {
    const daily = layer(['ada', 'ben'], { starts_at: ms('2013-12-01T08:00'), repeat: 'FREQ=DAILY' })
    const days = (ms('2026-11-27T08:00') - ms('2013-12-01T08:00')) / 86_400_000
    expect(days).toBe(4_744)
    const [shift] = shiftsIn(rota([daily]), range('2026-11-27T09:00', '2026-11-27T10:00'), everybody)
    expect(shift?.userId).toBe('ada')
  })
})
