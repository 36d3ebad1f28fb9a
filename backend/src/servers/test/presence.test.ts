import { describe, expect, it } from 'vitest'
import { offlineAfterMs, onlineAfter } from '../presence.ts'

const NOW = 1_000_000_000
const settled = { startedAtMs: NOW - 86_400_000, aliveBeforeMs: NOW - 90_000_000 }

describe('when a server is online', () => {
  it.each([
    [5, 90_000],
    [30, 90_000],
    [60, 180_000],
    [3_600, 10_800_000],
  ])('a push interval of %i s leaves %i ms [SERVER-14]', (seconds, ms) => expect(offlineAfterMs(seconds)).toBe(ms))

  it.each([
    ['long after the start', settled, NOW - 180_000],
    ['at the very first start', { startedAtMs: NOW, aliveBeforeMs: undefined }, NOW - 180_000],
    [
      'just after a start, the time away is not counted',
      { startedAtMs: NOW - 1_000, aliveBeforeMs: NOW - 600_000 },
      NOW - 780_000,
    ],
    ['when the grace has passed since the start', { startedAtMs: NOW - 180_000, aliveBeforeMs: NOW - 600_000 }, NOW - 180_000],
    ['beside another instance that was never away', { startedAtMs: NOW - 1_000, aliveBeforeMs: NOW - 2_000 }, NOW - 182_000],
    ['with a clock that went back', { startedAtMs: NOW - 1_000, aliveBeforeMs: NOW + 50_000 }, NOW - 180_000],
  ])('%s [SERVER-16]', (_, uptime, after) => expect(onlineAfter(NOW, uptime, 60)).toBe(after))
})
