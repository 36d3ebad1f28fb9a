import { expect, test } from 'vitest'
import { isWatched, MONITOR_STATUSES } from './statuses.ts'

test('a monitor is watched unless it is paused or outside of its active hours', () => {
  expect(MONITOR_STATUSES.map((status) => [status, isWatched(status)])).toEqual([
    ['up', true],
    ['down', true],
    ['degraded', true],
    ['paused', false],
    ['idle', false],
  ])
})
