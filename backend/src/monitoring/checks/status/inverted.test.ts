import type { CheckDefinition, CheckResult } from '@vedette/shared'
import { describe, expect, test } from 'vitest'
import { inconclusiveResult } from './inconclusive.ts'
import { concluded } from './inverted.ts'

const definition = (invert: boolean) => ({ type: 'tcp', options: { invert } }) as unknown as CheckDefinition
const result = (outcome: CheckResult['outcome'], code?: string): CheckResult => ({
  ...inconclusiveResult('', '2026-01-01T00:00:00.000Z'),
  outcome,
  error: code === undefined ? null : { code: code as 'connect', message: 'seen' },
})
const of = (probed: Parameters<typeof concluded>[1], invert = true) => {
  const { outcome, error, facts } = concluded(definition(invert), probed)
  return [outcome, error?.message ?? null, facts?.['expected_failure']]
}

describe('a check that is expected to fail', () => {
  test.each(['dns', 'connect', 'tls', 'timeout', 'status', 'assertion', 'protocol'])('is up when it fails by %s', (code) => {
    expect(of(result('down', code))).toEqual(['up', null, 'expected to fail: seen'])
  })

  test('is down when it passes', () => {
    expect(of(result('up'))).toEqual(['down', 'expected to fail, but the check passed', undefined])
  })

  test.each([
    ['degraded', 'assertion'],
    ['inconclusive', 'internal'],
    ['down', 'blocked'],
  ] as const)('stays %s by %s', (outcome, code) => {
    expect(of(result(outcome, code))).toEqual([outcome, 'seen', undefined])
  })

  test('stays down when its definition cannot be checked', () => {
    expect(of({ ...result('down', 'tls'), isOfDefinition: true })).toEqual(['down', 'seen', undefined])
  })
})

test('another check stays as it is, without the mark of the probe', () => {
  expect(of(result('down', 'connect'), false)).toEqual(['down', 'seen', undefined])
  expect(concluded(definition(false), { ...result('down', 'tls'), isOfDefinition: true })).not.toHaveProperty('isOfDefinition')
})
