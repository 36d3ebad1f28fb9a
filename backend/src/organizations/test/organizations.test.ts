import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../test/harness.ts'
import { createUser, openSession } from '../../auth/index.ts'
import { decodeId } from '../../platform/ids.ts'

const UNKNOWN = 'org_01h455vb4pex5vsknk084sn02q'

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

let strangers = 0
/** A signed-in user who belongs to no organization. */
async function stranger(): Promise<Credentials & { userId: string }> {
  const { pool, clock, vedette } = backend
  strangers += 1
  const userId = await createUser(pool.db, clock, `stranger${strangers}@example.com`, 'no password')
  const { token } = await openSession({ db: pool.db, clock, tokens: vedette.tokens }, pool.db, userId, '192.0.2.1')
  return { authorization: `Bearer ${token}`, userId }
}

const audited = async (organization: TestOrganization) =>
  backend.pool.db
    .selectFrom('audit_event')
    .select(['action', 'actor_kind', 'actor_id', 'ip', 'details'])
    .where('organization', '=', organization.number)
    .where('action', 'like', 'organization.%')
    .orderBy('id')
    .execute()

const routes: [method: string, path: string, body: unknown, permission: string][] = [
  ['GET', '', undefined, 'org:read'],
  ['PATCH', '', { name: 'Other' }, 'org:update'],
  ['DELETE', '', { name: 'Acme' }, 'org:delete'],
  ['GET', '/members', undefined, 'org:read'],
  ['PATCH', '/members/usr_01h455vb4pex5vsknk084sn02q', { role: 'viewer' }, 'members:update'],
  ['DELETE', '/members/usr_01h455vb4pex5vsknk084sn02q', undefined, 'members:remove'],
  ['POST', '/members/invite', { email: 'x@example.com', role: 'viewer' }, 'members:invite'],
  ['GET', '/invitations', undefined, 'members:invite'],
  ['DELETE', '/invitations/inv_01h455vb4pex5vsknk084sn02q', undefined, 'members:invite'],
]

describe('GET /v1/organizations', () => {
  it('lists those the caller belongs to, newest first, with the role there [LIST-01, LIST-06, LIST-07, LIST-09, ORG-01, ORG-02]', async () => {
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
    expect((await call('GET', '', await stranger())).body).toEqual({ organizations: [], total: 0, page: 1, limit: 100 })
    const key = await backend.apiKey(acme, 'admin')
    expect((await call('GET', '', key)).body).toMatchObject({ organizations: [{ id: acme.id, role: 'admin' }], total: 1 })
    expect((await call('GET', '?page=2', key)).body).toMatchObject({ organizations: [], total: 1 })
  })

  it.each(['?limit=0', '?limit=101', '?page=0', '?page=1000001', '?q=x', '?limit=1&limit=2', '?limit=x'])(
    '%s is a 400 that names the parameter [LIST-03, LIST-04, WIRE-15, WIRE-16]',
    async (query) => {
      const { status, body } = await call('GET', query, owner)
      expect([status, body.error.details[0].path]).toEqual([400, /\?(\w+)/.exec(query)?.[1]])
    },
  )

  it('is a 401 without credentials, a 403 for lesser keys, server tokens and a foreign organization in the header [ACCESS-06, ACCESS-22, ERROR-06, ERROR-08]', async () => {
    expect((await call('GET', '')).status).toBe(401)
    const refused = [await backend.apiKey(acme, 'read', 'write', 'agent'), (await backend.server(acme)).as]
    for (const as of refused) expect((await call('GET', '', as)).status).toBe(403)
    const foreign = await backend.organization('Foreign')
    for (const id of [foreign.id, 'nonsense', '']) {
      expect((await call('GET', '', owner, undefined, { 'x-organization-id': id })).status).toBe(403)
      expect((await call('GET', `/${acme.id}`, owner, undefined, { 'x-organization-id': id })).status).toBe(403)
    }
  })
})

describe('POST /v1/organizations', () => {
  it('makes one that the user owns, also for a user without any [ACCESS-24, AUDIT-09, ORG-03, ORG-05, WIRE-09, WIRE-10, WIRE-11]', async () => {
    const user = await stranger()
    const { status, body, headers } = await call('POST', '', user, { name: 'New' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^org_/),
      name: 'New',
      plan: 'enterprise',
      member_count: 1,
      monitor_count: 0,
      server_count: 0,
      created_at: new Date(backend.clock.now()).toISOString(),
    })
    expect(headers['location']).toBe(`/v1/organizations/${body.id}`)
    expect((await call('GET', `/${body.id}`, user)).body).toEqual(body)
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

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: 7 }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'a\0b' }, 'name'],
    [{ name: 'New', plan: 'enterprise' }, 'plan'],
    [{ name: 'New', id: UNKNOWN }, 'id'],
    [{ name: 'New', created_at: '2020-01-01T00:00:00.000Z' }, 'created_at'],
  ])('%j is a 400 that names %s [WIRE-14]', async (body, path) => {
    const answer = await call('POST', '', owner, body)
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path])
  })

  it('is a 401 without credentials and a 403 for keys of every scope', async () => {
    expect((await call('POST', '', undefined, { name: 'New' })).status).toBe(401)
    const refused = [await backend.apiKey(acme, 'admin', 'write', 'read', 'agent'), (await backend.server(acme)).as]
    for (const as of refused) expect((await call('POST', '', as, { plan: 1 })).status).toBe(403)
  })
})

describe('one organization', () => {
  it('is told with its counts to every member and to a key of scope admin [ACCESS-09, ORG-03, ORG-04]', async () => {
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

  it.each(routes)(
    '%s %s is one and the same 404 for whatever is not theirs [ACCESS-07, ERROR-09, ERROR-10, WIRE-07, WIRE-08]',
    async (method, path, body) => {
      const foreign = await backend.organization('Acme')
      const gone = (await call('POST', '', owner, { name: 'Gone' })).body.id
      await call('DELETE', `/${gone}`, owner, { name: 'Gone' })
      const answers = new Set<string>()
      for (const as of [
        owner,
        await backend.member(acme, 'viewer'),
        await backend.apiKey(acme, 'admin'),
        await backend.apiKey(acme, 'read'),
      ]) {
        for (const id of [foreign.id, gone, UNKNOWN, 'nonsense', acme.id.toUpperCase(), acme.id.replace('org', 'usr'), '%00']) {
          const { status, body: answer } = await call(method, `/${id}${path}`, as, body)
          answers.add(`${status} ${answer.error.code} ${answer.error.message}`)
        }
      }
      expect([...answers]).toEqual(['404 not_found There is nothing here under this name.'])
    },
  )

  it.each(routes)(
    '%s %s judges credentials, then permissions, then the body, then existence [ERROR-24, ERROR-25, ERROR-26]',
    async (method, path, body, permission) => {
      const bad = body === undefined ? undefined : { wrong: 1 }
      const ask = async (id: string, as: Credentials | undefined) => (await call(method, `/${id}${path}`, as, bad)).status
      expect(await ask(UNKNOWN, undefined)).toBe(401)
      expect(await ask(acme.id, { authorization: 'Bearer nonsense' })).toBe(401)
      const lesser = [await backend.apiKey(acme, 'read', 'write', 'agent'), (await backend.server(acme)).as]
      if (permission !== 'org:read') lesser.push(await backend.member(acme, 'viewer'), await backend.member(acme, 'member'))
      for (const as of lesser) expect(await ask(acme.id, as)).toBe(403)
      expect(await ask(UNKNOWN, (await backend.server(acme)).as)).toBe(403)
      expect(await ask(UNKNOWN, await stranger())).toBe(403)
      const answers = [await ask(acme.id, owner), await ask(UNKNOWN, owner)]
      // What fails, if anything, without a body: that the member or the invitation of the path is not there.
      expect(answers).toEqual(bad ? [400, 400] : [method === 'GET' ? 200 : 404, 404])
    },
  )
})

describe('PATCH /v1/organizations/:id', () => {
  it('renames it for an owner and a key of scope admin, and writes it down [ACCESS-16, AUDIT-09, ORG-06, WIRE-12]', async () => {
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

  it.each([
    ['plan', 'enterprise', 'plan'],
    ['id', UNKNOWN, 'id'],
    ['created_at', '2020-01-01T00:00:00.000Z', 'created_at'],
    ['member_count', 1, 'member_count'],
    ['__proto__', 1, ''],
  ])('refuses %s by name [WIRE-14]', async (field, value, path) => {
    const answer = await call('PATCH', `/${acme.id}`, owner, `{"name": "Acme", "${field}": ${JSON.stringify(value)}}`)
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path])
    expect((await call('GET', `/${acme.id}`, owner)).body).toMatchObject({ id: acme.id, plan: 'enterprise', name: 'Acme' })
  })

  it('is not for an admin [ACCESS-16]', async () => {
    expect((await call('PATCH', `/${acme.id}`, await backend.member(acme, 'admin'), { name: 'X' })).status).toBe(403)
  })
})

describe('DELETE /v1/organizations/:id', () => {
  it('removes all it holds, and its credentials are refused from the answer on [ACCESS-17, ORG-07, ORG-08, ORG-09, WIRE-13]', async () => {
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
