import { expect, test } from 'vitest'
import { deviceRates, ratePerSecond, sumRates } from './rates.ts'

const at = (total: number, atMs: number) => ({ total, atMs })

test.each<[string, Parameters<typeof ratePerSecond>, number | undefined]>([
  ['growth over time', [at(100, 0), at(400, 2_000), 30_000], 150],
  ['no growth is a rate of zero', [at(100, 0), at(100, 2_000), 30_000], 0],
  ['a fraction', [at(0, 0), at(1, 10_000), 30_000], 0.1],
  ['the first reading', [undefined, at(100, 0), 30_000], undefined],
  ['a reset', [at(100, 0), at(99, 1_000), 30_000], undefined],
  ['a 32-bit wrap', [at(4_294_967_290, 0), at(10, 1_000), 30_000], undefined],
  ['no time between', [at(1, 5), at(2, 5), 30_000], undefined],
  ['exactly the longest gap', [at(0, 0), at(30, 30_000), 30_000], 1],
  ['a gap beyond it', [at(0, 0), at(30, 30_001), 30_000], undefined],
])('%s [SAMPLE-02, SAMPLE-03, SAMPLE-04]', (_, [previous, current, maxGapMs], rate) =>
  expect(ratePerSecond(previous, current, maxGapMs)).toBe(rate),
)

const reading = (atMs: number, devices: Record<string, number[]>) => ({ atMs, devices: new Map(Object.entries(devices)) })

test('rates are computed per device and then summed', () => {
  const rates = deviceRates(reading(0, { a: [10, 0], b: [20, 0] }), reading(2_000, { a: [20, 2], b: [40, 0] }), 30_000)
  expect(sumRates(rates, 0)).toBe(15)
  expect(sumRates(rates, 1)).toBe(1)
})

test('an added or removed device does not change the sum of the others', () => {
  const rates = deviceRates(reading(0, { a: [10], gone: [9] }), reading(1_000, { a: [11], new: [500] }), 30_000)
  expect(sumRates(rates, 0)).toBe(1)
})

test('a counter reset makes the sum undefined instead of smaller [SAMPLE-04]', () => {
  const rates = deviceRates(reading(0, { a: [10], b: [20] }), reading(1_000, { a: [11], b: [0] }), 30_000)
  expect(sumRates(rates, 0)).toBeUndefined()
})

test('there is no sum without devices or on the first reading [SAMPLE-03]', () => {
  expect(sumRates(deviceRates(reading(0, {}), reading(1, {}), 9), 0)).toBeUndefined()
  expect(sumRates(deviceRates(undefined, reading(1, { a: [1] }), 9), 0)).toBeUndefined()
})
