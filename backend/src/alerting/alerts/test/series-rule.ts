import type { AlertRule } from '@vedette/shared'
import { expect } from 'vitest'
import type { Credentials, TestBackend } from '../../../../test/harness.ts'

export const BUSY = 'vedette_cpu_percent > 90'

/** The body of a rule on an expression. */
export const bodyOf = (expression: string, own: object = {}) => ({
  name: 'Busy hosts',
  target: { type: 'series' },
  condition: { metric: 'promql', expression },
  ...own,
})

export async function createSeriesRule(
  backend: TestBackend,
  as: Credentials,
  expression: string,
  own: object = {},
): Promise<AlertRule> {
  const { status, body } = await backend.call('POST', '/v1/alert-rules', { as, body: bodyOf(expression, own) })
  expect([status, body.error]).toEqual([201, undefined])
  return body
}
