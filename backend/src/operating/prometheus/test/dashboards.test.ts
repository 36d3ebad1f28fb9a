import { DAY_MS, HOUR_MS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAlertFixture } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { seedChecks, seedMonitor, seedRegion } from '../../../../test/seed-checks.ts'
import { compactChecks } from '../../../monitoring/checks/index.ts'
import { boards, filled, listsOf, queriesOf } from './boards.ts'
import { createMonitor, ENTITIES, push, startRegion, STATE } from './world.ts'

const RANGES_MS = [HOUR_MS, 6 * HOUR_MS, 7 * DAY_MS]

let backend: TestBackend
let reader: Credentials
const get = (path: string, parameters: Record<string, string>) =>
  backend.call('GET', `/v1/prometheus/api/v1/${path}?${new URLSearchParams(parameters).toString()}`, { as: reader })

/** Grafana's own data source against this backend: what it sends is what these tests send. */
describe('dashboards with Vedette as their data source', () => {
  beforeAll(async () => {
    backend = await startTestBackend()
    const organization = await backend.organization()
    reader = await backend.apiKey(organization, 'read')
    const admin = await backend.apiKey(organization, 'admin')
    const submit = await startRegion(backend, 'ams')
    const [web, ping] = ['https://web.example.com/', 'icmp://web.example.com']
    await createMonitor(backend, admin, { name: 'web', url: web, regions: ['ams'] })
    await createMonitor(backend, admin, { name: 'ping', type: 'icmp', url: ping, regions: ['ams'] })
    const promised = await seedMonitor(backend, organization, 3_600)
    const region = await seedRegion(backend, 'fra')
    const hours = Array.from({ length: 72 }, (_, hour) => ({
      region,
      atMs: (Math.floor(backend.clock.now() / HOUR_MS) - 72 + hour) * HOUR_MS,
      outcome: hour === 5 ? 2 : 0,
      responseUs: hour === 5 ? null : 100_000,
    }))
    await seedChecks(backend, organization, promised.number, hours)
    await compactChecks(backend.pool.db, backend.clock)
    const slo = { name: 'Shop', target: { id: promised.id }, objective: 90, window: '7d' }
    await backend.call('POST', '/v1/slos', { as: admin, body: slo })
    await (await createAlertFixture(backend, organization, admin, { name: 'Shop is down' })).open()
    const host = await backend.server(organization)
    await backend.call('PUT', '/v1/agent/facts', { as: host.as, body: { boot_time: '2026-01-01T00:00:00.000Z' } })
    for (let minute = 0; minute < 10; minute++) {
      backend.clock.advance(60_000)
      await push(backend, host.as, { state: { ...STATE, entities: ENTITIES } })
    }
    const certificate = { expires_at: '2037-01-01T00:00:00.000Z', issuer: 'CA', subject_names: [] }
    await submit([
      { url: web, certificate },
      { url: ping, status_code: null, tls_ms: null, http_version: null, facts: { packet_loss: 0 } },
    ])
  })
  afterAll(() => backend.close())

  it.each(queriesOf(boards))('have data for %s: %s', async (_title, expr) => {
    const nowMs = backend.clock.now()
    const found = []
    for (const rangeMs of RANGES_MS) {
      const { status, body } = await get('query_range', {
        query: filled(expr).replaceAll('[1h]', `[${rangeMs / 1_000}s]`),
        start: String((nowMs - rangeMs) / 1_000),
        end: String(nowMs / 1_000),
        step: String(Math.max(15, rangeMs / 100_000)),
      })
      found.push([status, body.error, body.data?.result.length > 0])
    }
    expect(found).toEqual(RANGES_MS.map(() => [200, undefined, true]))
  })

  it('have values for each of their lists', async () => {
    for (const definition of listsOf(boards)) {
      const [, series = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? []
      const { body } = await get(`label/${label}/values`, { 'match[]': filled(series) })
      expect(body.data, definition).not.toEqual([])
    }
  })
})
