import { generate } from 'otplib/functional'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Credentials,
  PASSWORD,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { createUser, openSession } from '../../auth/index.ts'
import { decodeId, encodeId } from '../../../platform/ids.ts'

let backend: TestBackend
let acme: TestOrganization
let owner: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  acme = await backend.organization('Acme')
  owner = await backend.member(acme, 'owner')
})
afterAll(() => backend.close())

const call = (method: string, path: string, as?: Credentials, body?: unknown, headers: Record<string, string> = {}) =>
  backend.call(method, `/v1/organizations${path}`, { ...(as ? { as } : {}), body, headers })

let outsiders = 0
/** A signed-in user who belongs to no organization. */
async function outsider(): Promise<Credentials & { userId: string }> {
  const { pool, clock, vedette } = backend
  outsiders += 1
  const userId = await createUser(pool.db, clock, `outsider${outsiders}@example.com`, 'no password')
  const { session } = await openSession({ db: pool.db, clock, tokens: vedette.tokens }, pool.db, userId, '192.0.2.1')
  return { authorization: `Bearer ${session.token}`, userId }
}

const audited = async (organization: TestOrganization) =>
  backend.pool.db
    .selectFrom('audit_event')
    .select(['action', 'actor_kind', 'actor_id', 'ip', 'details'])
    .where('organization', '=', organization.number)
    .where('action', 'like', 'organization.%')
    .orderBy('id')
    .execute()

describe('GET /v1/organizations', () => {
  it('lists those the caller belongs to, newest first, with the role there [LIST-06, ORG-01, ORG-02]', async () => {
    const user = await backend.member(acme, 'viewer')
    backend.clock.advance(1_000)
    const made = await call('POST', '', user, { name: 'Mine' })
    const { status, body } = await call('GET', '', user)
    expect(status).toBe(200)
    expect(body).toEqual({
      organizations: [
        { id: made.body.id, name: 'Mine', role: 'owner', created_at: '2026-11-20T18:07:11.000Z' },
        { id: acme.id, name: 'Acme', role: 'viewer', created_at: '2026-11-20T18:07:10.000Z' },
      ],
      total: 2,
      page: 1,
      limit: 100,
    })
    expect((await call('GET', '?limit=1&page=2', user)).body).toMatchObject({
      organizations: [{ id: acme.id }],
      total: 2,
      page: 2,
      limit: 1,
    })
    expect((await call('GET', '?page=1000000', user)).body).toMatchObject({ organizations: [], total: 2 })
  })

  it('is empty for a user without any, and the own one for a key of scope admin [ACCESS-24]', async () => {
    expect((await call('GET', '', await outsider())).body).toEqual({ organizations: [], total: 0, page: 1, limit: 100 })
    const key = await backend.apiKey(acme, 'admin')
    expect((await call('GET', '', key)).body).toMatchObject({ organizations: [{ id: acme.id, role: 'admin' }], total: 1 })
    expect((await call('GET', '?page=2', key)).body).toMatchObject({ organizations: [], total: 1 })
  })

  it.each(['?limit=0', '?limit=101', '?page=0', '?page=1000001', '?q=x', '?limit=1&limit=2', '?limit=x'])(
    '%s is a 400 that names the parameter [LIST-03, LIST-04, WIRE-16]',
    async (query) => {
      const { status, body } = await call('GET', query, owner)
      expect([status, body.error.details[0].path]).toEqual([400, /\?(\w+)/.exec(query)?.[1]])
    },
  )
})

describe('POST /v1/organizations', () => {
  it('creates an organization that the user owns, also for a user without one [ORG-05, WIRE-09]', async () => {
    const user = await outsider()
    const { status, body } = await call('POST', '', user, { name: 'New' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^org_/),
      name: 'New',
      plan: 'enterprise',
      member_count: 1,
      monitor_count: 0,
      server_count: 0,
      require_second_factor: false,
      api_key_max_days: null,
      language: 'en',
      created_at: new Date(backend.clock.now()).toISOString(),
    })
    expect((await call('GET', `/${body.id}/members`, user)).body.members).toMatchObject([{ role: 'owner' }])
    const { number } = await backend.pool.db
      .selectFrom('organization')
      .select('number')
      .where('id', '=', decodeId('organization', body.id))
      .executeTakeFirstOrThrow()
    expect(await audited({ ...acme, number })).toMatchObject([
      { action: 'organization.created', actor_kind: 'user', actor_id: user.userId, ip: '192.0.2.1', details: { name: 'New' } },
    ])
  })

  it('responds with the whole organization and its location [WIRE-10, WIRE-11]', async () => {
    const user = await outsider()
    const { body, headers } = await call('POST', '', user, { name: 'New' })
    expect(headers['location']).toBe(`/v1/organizations/${body.id}`)
    expect((await call('GET', `/${body.id}`, user)).body).toEqual(body)
  })

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: 7 }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'a\0b' }, 'name'],
  ])('%j is a 400 that names %s [WIRE-14]', async (body, path) => {
    const answer = await call('POST', '', owner, body)
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path])
  })
})

it('names its default rules in its language, and leaves a name that people chose', async () => {
  const user = await outsider()
  const { body } = await call('POST', '', user, { name: 'New' })
  const as = { ...user, 'x-organization-id': body.id }
  const rules = async (): Promise<{ id: string; name: string }[]> =>
    (await backend.call('GET', '/v1/alert-rules?limit=100', { as })).body.alert_rules
  const before = await rules()
  const changed = before.find(({ name }) => name === 'Disk failing')
  await backend.call('PATCH', `/v1/alert-rules/${changed?.id}`, { as, body: { name: 'Our disks' } })
  await call('PATCH', `/${body.id}`, user, { language: 'de' })
  const german = (await rules()).map(({ name }) => name)
  expect(german).toEqual(expect.arrayContaining(['Monitor ausgefallen', 'Dateisystem über 90 %', 'Our disks']))
  expect(german.filter((name) => before.some((rule) => rule.name === name))).toEqual([])
  await call('PATCH', `/${body.id}`, user, { language: 'en' })
  expect((await rules()).map(({ name }) => name)).toEqual(
    before.map(({ name }) => (name === 'Disk failing' ? 'Our disks' : name)),
  )
})

describe('one organization', () => {
  it('is returned with its counts to every member and to a key of scope admin [ACCESS-09, ORG-03, ORG-04]', async () => {
    const shop = await backend.organization('Shop')
    await backend.server(shop)
    const callers = [
      await backend.member(shop, 'viewer'),
      await backend.member(shop, 'member'),
      await backend.apiKey(shop, 'admin'),
    ]
    for (const as of callers) {
      const { status, body } = await call('GET', `/${shop.id}`, as)
      expect([status, body.member_count, body.server_count, body.monitor_count]).toEqual([200, 3, 1, 0])
    }
    expect((await call('GET', `/${shop.id}`, await backend.apiKey(shop, 'read', 'write', 'agent'))).status).toBe(403)
  })

  it('of the path counts, whatever the header names and whichever was joined first', async () => {
    const user = await backend.member(acme, 'viewer')
    const second = (await call('POST', '', user, { name: 'Second' })).body.id
    const rename = (id: string, header: string) =>
      call('PATCH', `/${id}`, user, { name: 'Renamed' }, { 'x-organization-id': header })
    expect((await rename(second, acme.id)).status).toBe(200)
    expect((await rename(acme.id, second)).status).toBe(403)
    expect((await call('GET', `/${second}`, user)).body.name).toBe('Renamed')
    expect((await call('GET', `/${acme.id}`, user)).body.name).toBe('Acme')
  })
})

describe('PATCH /v1/organizations/:id', () => {
  it('renames it for an owner and a key of scope admin, and writes it down [ACCESS-16, AUDIT-09, ORG-06]', async () => {
    const shop = await backend.organization('Shop')
    const boss = await backend.member(shop, 'owner')
    const { status, body } = await call('PATCH', `/${shop.id}`, boss, { name: 'Store' })
    expect([status, body.name, body.id, body.member_count]).toEqual([200, 'Store', shop.id, 2])
    expect((await call('PATCH', `/${shop.id}`, await backend.apiKey(shop, 'admin'), { name: 'Mart' })).status).toBe(200)
    expect((await call('PATCH', `/${shop.id}`, boss, { name: 'Mart' })).status).toBe(200)
    expect(await audited(shop)).toMatchObject([
      { action: 'organization.renamed', actor_kind: 'user', ip: '192.0.2.1', details: { from: 'Shop', to: 'Store' } },
      { action: 'organization.renamed', actor_kind: 'api_key', details: { from: 'Store', to: 'Mart' } },
    ])
  })

  it.each([['__proto__', 1, '']])('refuses %s by name [WIRE-14]', async (field, value, path) => {
    const answer = await call('PATCH', `/${acme.id}`, owner, `{"name": "Acme", "${field}": ${JSON.stringify(value)}}`)
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path])
    expect((await call('GET', `/${acme.id}`, owner)).body).toMatchObject({ id: acme.id, plan: 'enterprise', name: 'Acme' })
  })
})

describe('an organization that demands a second factor', () => {
  const enrol = async (as: Credentials) => {
    const { secret } = (await backend.call('POST', '/v1/auth/totp', { as, body: {} })).body
    const code = await generate({ secret, epoch: Math.floor(backend.clock.now() / 1000) })
    expect((await backend.call('POST', '/v1/auth/totp', { as, body: { code } })).status).toBe(200)
  }
  const demand = (id: string, as: Credentials, require_second_factor = true) =>
    call('PATCH', `/${id}`, as, { require_second_factor })

  it('refuses members without one until they set it up, and nobody else', async () => {
    const shop = await backend.organization('Shop')
    const boss = await backend.member(shop, 'owner')
    const user = await backend.member(shop, 'member')
    const key = await backend.apiKey(shop, 'read')
    const other = (await call('POST', '', user, { name: 'Other' })).body.id
    const read = async (as: Credentials, id = shop.id) =>
      (await backend.call('GET', '/v1/servers', { as, headers: { 'x-organization-id': id } })).status

    const early = await demand(shop.id, boss)
    expect([early.status, early.body.error.code]).toEqual([409, 'conflict'])
    expect((await demand(shop.id, await backend.apiKey(shop, 'admin'))).status).toBe(403)
    await enrol(boss)
    expect((await demand(shop.id, boss)).body).toMatchObject({ require_second_factor: true, name: 'Shop' })

    expect([await read(boss), await read(key), await read(user), await read(user, other)]).toEqual([200, 200, 403, 200])
    const refused = await call('GET', `/${shop.id}`, user)
    expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining('second factor')])
    const me = await backend.call('GET', '/v1/auth/me', { as: user })
    expect(me.body.organizations).toMatchObject([{ id: shop.id, needs_second_factor: true }, { needs_second_factor: false }])
    expect((await call('GET', '', user)).body.total).toBe(2)

    await enrol(user)
    expect(await read(user)).toBe(200)
    const kept = await backend.call('DELETE', '/v1/auth/totp', { as: user, body: { password: PASSWORD } })
    expect([kept.status, kept.body.error.message]).toEqual([409, expect.stringContaining('"Shop"')])
    expect((await demand(shop.id, boss, false)).status).toBe(200)
    expect((await backend.call('DELETE', '/v1/auth/totp', { as: user, body: { password: PASSWORD } })).status).toBe(204)
    expect(await read(user)).toBe(200)
    expect((await audited(shop)).map(({ action, details }) => [action, details])).toEqual([
      ['organization.setting_changed', { setting: 'require_second_factor', from: false, to: true }],
      ['organization.setting_changed', { setting: 'require_second_factor', from: true, to: false }],
    ])
  })

  it('lets a member without one leave', async () => {
    const shop = await backend.organization('Shop')
    const boss = await backend.member(shop, 'owner')
    const user = await backend.member(shop, 'member')
    await enrol(boss)
    await demand(shop.id, boss)
    const other = await backend.member(shop, 'viewer')
    const leave = (as: Credentials, whom: { userId: string }) =>
      call('DELETE', `/${shop.id}/members/${encodeId('user', whom.userId)}`, as)
    expect((await leave(user, other)).status).toBe(403)
    expect((await leave(user, user)).status).toBe(204)
  })
})

describe('DELETE /v1/organizations/:id', () => {
  it('removes all it holds, and its credentials are refused from the answer on [ORG-07, ORG-08, ORG-09]', async () => {
    const shop = await backend.organization('Shop')
    const boss = await backend.member(shop, 'owner')
    const viewer = await backend.member(shop, 'viewer')
    const key = await backend.apiKey(shop, 'admin')
    const server = await backend.server(shop)
    const at = new Date(backend.clock.now()).toISOString()
    const push = { batch_id: crypto.randomUUID(), sent_at: at, agent_version: '1', samples: [{ at, cpu: { percent: 1 } }] }
    expect((await backend.call('POST', '/v1/agent/metrics', { as: server.as, body: push })).status).toBe(202)
    await call('POST', `/${shop.id}/members/invite`, boss, { email: 'new@example.com', role: 'viewer' })
    const kept = await backend.server(acme)
    expect((await backend.call('POST', '/v1/agent/metrics', { as: kept.as, body: push })).status).toBe(202)

    for (const as of [key, viewer, await backend.member(shop, 'admin')])
      expect((await call('DELETE', `/${shop.id}`, as, { name: 'Shop' })).status).toBe(403)
    for (const [body, path] of [
      [{ name: 'shop' }, 'name'],
      [{}, 'name'],
      [undefined, ''],
      [{ name: 'Shop', force: true }, 'force'],
    ] as const) {
      const answer = await call('DELETE', `/${shop.id}`, boss, body)
      expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path])
    }
    const gone = await call('DELETE', `/${shop.id}`, boss, { name: 'Shop' })
    expect([gone.status, gone.body]).toEqual([204, undefined])

    expect((await call('GET', `/${shop.id}`, key)).status).toBe(401)
    expect((await backend.call('POST', '/v1/agent/metrics', { as: server.as, body: push })).status).toBe(401)
    expect((await call('GET', `/${shop.id}`, viewer)).status).toBe(403)
    expect((await call('GET', '', viewer)).body.total).toBe(0)
    const { db } = backend.pool
    const tables = [
      'membership',
      'credential',
      'api_key',
      'server',
      'server_state',
      'invitation',
      'invitation_token',
      'metric_push',
      'process_list',
      'alert_rule',
      'channel',
      'incident',
      'incident_event',
      'live_event',
      'notification_delivery',
    ] as const
    for (const table of tables) {
      const rows = await db.selectFrom(table).select('organization').where('organization', '=', shop.number).execute()
      expect(rows, table).toEqual([])
    }
    expect(await db.selectFrom('metric_push').select('server').where('organization', '=', acme.number).execute()).toHaveLength(1)
  })

  it('leaves a request that ran at the same time a 404, not an error', async () => {
    const shop = await backend.organization('Shop')
    const boss = await backend.member(shop, 'owner')
    const [deleted, ...others] = await Promise.all([
      call('DELETE', `/${shop.id}`, boss, { name: 'Shop' }),
      call('PATCH', `/${shop.id}`, boss, { name: 'Shop' }),
      ...Array.from({ length: 4 }, (_, index) =>
        call('POST', `/${shop.id}/members/invite`, boss, { email: `new${index}@example.com`, role: 'viewer' }),
      ),
    ])
    expect(deleted?.status).toBe(204)
    for (const { status } of others) expect([200, 201, 403, 404]).toContain(status)
  })
})
