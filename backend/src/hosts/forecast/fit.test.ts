import { describe, expect, it } from 'vitest'
import { type DailyMaximum, DAYS, type Forecast, forecast, HOURS } from './fit.ts'
import { isWhole } from '../../../test/deal.ts'
import { randomFrom } from '../../../test/random.ts'

const daysOf = (values: readonly number[], first = 20_000): DailyMaximum[] =>
  values.map((percent, index) => ({ day: first + index, percent: Math.min(100, Math.max(0, percent)) }))
const numbers = (count: number, value: (index: number) => number) => Array.from({ length: count }, (_, index) => value(index))
const isForecast = (found: ReturnType<typeof forecast>): found is Forecast => typeof found === 'object'

it('a straight line is continued exactly, with an interval of no width [FORECAST-03]', () => {
  const found = forecast(daysOf(numbers(20, (day) => 50 + day)))
  expect(found).toEqual({ days: 31, earliest: 31, latest: 31, slope: 1 })
})

it('a gap of days changes nothing [FORECAST-04]', () => {
  const days = daysOf(numbers(40, (day) => 10 + day)).filter(({ day }) => day % 3 !== 0)
  expect(forecast(days)).toMatchObject({ days: 51, slope: 1 })
})

it('a quarter of outliers changes the line by little [FORECAST-05]', () => {
  const found = forecast(daysOf(numbers(40, (day) => (day % 4 === 0 ? 95 : 30 + day))))
  expect(found).toMatchObject({ slope: expect.closeTo(1, 1), days: expect.closeTo(31, -1) })
})

it.each([
  ['too few days', numbers(DAYS.least - 1, (day) => 50 + day), 'too_few_days'],
  ['a constant', numbers(30, () => 80), 'not_growing'],
  ['a fall', numbers(30, (day) => 90 - day), 'not_growing'],
  ['noise around a level', numbers(30, (day) => 50 + ((day * 7) % 5)), 'not_growing'],
  ['logs that are rotated each week', numbers(60, (day) => 40 + 5 * (day % 7)), 'not_growing'],
  ['a step', numbers(30, (day) => (day < 15 ? 20 : 60)), 'not_growing'],
  ['a clean-up two days ago', numbers(40, (day) => (day < 37 ? 40 + day : 30)), 'no_line'],
  ['growth that lasts for years', numbers(60, (day) => 10 + day / 20), 'too_far'],
])('of %s there is no forecast', (_, values, why) => {
  expect(forecast(daysOf(values))).toBe(why)
})

describe('of simulated disks', () => {
  const RUNS = 150

  it('nine of ten that fill are seen 2 to 14 days ahead, within a quarter of the time or two days [FORECAST-06]', () => {
    let seen = 0
    let near = 0
    for (let run = 0; run < RUNS; run++) {
      const random = randomFrom(run + 1)
      const slope = 0.4 + 2 * random()
      const noise = 1.5 * random()
      const filled = 30 + Math.floor(25 * random())
      const values = numbers(filled, (day) => 100 - slope * (filled - day) + noise * (random() - 0.5) * 2)
      const said = numbers(13, (back) => back + 2).map((back) => {
        const known = values.slice(0, filled - back + 1).slice(-DAYS.most)
        const found = forecast(daysOf(known))
        return isForecast(found) && Math.abs(found.days - (back - 1)) <= Math.max(2, back / 4)
      })
      if (said.some(Boolean)) seen += 1
      if (said[5] === true) near += 1
    }
    expect(seen / RUNS).toBeGreaterThanOrEqual(0.9)
    // A week ahead.
    expect(near / RUNS).toBeGreaterThanOrEqual(0.85)
  })

  it('none is said to fill within 14 days of sawtooth logs, of any period and height [FORECAST-07]', () => {
    let alarms = 0
    for (let run = 0; run < RUNS; run++) {
      const random = randomFrom(run + 5_000)
      const period = 2 + Math.floor(12 * random())
      const [level, height] = [20 + 40 * random(), 5 + 30 * random()]
      const values = numbers(90, (day) => level + (height * (day % period)) / period + (random() - 0.5))
      for (let end = DAYS.most; end <= 90; end += 1) {
        const found = forecast(daysOf(values.slice(end - DAYS.most, end)))
        if (isForecast(found) && found.days <= 14) alarms += 1
      }
    }
    expect(alarms).toBe(0)
  })

  it.each<[string, (day: number, fillsIn: number, level: number) => number]>([
    ['in a line', (day, fillsIn, level) => level + ((100 - level) * day) / fillsIn],
    ['faster each day', (day, fillsIn, level) => level + (100 - level) * ((2 ** (day / 3) - 1) / (2 ** (fillsIn / 3) - 1))],
  ])('nine of ten that were steady and then fill within 12 days, %s, are seen two days ahead [FORECAST-09]', (_, grow) => {
    let seen = 0
    for (let run = 0; run < RUNS; run++) {
      const random = randomFrom(run + 20_000)
      const [level, fillsIn] = [20 + 50 * random(), 7 + Math.floor(6 * random())]
      const steady = 14 + Math.floor(30 * random())
      const noise = () => 0.6 * (random() - 0.5)
      const values = [
        ...numbers(steady, () => level + noise()),
        ...numbers(fillsIn - 1, (day) => grow(day, fillsIn, level) + noise()),
      ]
      const found = forecast(daysOf(values))
      if (isForecast(found) && found.days <= 7) seen += 1
    }
    expect(seen / RUNS).toBeGreaterThanOrEqual(0.9)
  })

  it('none is said to fill within 14 days of a level with noise [FORECAST-10]', () => {
    let alarms = 0
    for (let run = 0; run < RUNS; run++) {
      const random = randomFrom(run + 30_000)
      const [level, height] = [20 + 60 * random(), 20 * random()]
      const values = numbers(90, () => level + height * (random() - 0.5))
      for (let end = DAYS.least; end <= 90; end += 4) {
        const found = forecast(daysOf(values.slice(Math.max(0, end - DAYS.most), end)))
        if (isForecast(found) && found.days <= 14) alarms += 1
      }
    }
    expect(alarms).toBeLessThanOrEqual(RUNS / 50)
  })

  it('the interval holds the true day in nine of ten [FORECAST-08]', () => {
    let held = 0
    let made = 0
    for (let run = 0; run < RUNS; run++) {
      const random = randomFrom(run + 9_000)
      const slope = 0.5 + random()
      const left = 5 + 20 * random()
      const count = 20 + Math.floor(40 * random())
      const values = numbers(count, (day) => 100 - left - slope * (count - 1 - day) + (random() + random() + random() - 1.5) * 2)
      const found = forecast(daysOf(values))
      if (!isForecast(found)) continue
      made += 1
      const slack = 2 / slope
      if (left / slope >= found.earliest - slack && left / slope <= (found.latest ?? Infinity) + slack) held += 1
    }
    expect(made).toBeGreaterThan(RUNS * 0.8)
    expect(held / made).toBeGreaterThanOrEqual(0.9)
  })
})

describe('of simulated hours', () => {
  const RUNS = isWhole ? 200 : 30

  const hoursOf = (values: readonly number[]): DailyMaximum[] =>
    values.map((percent, index) => ({ day: 20_000 + index / 24, percent: Math.min(100, Math.max(0, percent)) }))
  /** What is known at this hour of a history of hours. */
  function forecastAt(hours: readonly DailyMaximum[], end: number): ReturnType<typeof forecast> {
    const known = hours.slice(0, end)
    const byDay = Map.groupBy(known, ({ day }) => Math.floor(day))
    const days = [...byDay].map(([day, own]) => ({ day, percent: Math.max(...own.map(({ percent }) => percent)) }))
    return forecast(days.slice(-DAYS.most), known.slice(-HOURS))
  }

  it.each<[string, number, (hour: number, fillsIn: number, level: number) => number]>([
    ['in a line', 1.25, (hour, fillsIn, level) => level + ((100 - level) * hour) / fillsIn],
    [
      'twice as fast each sixth of the time',
      // A line lies below it.
      6,
      (hour, fillsIn, level) => level + (100 - level) * ((2 ** ((6 * hour) / fillsIn) - 1) / (2 ** 6 - 1)),
    ],
  ])(
    'nine of ten disks that were steady and then fill within 12 to 72 hours, %s, are seen a quarter of that ahead [FORECAST-11]',
    (_, factor, grow) => {
      let seen = 0
      let near = 0
      for (let run = 0; run < RUNS; run++) {
        const random = randomFrom(run + 40_000)
        const [level, fillsIn] = [20 + 50 * random(), 12 + Math.floor(61 * random())]
        const steady = 48 + Math.floor(400 * random())
        const noise = () => 0.6 * (random() - 0.5)
        const hours = hoursOf([
          ...numbers(steady, () => level + noise()),
          ...numbers(fillsIn, (hour) => grow(hour, fillsIn, level) + noise()),
        ])
        const at = Math.ceil(steady + (fillsIn * 3) / 4)
        const found = forecastAt(hours, at)
        if (!isForecast(found)) continue
        seen += 1
        const left = (steady + fillsIn - at) / 24
        if (found.days < factor * left + 1 / 24) near += 1
      }
      expect(seen / RUNS).toBeGreaterThanOrEqual(0.9)
      expect(near / RUNS).toBeGreaterThanOrEqual(0.9)
    },
  )

  it.each<[string, (random: () => number) => (hour: number) => number]>([
    [
      'logs that are rotated, of any period and height',
      (random) => {
        const [level, height, period] = [20 + 40 * random(), 5 + 30 * random(), 2 + Math.floor(166 * random())]
        return (hour) => level + (height * (hour % period)) / period + (random() - 0.5)
      },
    ],
    [
      'a level with noise',
      (random) => {
        const [level, height] = [20 + 60 * random(), 20 * random()]
        return () => level + height * (random() - 0.5)
      },
    ],
    [
      'jobs that take and free space each night',
      (random) => {
        const [level, height, length] = [40 + 40 * random(), 3 + 20 * random(), 3 + Math.floor(8 * random())]
        return (hour) => level + (hour % 24 < length ? (height * (hour % 24)) / length : 0) + (random() - 0.5)
      },
    ],
    [
      'growth in the hours of work alone',
      (random) => {
        const [level, height] = [40 + 20 * random(), 1 + random()]
        return (hour) => level + height * (Math.floor(hour / 24) + Math.min(1, (hour % 24) / 8)) + 0.5 * (random() - 0.5)
      },
    ],
    [
      'noise that lasts for hours',
      (random) => {
        let drift = 0
        const [level, height] = [20 + 60 * random(), 3 * random()]
        return () => level + (drift = 0.9 * drift + height * (random() - 0.5))
      },
    ],
  ])('none is said to fill within two days of %s [FORECAST-12]', (_, historyOf) => {
    let alarms = 0
    for (let run = 0; run < RUNS; run++) {
      const random = randomFrom(run + 50_000)
      const hours = hoursOf(numbers(24 * 21, historyOf(random)))
      for (let end = 24 * 8 + (run % 29); end <= hours.length; end += 29) {
        const found = forecastAt(hours, end)
        if (isForecast(found) && found.days <= 2 && (hours[end - 1]?.percent ?? 0) < 90) alarms += 1
      }
    }
    expect(alarms).toBe(0)
  })
})
