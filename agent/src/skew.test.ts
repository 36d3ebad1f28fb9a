import { expect, test } from 'vitest'
import { ClockSkew } from './skew.ts'

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

test('an answer without a time teaches nothing', () => {
  const skew = new ClockSkew()
  skew.learn(Number.NaN, 5)
  expect(skew.offsetMs).toBeUndefined()
})

test('a clock that was set, and a sleep, make it forget', () => {
  const skew = new ClockSkew()
  skew.learn(100_000, 0)
  expect(skew.watch(50_000, 1_000)).toBe(false)
  expect(skew.watch(60_004, 11_000)).toBe(false)
  expect(skew.watch(170_000, 21_000)).toBe(true)
  expect(skew.correctionMs).toBe(0)
})
