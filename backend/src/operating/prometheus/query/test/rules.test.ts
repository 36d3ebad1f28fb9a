import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAlertFixture } from '../../../../../test/alert-fixture.ts'
import { startTestBackend, type TestBackend } from '../../../../../test/harness.ts'
import { seedMonitor } from '../../../../../test/seed-checks.ts'
import { readAlerts, readRules } from '../rules.ts'
import { scopeOf } from '../sources/test/queries.ts'

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

it('rules and alerts are those of the organization that are evaluated, in two statements', async () => {
  const organization = await backend.organization()
  const as = await backend.apiKey(organization, 'admin')
  const before = (await readRules(scopeOf(backend, organization).scope)).groups[0]?.rules.length ?? 0
  const shop = await createAlertFixture(backend, organization, as, { name: 'Shop is down', severity: 'warning' })
  const off = await createAlertFixture(backend, organization, as, { name: 'Off', enabled: false })
  const gone = await createAlertFixture(backend, organization, as, { name: 'Gone' })
  await gone.call('DELETE', `/v1/alert-rules/${gone.ruleId}`)
  const target = { id: (await seedMonitor(backend, organization)).id }
  await off.call('POST', '/v1/slos', { name: 'Promise', target, objective: 99, burn_alerts: ['1h'] })
  const [open, resolved] = [await shop.open({ severity: 'warning' }), await shop.open()]
  await shop.resolve(resolved)
  const { scope, count } = scopeOf(backend, organization)
  const { groups } = await readRules(scope)
  expect(count()).toBe(2)
  const rules = groups.flatMap((group) => group.rules).slice(before)
  expect(rules.map(({ name, state, query }) => [name, state, query])).toEqual([
    ['Shop is down', 'firing', 'vedette_monitor_status{status="down"}'],
    ['Promise', 'inactive', 'burn_rate over 3600 s is above 14.4'],
  ])
  const { alerts } = await readAlerts(scope)
  expect(alerts.map(({ labels }) => [labels['alertname'], labels['severity'], labels['instance']])).toEqual([
    ['Shop is down', 'warning', 'Shop'],
  ])
  expect(open).not.toBe(resolved)
  const other = scopeOf(backend, await backend.organization('Unrelated')).scope
  expect(await readAlerts(other)).toEqual({ alerts: [] })
})
