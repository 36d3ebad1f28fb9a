import type { SloDetails } from '@vedette/shared'
import { describe, expect, test } from 'vitest'
import { budgetText } from '../../lib/budget-text.ts'
import { burnText, factorText, share } from './figures.ts'
import { missingFields, newSlo, toSloBody, toSloInput } from './input.ts'
import { stateOf } from './state.ts'

const slo = (left: number | null, rate: number | null, tooFew = false): SloDetails => ({
  id: 'slo_1',
  name: 'Shop',
  target: { id: null, tag: 'shop' },
  kind: 'latency',
  threshold_ms: 250,
  objective: 99.95,
  window: 'month',
  time_zone: 'Europe/Berlin',
  channel_ids: ['chn_1'],
  escalation_policy_id: null,
  burn_alerts: ['6h'],
  managed: null,
  created_at: '2026-11-01T00:00:00.000Z',
  updated_at: '2026-11-01T00:00:00.000Z',
  status: {
    from: '2026-11-01T00:00:00.000Z',
    to: '2026-11-02T00:00:00.000Z',
    exact_from: '2026-11-01T00:00:00.000Z',
    exact_until: '2026-11-01T00:00:00.000Z',
    unit: 'checks',
    good: 0,
    bad: 0,
    total: 0,
    good_percent: null,
    budget_left_percent: left,
    burn_rates: [
      { window: '1h', burn_rate: 100, total: 1, too_few_checks: true },
      { window: '6h', burn_rate: rate, total: 1, too_few_checks: tooFew },
    ],
  },
})

describe('the state of an SLO', () => {
  test.each([
    [null, null, false, 'no_checks'],
    [-0.1, 0, false, 'exceeded'],
    [0, 6, false, 'met'],
    [50, 6.01, false, 'burning'],
    [50, 6.01, true, 'met'],
  ] as const)('with %s %% left and a burn rate of %s (too few: %s) is %s', (left, rate, tooFew, state) => {
    expect(stateOf(slo(left, rate, tooFew))).toBe(state)
  })
})

describe('the input of an SLO', () => {
  test('keeps what was read', () => {
    const { id: _id, status: _status, managed: _managed, created_at: _created, updated_at: _updated, ...body } = slo(null, null)
    expect(toSloBody(toSloInput(slo(null, null)))).toEqual(body)
  })

  test('has no threshold for an availability, and names what is missing', () => {
    const input = { ...newSlo('UTC'), name: ' Shop ', objective: ' ', threshold: '' }
    expect(missingFields(input)).toEqual(['target.id'])
    expect(toSloBody(input)).toMatchObject({ name: 'Shop', threshold_ms: null, burn_alerts: ['1h', '6h', '3d'] })
    expect(missingFields({ ...input, kind: 'latency' })).toEqual(['target.id', 'threshold_ms'])
  })
})

test('figures are never rounded up to what they do not reach', () => {
  expect([share(99.9), share(99.9999), share(100)]).toEqual(['99.9 %', '99.999 %', '100 %'])
  expect([budgetText(99.96), budgetText(100), budgetText(-0.01), budgetText(null)]).toEqual(['99.9 %', '100 %', '-0.1 %', '–'])
  expect([budgetText(-99.9), budgetText(-100), budgetText(-4434.9)]).toEqual(['-99.9 %', 'used 2.0×', 'used 45.3×'])
  expect([burnText(0.344), burnText(250.4), burnText(null)]).toEqual(['0.34×', '250×', '–'])
  expect(factorText('1h')).toBe('14.4×')
})
