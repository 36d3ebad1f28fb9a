import { expect, it } from 'vitest'
import { deriveFlapping } from './flapping.ts'

const MINUTE = 60_000
const NOW = 1_000 * MINUTE
/** Changes so many minutes ago. */
const ago = (...minutes: number[]) => minutes.map((count) => NOW - count * MINUTE)

it.each([
  ['no change', false, [], false],
  ['five changes within an hour', false, ago(0, 1, 2, 3, 4), false],
  ['six changes within an hour', false, ago(0, 12, 24, 36, 48, 59), true],
  ['six changes in an hour', false, ago(0, 12, 24, 36, 48, 60), false],
  ['six changes within an hour, and a quarter of an hour without one', false, ago(0, 1, 2, 17, 18, 19), false],
  ['six changes within an hour, the last 14 minutes ago', false, ago(14, 15, 16, 17, 18, 19), true],
  ['six changes within an hour, the last 15 minutes ago', false, ago(15, 16, 17, 18, 19, 20), false],
  ['one change 14 minutes ago while it flaps', true, ago(14, 300), true],
  ['one change 15 minutes ago while it flaps', true, ago(15, 300), false],
  ['no known change while it flaps', true, [], false],
])('with %s a monitor that is checked each minute flaps or not', (_, isFlapping, changesMs, expected) => {
  expect(deriveFlapping({ isFlapping, changesMs, intervalSeconds: 60 }, NOW).isFlapping).toBe(expected)
})

it('a monitor that is checked every ten minutes is stable after three intervals', () => {
  const input = { isFlapping: true, changesMs: ago(29), intervalSeconds: 600 }
  expect(deriveFlapping(input, NOW)).toEqual({ isFlapping: true, stableAtMs: NOW + MINUTE })
  expect(deriveFlapping(input, NOW + MINUTE).isFlapping).toBe(false)
})
