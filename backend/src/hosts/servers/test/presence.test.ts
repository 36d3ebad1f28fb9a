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
  ])('with a push interval of %i s, a server is offline after %i ms [SERVER-14]', (seconds, ms) =>
    expect(offlineAfterMs(seconds)).toBe(ms),
  )

  it.each([
    ['long after the start', settled, NOW - 180_000],
    ['at the very first start', { startedAtMs: NOW, aliveBeforeMs: undefined }, NOW - 180_000],
    [
      'just after a start, without counting the downtime',
      { startedAtMs: NOW - 1_000, aliveBeforeMs: NOW - 600_000 },
      NOW - 780_000,
    ],
    [
      'when the grace period since the start has passed',
      { startedAtMs: NOW - 180_000, aliveBeforeMs: NOW - 600_000 },
      NOW - 180_000,
    ],
    ['next to another instance that kept running', { startedAtMs: NOW - 1_000, aliveBeforeMs: NOW - 2_000 }, NOW - 182_000],
    ['with a clock that was set back', { startedAtMs: NOW - 1_000, aliveBeforeMs: NOW + 50_000 }, NOW - 180_000],
  ])('the online threshold is right %s [SERVER-16]', (_, uptime, after) => expect(onlineAfter(NOW, uptime, 60)).toBe(after))
})
