import { expect, it } from 'vitest'
import { nextAttemptAt } from './retry.ts'

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
])('after %i failed attempts the next follows %i ms later, plus or minus 20 %%', (attempts, pause) => {
  expect([0, 0.5, 1].map((fraction) => nextAttemptAt(0, attempts, 1_000, { spread: 0.2, fraction }))).toEqual([
    1_000 + 0.8 * pause,
    1_000 + pause,
    1_000 + 1.2 * pause,
  ])
})

it('a job is abandoned when the next attempt would be more than a day after it was stored', () => {
  expect(nextAttemptAt(7, 9, 7 + 23 * HOUR, { spread: 0.2, fraction: 0.5 })).toBe(7 + 24 * HOUR)
  expect(nextAttemptAt(7, 9, 8 + 23 * HOUR, { spread: 0.2, fraction: 0.5 })).toBeUndefined()
})

it('a job that always fails is attempted 25 to 35 times in its day', () => {
  const attemptsWith = (fraction: number) => {
    let attempts = 0
    for (let at: number | undefined = 0; at !== undefined; at = nextAttemptAt(0, attempts - 1, at, { spread: 0.2, fraction }))
      attempts += 1
    return attempts
  }
  expect([attemptsWith(1), attemptsWith(0)]).toEqual([25, 35])
})
