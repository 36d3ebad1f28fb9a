import { describe, expect, it } from 'vitest'
import { AT, modelOf } from '../test/model-fixture.ts'
import type { PageComponent } from '../reading/model.ts'
import { chartOf, chartTimes, roundUp } from './bars.ts'
import { formatsOf } from './formats.ts'

const draw = (responseMs: (number | null)[], language: 'en' | 'de' = 'en') => {
  const [component] = modelOf().sections.flatMap(({ components }) => components) as [PageComponent]
  const avgResponseMs = responseMs.some((value) => value !== null) ? 120 : null
  const formats = formatsOf({ language, timeZone: 'Europe/Berlin' })
  return chartOf({ ...component, responseMs, avgResponseMs }, chartTimes(AT, formats), formats)
}
const textsOf = (chart = '') => [...chart.matchAll(/<span>([^<]*)<\/span>/g)].map(([, text]) => text)
const day = (value: number | null) => Array.from({ length: 24 }, () => value)

describe('the chart of response times', () => {
  it('has both values of its axis, and the times of its first hour and of now', () => {
    expect(textsOf(draw(day(132)))).toEqual(['150 ms', '0 ms', '21:00 CET', '20:30 CET'])
    expect(textsOf(draw(day(1_234), 'de'))).toEqual(['1.500 ms', '0 ms', '21:00 MEZ', '20:30 MEZ'])
    expect(textsOf(draw(day(0.42)))).toEqual(['0.5 ms', '0 ms', '21:00 CET', '20:30 CET'])
  })

  it('has a line and an area down to the baseline for each run of hours with a response', () => {
    const chart = draw([...day(null).slice(4), 100, 50, null, 100]) ?? ''
    const paths = [...chart.matchAll(/ d="([^"]*)"/g)].map(([, path]) => path)
    expect(paths).toEqual(['M200 48V0L210 24V48zM230 48V0V48z', 'M200 0h.1L210 24M230 0h.1'])
  })

  it('is absent without a response', () => {
    expect([draw([]), draw(day(null))]).toEqual([undefined, undefined])
  })
})

it.each([
  [0.000_07, 0.000_08],
  [0.3, 0.3],
  [1, 1],
  [1.01, 1.5],
  [99.9, 100],
  [100, 100],
  [420, 500],
  [61_000, 80_000],
])('%d is rounded up to %d', (value, rounded) => {
  expect(roundUp(value)).toBe(rounded)
})
