import { expect, test } from 'vitest'
import { pauseBeforeMs } from './backoff.ts'

test.each([
  [0, 0],
  [1, 100],
  [2, 200],
  [5, 1600],
  [10, 5_000],
  [5000, 5_000],
])('the pause before try %i is %i ms', (attempt, pauseMs) => {
  expect(pauseBeforeMs(attempt)).toBe(pauseMs)
})
