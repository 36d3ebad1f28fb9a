import type { IncidentItem, PreviewIncident } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { watch } from '../../../../test/watched-monitor.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { bodyOf, createSeriesRule } from './series-rule.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  admin = await backend.apiKey(organization, 'admin')
  await removeRules(backend, organization)
})
afterAll(() => backend.close())

const rule = (expression: string, own: object = {}) => createSeriesRule(backend, admin, expression, own)
const preview = async (body: object) => (await backend.call('POST', '/v1/alert-rules/preview', { as: admin, body })).body
const DOWN = 'vedette_monitor_status{status="down"}'

const EVERY_STEP_MS = 360_000

describe('a preview of an expression', () => {
  it('lists what the evaluation opens and resolves, for each series', async () => {
    const [shop, login] = [await watch(backend, admin, { interval: 3_600 }), await watch(backend, admin, { interval: 3_600 })]
    await rule(DOWN, { for_seconds: 360 })
    // At the instants of the preview.
    const evaluateUntil = async (untilMs: number) => {
      const { clock } = backend
      for (;;) {
        const nextMs = (Math.floor(clock.now() / EVERY_STEP_MS) + 1) * EVERY_STEP_MS
        if (nextMs > untilMs) return clock.advance(untilMs - clock.now())
        clock.advance(nextMs - clock.now())
        await backend.jobs.evaluateSeries()
      }
    }
    for (const { goes, outcome } of [
      { goes: shop.goes, outcome: 'up' },
      { goes: login.goes, outcome: 'up' },
      { goes: shop.goes, outcome: 'down' },
      { goes: login.goes, outcome: 'down' },
      { goes: shop.goes, outcome: 'up' },
    ] as const) {
      await evaluateUntil(backend.clock.now() + 13 * 60_000)
      await goes(outcome)
    }
    await evaluateUntil(backend.clock.now() + 13 * 60_000)
    const { incidents } = (await backend.call('GET', '/v1/incidents', { as: admin })).body
    const real = (incidents as IncidentItem[]).filter(({ summary }) => summary.includes('vedette_monitor_status'))
    const found = await preview(bodyOf(DOWN, { for_seconds: 360 }))
    expect(found).toMatchObject({ step_seconds: 360, targets: 2, has_more_targets: false, would_open: real.length })
    expect(real.length).toBeGreaterThanOrEqual(2)
    const times = ({ target, opened_at, resolved_at }: PreviewIncident) => ({ target, opened_at, resolved_at })
    expect(found.incidents).toEqual(real.map(times))
    const isResolved = (id: string) => real.find(({ target }) => target.id === id)?.resolved_at !== null
    expect([isResolved(shop.id), isResolved(login.id)]).toEqual([true, false])
  })

  it('says where the expression cannot be evaluated', async () => {
    const { error } = await preview(bodyOf('vedette_monitor_status * on () vedette_monitor_status'))
    const message = expect.stringMatching(/^cannot be evaluated over seven days: /)
    expect(error.details).toEqual([{ path: 'condition.expression', message }])
  })

  it('refuses what a rule refuses', async () => {
    const { error } = await preview(bodyOf('1 + 1'))
    expect(error.details).toEqual([{ path: 'condition.expression', message: expect.stringMatching(/gives a number/) }])
  })
})
