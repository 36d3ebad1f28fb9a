import { describe, expect, test } from 'vitest'
import { budgetLeftPercent, burnRate, hasTooFewChecks, isBurning } from './budget.ts'
import { restMs, summaryOf } from './evaluate.ts'
import { windowOfSlo } from './read-status.ts'

describe('the error budget', () => {
  test.each([
    [{ good: 1_000, total: 1_000 }, 99.9, 100, 0],
    [{ good: 999, total: 1_000 }, 99.9, 0, 1],
    [{ good: 995, total: 1_000 }, 99, 50, 0.5],
    [{ good: 0, total: 10 }, 50, -100, 2],
  ])('of %j at %d %% has %s %% left and burns at %s', (counts, objective, left, rate) => {
    expect(budgetLeftPercent(counts, objective)).toBeCloseTo(left, 9)
    expect(burnRate(counts, objective)).toBeCloseTo(rate, 9)
  })

  test('of no checks is unknown [SLO-12]', () => {
    const none = { good: 0, total: 0 }
    expect([budgetLeftPercent(none, 99), burnRate(none, 99)]).toEqual([null, null])
  })

  test('burns if both windows do, and not exactly at the threshold [SLO-13]', () => {
    const at = (bad: number, total: number) => ({ good: total - bad, total })
    expect(isBurning(at(144, 1_000), at(144, 1_000), '1h', 99)).toBe(false)
    expect(isBurning(at(145, 1_000), at(15, 100), '1h', 99)).toBe(true)
    expect(isBurning(at(145, 1_000), at(14, 100), '1h', 99)).toBe(false)
    expect(isBurning(at(0, 0), at(0, 0), '1h', 99)).toBe(false)
  })

  test('is not decided by a window in which one bad check exceeds the threshold [SLO-14]', () => {
    expect(hasTooFewChecks(60, '1h', 99.99)).toBe(true)
    expect(hasTooFewChecks(60, '1h', 99)).toBe(false)
    expect(hasTooFewChecks(0, '1h', 99)).toBe(false)
    expect(summaryOf('Shop', '1h', { good: 59, total: 60 }, 99.99)).toBe(
      'Shop: burn rate 166.67 over 1h (threshold 14.4, 1 of 60 checks bad; one bad check is enough, there are too few to decide)',
    )
    expect(summaryOf('Shop', '3d', { good: 0, total: 0 }, 99)).toBe('Shop: no checks in the last 3d')
  })
})

test('windows are the last days, or the calendar month or quarter of a zone [SLO-15]', () => {
  const now = Date.parse('2026-11-01T02:00:00Z')
  expect(windowOfSlo('7d', 'UTC', now)).toEqual({ fromMs: now - 7 * 86_400_000 + 1, toMs: now + 1 })
  expect(windowOfSlo('month', 'UTC', now).fromMs).toBe(Date.parse('2026-11-01T00:00:00Z'))
  expect(windowOfSlo('month', 'America/New_York', now).fromMs).toBe(Date.parse('2026-10-01T04:00:00Z'))
  expect(windowOfSlo('quarter', 'Europe/Berlin', now).fromMs).toBe(Date.parse('2026-09-30T22:00:00Z'))
})

test('evaluations take at most a thirtieth of the time, and rest for five minutes at most [SLO-16]', () => {
  expect([restMs(0), restMs(1_000), restMs(60_000)]).toEqual([0, 29_000, 300_000])
})
