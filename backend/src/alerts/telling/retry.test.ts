import { expect, it } from 'vitest'
import { nextTryAt } from './retry.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

it.each([
  [0, 5_000],
  [1, 30_000],
  [2, 2 * MINUTE],
  [3, 10 * MINUTE],
  [4, 30 * MINUTE],
  [5, HOUR],
  [6, HOUR],
  [20, HOUR],
])('after %i failed tries the next comes %i ms later, 20 %% more or less', (tries, pause) => {
  expect([0, 0.5, 1].map((chance) => nextTryAt(0, tries, 1_000, chance))).toEqual([
    1_000 + 0.8 * pause,
    1_000 + pause,
    1_000 + 1.2 * pause,
  ])
})

it('gives up where the next try would come more than a day after it was stored', () => {
  expect(nextTryAt(7, 9, 7 + 23 * HOUR, 0.5)).toBe(7 + 24 * HOUR)
  expect(nextTryAt(7, 9, 8 + 23 * HOUR, 0.5)).toBeUndefined()
})

it('what is never taken is tried 25 to 35 times over the day', () => {
  const triesWith = (chance: number) => {
    let tries = 0
    for (let at: number | undefined = 0; at !== undefined; at = nextTryAt(0, tries - 1, at, chance)) tries += 1
    return tries
  }
  expect([triesWith(1), triesWith(0)]).toEqual([25, 35])
})
