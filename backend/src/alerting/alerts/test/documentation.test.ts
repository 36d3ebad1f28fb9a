import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { measure } from '../../../../test/measured-server.ts'
import { incidentsOf, watch } from '../../../../test/watched-monitor.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
})
afterAll(() => backend.close())

const NOTHING = { description: null, runbook_url: null, responsible: null, links: [] }
const TARGET = {
  description: 'Restart `shop-api` first.\n- see [the log](https://logs.example.com)',
  runbook_url: 'https://wiki.example.com/shop',
  responsible: 'Team Shop',
  links: [{ name: 'Dashboard', url: 'https://grafana.example.com/d/shop' }],
}
const RULE = { description: 'Ring the plant.', runbook_url: 'https://wiki.example.com/rule' }

const call = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
  backend.call(method, path, { as: admin, ...(body && { body }) })
const newRule = (own: object = {}) => ({
  name: randomUUID(),
  target: { type: 'server' },
  condition: { metric: 'memory.percent', operator: 'greater_than', value: 90 },
  ...own,
})
const pick = (body: object, names: object) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, (body as Record<string, unknown>)[name]]))

interface Kind {
  names: object
  given: object
  create(own: object): Promise<string>
}
const KINDS: Record<string, Kind> = {
  monitors: {
    names: NOTHING,
    given: TARGET,
    create: async (own) =>
      (await call('POST', '/v1/monitors', { name: 'Shop', url: 'https://shop.example.com', ...own })).body.id,
  },
  composites: {
    names: NOTHING,
    given: TARGET,
    create: async (own) => {
      const options = { members: [{ type: 'monitor', tag: 'none' }], down_when: { all_down: true } }
      return (await call('POST', '/v1/monitors', { name: 'Shop', type: 'composite', options, ...own })).body.id
    },
  },
  servers: {
    names: NOTHING,
    given: TARGET,
    create: async (own) => {
      const { id } = await backend.server(organization)
      if (Object.keys(own).length > 0) await call('PATCH', `/v1/servers/${id}`, own)
      return id
    },
  },
  'alert-rules': {
    names: RULE,
    given: RULE,
    create: async (own) => (await call('POST', '/v1/alert-rules', newRule(own))).body.id,
  },
}
const pathOf = (kind: string, id: string) => `/v1/${kind === 'composites' ? 'monitors' : kind}/${id}`

describe.each(Object.entries(KINDS))('what people say about %s', (kind, { names, given, create }) => {
  it('is nothing at first, is stored as it was sent, and is taken back', async () => {
    const empty = Object.fromEntries(Object.entries(NOTHING).filter(([name]) => Object.hasOwn(names, name)))
    const id = await create({})
    expect(pick((await call('GET', pathOf(kind, id))).body, names)).toEqual(empty)
    expect((await call('PATCH', pathOf(kind, id), given)).body).toMatchObject(given)
    expect((await call('GET', pathOf(kind, id))).body).toMatchObject(given)
    await call('PATCH', pathOf(kind, id), empty)
    expect(pick((await call('GET', pathOf(kind, id))).body, names)).toEqual(empty)
    const full = await create(given)
    expect((await call('GET', pathOf(kind, full))).body).toMatchObject(given)
  })

  const faults: [field: string, value: unknown, path: string][] = [
    ['description', 'a'.repeat(4_001), 'description'],
    ['description', '  ', 'description'],
    ['runbook_url', 'javascript:alert(1)', 'runbook_url'],
    ['runbook_url', 'ftp://example.com', 'runbook_url'],
    ['runbook_url', `https://${'a'.repeat(1_000)}`, 'runbook_url'],
    ['runbook_url', 'https://a|b', 'runbook_url'],
  ]
  const ofTargets: [field: string, value: unknown, path: string][] = [
    ['responsible', 'a'.repeat(201), 'responsible'],
    ['links', Array.from({ length: 11 }, () => ({ name: 'a', url: 'https://a' })), 'links'],
    ['links', [{ name: 'a', url: 'data:x' }], 'links.0.url'],
    ['links', [{ name: 'a'.repeat(101), url: 'https://a' }], 'links.0.name'],
    ['links', [{ url: 'https://a' }], 'links.0.name'],
  ]
  it.each([...faults, ...(kind === 'alert-rules' ? [] : ofTargets)])('refuses %s as %j', async (field, value, path) => {
    const { status, body } = await call('PATCH', pathOf(kind, await create({})), { [field]: value })
    expect([status, body.error.details[0]?.path]).toEqual([400, path])
  })
})

it('a change of what a rule says leaves its incidents open', async () => {
  const { uuid, goes } = await watch(backend, admin)
  await goes('down')
  await backend.jobs.evaluateSignals()
  const rule = (await call('GET', '/v1/alert-rules?limit=100')).body.alert_rules.find(
    ({ name }: { name: string }) => name === 'Monitor down',
  )
  await call('PATCH', `/v1/alert-rules/${rule.id}`, RULE)
  expect((await incidentsOf(backend, uuid)).map(({ resolved_at: at }) => at)).toEqual([null])
  await call('PATCH', `/v1/alert-rules/${rule.id}`, { description: null, runbook_url: null })
})

it('the evidence of an incident has what its rule and its target said when it opened', async () => {
  const { id, uuid, goes } = await watch(backend, admin, TARGET)
  await goes('down')
  await backend.jobs.evaluateSignals()
  await call('PATCH', `/v1/monitors/${id}`, { description: 'later' })
  const host = await measure(backend, organization)
  await call('PATCH', `/v1/servers/${host.id}`, { responsible: 'Ada' })
  await call('POST', '/v1/alert-rules', newRule(RULE))
  await host.sends({ 'memory.percent': [99] })
  await backend.vedette.flushAll()
  await backend.jobs.evaluateServers()
  const documentation = async (target: string) =>
    (await incidentsOf(backend, target)).map(({ evidence }) => evidence['documentation'])
  expect(await documentation(uuid)).toEqual([{ target: TARGET }])
  expect(await documentation(host.uuid)).toContainEqual({ rule: RULE, target: { ...NOTHING, responsible: 'Ada' } })
})

it('the audit log names the fields of a server that were changed, without their texts', async () => {
  const { id } = await backend.server(organization)
  await call('PATCH', `/v1/servers/${id}`, { ...TARGET, display_name: 'Front' })
  const { details } = await backend.pool.db
    .selectFrom('audit_event')
    .select('details')
    .where('action', '=', 'server.updated')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  expect(details).toEqual({
    hostname: expect.any(String),
    display_name: 'Front',
    changed: ['description', 'links', 'responsible', 'runbook_url'],
  })
})

it('is part of the configuration', async () => {
  const resources = [{ kind: 'monitor', ref: 'shop', spec: { name: 'Shop', url: 'https://shop.example.com', ...TARGET } }]
  const body = { owner: 'git:infra', resources }
  const proposed = await call('POST', '/v1/change-sets', body)
  expect([proposed.status, proposed.body.error]).toEqual([201, undefined])
  await call('POST', `/v1/change-sets/${proposed.body.id}/apply`, {})
  const { monitors } = (await call('GET', '/v1/monitors?q=Shop&limit=100')).body
  const details = await Promise.all(monitors.map(({ id }: { id: string }) => call('GET', `/v1/monitors/${id}`)))
  expect(details.map(({ body }) => body).filter(({ managed }) => managed?.ref === 'shop')).toEqual([
    expect.objectContaining(TARGET),
  ])
})
