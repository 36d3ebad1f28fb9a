import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { measure } from '../../../../test/measured-server.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { BUSY, bodyOf, createSeriesRule } from './series-rule.ts'

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
const host = () => measure(backend, organization)
/** A minute passes, and the rules are evaluated. */
async function minute(): Promise<void> {
  backend.clock.advance(60_000)
  await backend.jobs.evaluateSeries()
}

describe('the API', () => {
  it('gives a rule back as it is stored', async () => {
    const made = await rule(BUSY)
    expect(made).toMatchObject({
      target: { type: 'series', id: null, tag: null },
      condition: { metric: 'promql', operator: 'equals', value: 1, expression: BUSY, every_seconds: 60 },
      last_error: null,
    })
    expect(made.condition).not.toHaveProperty('mount')
    await backend.call('DELETE', `/v1/alert-rules/${made.id}`, { as: admin })
  })

  const promql = (own: object) => ({ condition: { metric: 'promql', expression: BUSY, ...own } })
  it.each<[string, object, string, RegExp]>([
    ['a number', promql({ expression: '1 + 1' }), 'condition.expression', /gives a number/],
    ['a text', promql({ expression: '"a"' }), 'condition.expression', /gives a text/],
    ['ranges', promql({ expression: 'up[5m]' }), 'condition.expression', /gives ranges of samples/],
    ['what is no PromQL', promql({ expression: 'up ==' }), 'condition.expression', /is no PromQL: 1:6: parse error/],
    ['no expression', { condition: { metric: 'promql' } }, 'condition.expression', /is required for promql/],
    ['an empty one', promql({ expression: '' }), 'condition.expression', /./],
    ['one that is too long', promql({ expression: `up{a="${'x'.repeat(4_096)}"}` }), 'condition.expression', /4,?096/],
    ['29 s', promql({ every_seconds: 29 }), 'condition.every_seconds', /30/],
    ['301 s', promql({ every_seconds: 301 }), 'condition.every_seconds', /300/],
    ['a comparison', promql({ operator: 'greater_than', value: 5 }), 'condition.value', /or left out/],
    ['a clear value', { ...promql({}), clear_value: 1 }, 'clear_value', /must be null for promql/],
    ['a mount', promql({ mount: '/' }), 'condition.mount', /allowed/],
    ['a target', { ...promql({}), target: { type: 'series', tag: 'a' } }, 'target.tag', /must be null for series/],
    ['an id', { ...promql({}), target: { type: 'series', id: 'srv_x' } }, 'target.id', /must be null for series/],
    ['servers', { ...promql({}), target: { type: 'server' } }, 'target.type', /must be series for promql/],
    [
      'another metric',
      { condition: { metric: 'cpu.percent', operator: 'equals', value: 1 } },
      'condition.metric',
      /must be promql/,
    ],
    [
      'an expression of another metric',
      { target: { type: 'server' }, condition: { metric: 'status', operator: 'equals', value: 'offline', expression: BUSY } },
      'condition.expression',
      /allowed for promql only/,
    ],
    [
      'no operator of another metric',
      { target: { type: 'server' }, condition: { metric: 'cpu.percent', value: 1 } },
      'condition.operator',
      /is required/,
    ],
    [
      'no value of another metric',
      { target: { type: 'server' }, condition: { metric: 'cpu.percent', operator: 'equals' } },
      'condition.value',
      /must be a number/,
    ],
  ])('refuses %s', async (_, own, path, message) => {
    const { status, body } = await backend.call('POST', '/v1/alert-rules', { as: admin, body: bodyOf(BUSY, own) })
    expect([status, body.error.code]).toEqual([400, 'validation_error'])
    const details = body.error.details as { path: string; message: string }[]
    expect(details.map((one) => one.path)).toEqual([path])
    expect(details[0]?.message).toMatch(message)
  })

  it('is a resource of a change set that stays as it is when it is applied again', async () => {
    const spec = bodyOf(BUSY, { condition: { metric: 'promql', expression: BUSY, every_seconds: 120 } })
    const resources = [
      { kind: 'alert_rule', ref: 'busy', spec },
      { kind: 'alert_rule', ref: 'default', spec: bodyOf(BUSY, { name: 'By default' }) },
    ]
    const as = await backend.member(organization, 'owner')
    const post = async (path: string, body: object) => (await backend.call('POST', `/v1/change-sets${path}`, { as, body })).body
    const propose = (given: object) => post('', { owner: 'git:infra', resources: given })
    const { id, steps } = await propose(resources)
    expect(steps).toMatchObject([{ action: 'create' }, { action: 'create' }])
    await post(`/${id}/apply`, {})
    expect((await propose(resources)).steps).toEqual([])
    const stored = (await backend.call('GET', '/v1/configuration?owner=git:infra', { as })).body.resources
    expect((await propose(stored)).steps).toEqual([])
    await post(`/${id}/undo`, {})
  })

  it('refuses in a change what it refuses in a new rule', async () => {
    const { id } = await rule(BUSY)
    const patch = async (body: object) =>
      (await backend.call('PATCH', `/v1/alert-rules/${id}`, { as: admin, body })).body.error.details.map(
        ({ path }: { path: string }) => path,
      )
    expect(await patch(promql({ expression: '1' }))).toEqual(['condition.expression'])
    expect(await patch({ target: { type: 'server' } })).toEqual(['target.type'])
    expect(await patch({ target: { type: 'server' }, condition: { metric: 'cpu.percent' } })).toEqual(['condition.operator'])
    await backend.call('DELETE', `/v1/alert-rules/${id}`, { as: admin })
  })

  it('shows rules and alerts as Prometheus does, with the labels of the series', async () => {
    const { id, sends } = await host()
    await rule(BUSY, { severity: 'warning' })
    await sends({ 'cpu.percent': [95] })
    await minute()
    const as = await backend.apiKey(organization, 'read')
    const { data } = (await backend.call('GET', '/v1/prometheus/api/v1/rules', { as })).body
    expect(data.groups[0].rules).toMatchObject([{ query: BUSY, duration: 0, state: 'firing', health: 'ok' }])
    const labels = { alertname: 'Busy hosts', severity: 'warning', instance: 'web-1', server_id: id }
    const alerts = (await backend.call('GET', '/v1/prometheus/api/v1/alerts', { as })).body.data.alerts
    expect(alerts).toMatchObject([{ labels, value: '9.5e+01' }])
    expect(Object.keys(alerts[0].labels)).toHaveLength(4)
  })
})
