import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { parseId } from '../../../platform/ids.ts'

const UNKNOWN = '01h455vb4pex5vsknk084sn02q'
const down = { metric: 'status', operator: 'equals', value: 'down' }
const memory = { metric: 'memory.percent', operator: 'greater_than', value: 90 }

let backend: TestBackend
let organization: TestOrganization
let member: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  member = await backend.member(organization, 'member')
})
afterAll(() => backend.close())

const call = (method: string, path: string, body?: unknown, as = member) =>
  backend.call(method, `/v1/alert-rules${path}`, { as, body })
const rule = (own: object = {}) => ({ name: 'rule', target: { type: 'monitor' }, condition: down, ...own })
const make = async (own: object = {}, as = member) => {
  const answer = await call('POST', '', rule(own), as)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body
}
const monitor = async (own: object = {}, as = member) =>
  (await backend.call('POST', '/v1/monitors', { as, body: { name: 'site', url: 'https://example.com/', ...own } })).body
const rulesOf = async (id: string) =>
  (await backend.call('GET', `/v1/monitors/${id}`, { as: member })).body.alert_rules.map(({ name }: { name: string }) => name)
const actions = async (id: string) =>
  (
    await backend.pool.db
      .selectFrom('audit_event')
      .select(['action', 'details'])
      .where('target_id', '=', parseId('alertRule', id) as string)
      .orderBy('id')
      .execute()
  ).map(({ action, details }) => [action, details])

describe('a new organization', () => {
  it('has rules for monitor down, server offline, filesystem, memory and each finding, without a channel [ALERT-13]', async () => {
    const own = await backend.organization('New')
    const { body } = await call('GET', '?limit=100', undefined, await backend.member(own, 'viewer'))
    const rules = body.alert_rules.map((one: Record<string, unknown>) => [
      one['name'],
      (one['target'] as { type: string }).type,
      one['condition'],
      one['for_seconds'],
      one['channel_ids'],
      one['enabled'],
    ])
    expect(rules).toHaveLength(24)
    expect(rules).toEqual(
      expect.arrayContaining([
        ['Monitor down', 'monitor', down, 0, [], true],
        ['Server offline', 'server', { ...down, value: 'offline' }, 0, [], true],
        ['Filesystem above 90 %', 'server', { ...memory, metric: 'filesystem.percent', mount: null }, 0, [], true],
        ['Memory above 95 %', 'server', { ...memory, value: 95 }, 600, [], true],
        ['Disk failing', 'server', { ...down, metric: 'health.disk_failing', value: 1 }, 0, [], true],
      ]),
    )
    expect(rules.map(([, , { metric }]: [string, string, { metric: string }]) => metric)).not.toContain('health.reboot_required')
  })
})

describe('POST /v1/alert-rules/defaults', () => {
  it('creates the default rules that are missing, and leaves those that were changed', async () => {
    const own = await backend.organization('Old')
    const as = await backend.member(own, 'admin')
    const rules = async () => (await call('GET', '?limit=100', undefined, as)).body.alert_rules as { id: string; name: string }[]
    const idOf = async (name: string) => (await rules()).find((one) => one.name === name)?.id
    for (const name of ['Disk failing', 'Server offline']) await call('DELETE', `/${await idOf(name)}`, undefined, as)
    await call('PATCH', `/${await idOf('Unit failed')}`, { enabled: false, name: 'Off' }, as)
    const added = async () =>
      (await call('POST', '/defaults', undefined, as)).body.alert_rules.map(({ name }: { name: string }) => name)
    expect(await added()).toEqual(['Disk failing', 'Server offline'])
    expect(await added()).toEqual([])
    expect(await rules()).toHaveLength(24)
    expect((await call('POST', '/defaults', undefined, await backend.member(own, 'viewer'))).status).toBe(403)
  })

  it('creates each once, where two requests come at once', async () => {
    const own = await backend.organization('Old')
    const as = await backend.member(own, 'admin')
    await backend.pool.db.deleteFrom('alert_rule').where('organization', '=', own.number).execute()
    const both = await Promise.all([call('POST', '/defaults', undefined, as), call('POST', '/defaults', undefined, as)])
    expect(new Set(both.map(({ body }) => body.alert_rules.length))).toEqual(new Set([0, 24]))
  })
})

describe('POST /v1/alert-rules', () => {
  it('creates a rule with every field, by default without a duration [ALERT-01, ALERT-06, ALERT-10]', async () => {
    const { status, body, headers } = await call('POST', '', rule())
    expect([status, headers['location']]).toEqual([201, `/v1/alert-rules/${body.id}`])
    const at = new Date(backend.clock.now()).toISOString()
    expect(body).toEqual({
      id: expect.stringMatching(/^alr_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      name: 'rule',
      enabled: true,
      target: { type: 'monitor', id: null, tag: null },
      condition: down,
      clear_value: null,
      for_seconds: 0,
      severity: 'critical',
      channel_ids: [],
      escalation_policy_id: null,
      repeat_seconds: null,
      description: null,
      runbook_url: null,
      managed: null,
      created_at: at,
      updated_at: at,
    })
    expect((await call('GET', `/${body.id}`)).body).toEqual(body)
    expect(await actions(body.id)).toEqual([['alert_rule.created', { name: 'rule' }]])
  })

  it('stores every field that is given', async () => {
    const { id: server } = await backend.server(organization)
    const given = {
      name: 'disk',
      enabled: false,
      target: { type: 'server', id: server, tag: null },
      condition: { metric: 'filesystem.percent', mount: '/var', operator: 'greater_than', value: 85.5 },
      clear_value: 80,
      for_seconds: 86_400,
      severity: 'info',
      repeat_seconds: 60,
    }
    expect(await make(given)).toMatchObject(given)
  })

  async function expectRefusal(path: string, own: object) {
    const { status, body } = await call('POST', '', rule(own))
    expect([status, body.error.details?.[0].path]).toEqual([400, path])
  }
  it.each([
    ['name', { name: '' }],
    ['target', { target: undefined }],
    ['target.type', { target: { type: 'region' } }],
    ['target.tag', { target: { type: 'monitor', tag: '' } }],
    ['target.ids', { target: { type: 'monitor', ids: [] } }],
    ['condition.operator', { condition: { ...down, operator: 'not_equals' } }],
    ['condition.value', { condition: { ...down, value: true } }],
    ['condition.value', { condition: { ...down, value: 'up' } }],
    ['condition.metric', { condition: memory }],
    ['clear_value', { clear_value: 5 }],
    [
      'condition.operator',
      { target: { type: 'server' }, condition: { metric: 'filesystem.days_until_full', operator: 'greater_than', value: 14 } },
    ],
    ['channel_ids', { channel_ids: ['a', 'a'] }],
    ['channel_ids.0', { channel_ids: ['nonsense'] }],
    ['channel_ids.0', { channel_ids: [`chn_${UNKNOWN}`] }],
    ['id', { id: null }],
  ])('is a 400 naming %s for %j [WIRE-14]', expectRefusal)

  it.each([
    ['for_seconds', { for_seconds: -1 }],
    ['for_seconds', { for_seconds: 86_401 }],
    ['for_seconds', { for_seconds: 1.5 }],
    ['severity', { severity: 'fatal' }],
    ['repeat_seconds', { repeat_seconds: 59 }],
  ])('is a 400 naming %s for %j, out of its range [ALERT-06, ALERT-07, ALERT-08]', expectRefusal)

  it('gives the same answer for a target that is malformed, unknown, of another type or of another organization [WIRE-18]', async () => {
    const other = await backend.member(await backend.organization('Other'), 'owner')
    const foreign = await monitor({}, other)
    const { id: server } = await backend.server(organization)
    for (const id of ['nonsense', `mon_${UNKNOWN}`, foreign.id, server]) {
      const { status, body } = await call('POST', '', rule({ target: { type: 'monitor', id } }))
      expect([status, body.error.message]).toEqual([400, 'target.id: is not a monitor of this organization'])
    }
  })
})

describe('PATCH /v1/alert-rules/:id', () => {
  it('changes the fields that are given and audits them; the same again changes nothing [ALERT-10]', async () => {
    const made = await make()
    backend.clock.advance(1_000)
    const change = { severity: 'warning', repeat_seconds: 3_600 }
    const { status, body } = await call('PATCH', `/${made.id}`, change)
    const at = new Date(backend.clock.now()).toISOString()
    expect([status, body]).toEqual([200, { ...made, ...change, updated_at: at }])
    backend.clock.advance(1_000)
    expect((await call('PATCH', `/${made.id}`, change)).body).toEqual(body)
    expect(await actions(made.id)).toEqual([
      ['alert_rule.created', { name: 'rule' }],
      ['alert_rule.updated', { name: 'rule', changed: ['repeat_seconds', 'severity'] }],
    ])
  })

  it('validates the whole rule: a condition that contradicts the stored fields is refused', async () => {
    const made = await make({ target: { type: 'server' }, condition: memory, clear_value: 80 })
    const { status, body } = await call('PATCH', `/${made.id}`, { condition: { ...memory, value: 70 } })
    expect([status, body.error.details[0].path]).toEqual([400, 'clear_value'])
    expect((await call('PATCH', `/${made.id}`, { target: { type: 'monitor' } })).status).toBe(400)
    expect((await call('GET', `/${made.id}`)).body).toEqual(made)
  })

  it('is a 404 for what is unknown, malformed or of another organization', async () => {
    const made = await make()
    const outsider = await backend.member(await backend.organization('Strange'), 'owner')
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { name: 'mine' } : undefined
      for (const id of ['nonsense', `alr_${UNKNOWN}`]) expect((await call(method, `/${id}`, body)).status).toBe(404)
      expect((await call(method, `/${made.id}`, body, outsider)).status).toBe(404)
    }
    expect((await call('GET', `/${made.id}`)).body).toEqual(made)
  })
})

describe('DELETE /v1/alert-rules/:id', () => {
  it('deletes the rule, once [ALERT-10, WIRE-13]', async () => {
    const { id } = await make()
    expect((await call('DELETE', `/${id}`)).status).toBe(204)
    expect([(await call('DELETE', `/${id}`)).status, (await call('GET', `/${id}`)).status]).toEqual([404, 404])
    expect((await actions(id)).at(-1)).toEqual(['alert_rule.deleted', { name: 'rule' }])
  })

  it('happens with the deletion of the only target of a rule', async () => {
    const admin = await backend.member(organization, 'admin')
    const { id: site } = await monitor()
    const { id: server } = await backend.server(organization)
    const ofMonitor = await make({ target: { type: 'monitor', id: site } })
    const ofServer = await make({ target: { type: 'server', id: server }, condition: memory })
    const ofAll = await make()
    for (const url of [`/v1/monitors/${site}`, `/v1/servers/${server}`])
      expect((await backend.call('DELETE', url, { as: admin })).status).toBe(204)
    const left = await Promise.all([ofMonitor, ofServer, ofAll].map(async ({ id }) => (await call('GET', `/${id}`)).status))
    expect(left).toEqual([404, 404, 200])
  })
})

it('the details of a monitor contain the enabled rules that apply, and no others [ALERT-02, MON-06]', async () => {
  const own = await backend.organization('Details')
  const as = await backend.member(own, 'owner')
  const [first, second] = [await monitor({ tags: ['prod'] }, as), await monitor({}, as)]
  const made = [
    await make({ name: 'of the first', target: { type: 'monitor', id: first.id } }, as),
    await make({ name: 'of the second', target: { type: 'monitor', id: second.id } }, as),
    await make({ name: 'of a tag', target: { type: 'monitor', tag: 'prod' } }, as),
    await make({ name: 'of all', severity: 'info' }, as),
  ]
  await make({ name: 'off', enabled: false }, as)
  await make({ name: 'of servers', target: { type: 'server' }, condition: memory }, as)
  member = as
  expect((await rulesOf(first.id)).toSorted()).toEqual(['Monitor down', 'of a tag', 'of all', 'of the first'])
  expect((await rulesOf(second.id)).toSorted()).toEqual(['Monitor down', 'of all', 'of the second'])
  const { alert_rules: rules } = (await backend.call('GET', `/v1/monitors/${first.id}`, { as })).body
  expect(rules).toContainEqual(made[3])
})
