import { describe, expect, it } from 'vitest'
import { overlaps, restrictionsOf, spanOf, type WeekSpan } from './restrictions.ts'

const at = (day: number, clock: string): number => day * 1_440 + Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
const span = (fromDay: number, from: string, toDay: number, to: string): WeekSpan => spanOf(at(fromDay, from), at(toDay, to))
const ALL = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

describe('the hours of a layer', () => {
  it.each<[string, WeekSpan[], object[]]>([
    ['of no span are always', [], []],
    ['of a workday are of that day', [span(0, '09:00', 0, '17:30')], [{ days: ['MO'], from: '09:00', to: '17:30' }]],
    ['over midnight end on the next day', [span(5, '22:00', 6, '06:00')], [{ days: ['SA'], from: '22:00', to: '06:00' }]],
    ['of a whole day end on the next day', [span(2, '08:00', 3, '08:00')], [{ days: ['WE'], from: '08:00', to: '08:00' }]],
    [
      'from Friday to Monday are split at midnight',
      [span(4, '18:00', 0, '08:00')],
      [
        { days: ['FR'], from: '18:00', to: '00:00' },
        { days: ['SA', 'SU'], from: '00:00', to: '00:00' },
        { days: ['MO'], from: '00:00', to: '08:00' },
      ],
    ],
    [
      'from midnight on have no part of nothing',
      [span(5, '00:00', 0, '00:00')],
      [{ days: ['SA', 'SU'], from: '00:00', to: '00:00' }],
    ],
    [
      'of the same times are one restriction',
      [0, 1, 2].map((day) => span(day, '09:00', day, '17:00')),
      [{ days: ['MO', 'TU', 'WE'], from: '09:00', to: '17:00' }],
    ],
    ['of a whole week are always', [span(3, '12:00', 3, '12:00')], []],
    ['of all whole days are always', ALL.map((_, day) => ({ from: day * 1_440 + 60, minutes: 1_440 })), []],
  ])('%s', (_name, spans, restrictions) => expect(restrictionsOf(spans)).toEqual(restrictions))
})

describe('times of the week', () => {
  it.each<[string, WeekSpan[], WeekSpan[], boolean]>([
    ['day and night do not overlap', [span(0, '08:00', 0, '20:00')], [span(0, '20:00', 1, '08:00')], false],
    ['one minute in common overlaps', [span(0, '08:00', 0, '20:01')], [span(0, '20:00', 1, '08:00')], true],
    ['Sunday night overlaps Monday morning', [span(6, '22:00', 0, '06:00')], [span(0, '05:00', 0, '07:00')], true],
    ['always overlaps everything', [], [span(3, '00:00', 3, '00:01')], true],
  ])('%s', (_name, one, other, expected) => {
    expect([overlaps(one, other), overlaps(other, one)]).toEqual([expected, expected])
  })
})
