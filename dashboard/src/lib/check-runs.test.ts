import type { Check } from '@vedette/shared'
import { expect, it } from 'vitest'
import { foldChecks } from './check-runs.ts'

const check = (minute: number, outcome: Check['outcome'], response_ms: number | null, message?: string): Check =>
  ({
    checked_at: `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`,
    outcome,
    status_code: outcome === 'up' ? 200 : null,
    response_ms,
    error: message === undefined ? null : { code: 'connect', message },
  }) as Check

it('folds checks with the same result into one run with its times and its mean', () => {
  const checks = [
    check(9, 'up', 30),
    check(8, 'up', 10),
    check(7, 'down', null, 'refused'),
    check(6, 'down', null, 'refused'),
    check(5, 'down', null, 'no answer'),
    check(4, 'up', 50),
  ]
  expect(
    foldChecks(checks).map(({ newest, oldest, count, meanMs }) => [
      newest.checked_at.slice(14, 16),
      oldest.checked_at.slice(14, 16),
      count,
      meanMs,
    ]),
  ).toEqual([
    ['09', '08', 2, 20],
    ['07', '06', 2, null],
    ['05', '05', 1, null],
    ['04', '04', 1, 50],
  ])
  expect(foldChecks([])).toEqual([])
})
