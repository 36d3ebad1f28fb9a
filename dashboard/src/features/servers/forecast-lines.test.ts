import type { CapacityForecast } from '@vedette/shared'
import { expect, it } from 'vitest'
import { forecastChart } from './forecast-lines.ts'

const days = [60, 61, 63].map((percent, index) => ({ date: `2026-11-0${[1, 2, 4][index]}`, percent }))
const forecast: CapacityForecast = {
  subject: 'filesystem',
  mount: '/',
  days_until_full: 4,
  earliest_days: 2,
  latest_days: null,
  percent_per_day: 10,
  days,
}
const linesOf = (one: CapacityForecast) =>
  Object.fromEntries(forecastChart(one)?.lines.map(({ label, values }) => [label, values]) ?? [])

it('the chart has the days, gaps included, and goes on until it is full', () => {
  expect(forecastChart(forecast)?.from).toBe(Date.parse('2026-11-01'))
  expect(linesOf(forecast)).toEqual({
    'Greatest of the day': [60, 61, null, 63, null, null, null, null, null],
    Forecast: [null, null, null, 60, 70, 80, 90, 100, 100],
    Earliest: [null, null, null, 60, 80, 100, 100, 100, 100],
    // It may never fill.
    Latest: [null, null, null, 60, 60, 60, 60, 60, 60],
  })
})

it('what is full a year ahead shows 60 days of it', () => {
  const far = { ...forecast, days_until_full: 300, earliest_days: 200, latest_days: 365, percent_per_day: 0.1 }
  expect(linesOf(far)['Forecast']).toHaveLength(4 + 60)
})

it('there is no chart without a forecast', () => {
  const silent = { ...forecast, days_until_full: null, earliest_days: null, percent_per_day: null, silence: 'no_line' as const }
  expect(forecastChart(silent)).toBeUndefined()
  expect(forecastChart({ ...forecast, days: [] })).toBeUndefined()
})
