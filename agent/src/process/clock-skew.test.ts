import { describe, expect, test } from 'vitest'
import { ClockSkew } from './clock-skew.ts'

test.each([
  [0, 0],
  [30_000, 0],
  [30_001, 30_001],
  [-30_000, 0],
  [-90_000, -90_000],
])('%i ms off is corrected by %i [SAMPLE-17, SAMPLE-18]', (offset, correction) => {
  const skew = new ClockSkew()
  expect(skew.correctionMs).toBe(0)
  skew.learn(1_000_000 + offset, 1_000_000)
  expect(skew.correctionMs).toBe(correction)
})

test('an answer without a time is ignored', () => {
  const skew = new ClockSkew()
  skew.learn(Number.NaN, 5)
  expect(skew.offsetMs).toBeUndefined()
})

test('a set clock and a suspend reset the offset', () => {
  const skew = new ClockSkew()
  skew.learn(100_000, 0)
  expect(skew.watch(50_000, 1_000)).toBe(false)
  expect(skew.watch(60_004, 11_000)).toBe(false)
  expect(skew.watch(170_000, 21_000)).toBe(true)
  expect(skew.correctionMs).toBe(0)
})

describe('the offset of most of the recent answers counts', () => {
  const learnAll = (offsets: number[]) => {
    const skew = new ClockSkew()
    for (const offset of offsets) skew.learn(1_000_000 + offset, 1_000_000)
    return skew.correctionMs
  }

  test('one answer of another clock changes nothing', () => {
    expect(learnAll([0, -600_000])).toBe(0)
    expect(learnAll([0, 0, 0, 0, 0, -600_000, 0])).toBe(0)
  })

  test('two clocks that answer in turn change nothing', () => {
    expect(learnAll(Array.from({ length: 21 }, (_, index) => (index % 2) * -600_000))).toBe(0)
  })

  test('a clock that stays set is followed once it gave four of the last six answers', () => {
    expect(learnAll([0, 0, 0, 0, 0, 0, -600_000, -600_000, -600_000])).toBe(0)
    expect(learnAll([0, 0, 0, 0, 0, 0, -600_000, -600_000, -600_000, -600_100])).toBe(-600_000)
  })

  test('a change of less than a second leaves the correction as it is', () => {
    expect(learnAll([90_000, 90_400, 90_400, 90_400])).toBe(90_000)
  })
})
