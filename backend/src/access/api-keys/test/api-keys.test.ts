import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  type Credentials,
  PASSWORD,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'

const UNKNOWN = 'key_01h455vb4pex5vsknk084sn02q'
const ID = /^key_[0-7][0-9a-hjkmnp-tv-z]{25}$/

describe('API keys', () => {
  let backend: TestBackend
  let second: TestBackend
  let organization: TestOrganization
  let owner: Credentials & { userId: string }
  let admin: Credentials & { userId: string }
  let adminKey: Credentials
  beforeAll(async () => {
    backend = await startTestBackend()
    second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    organization = await backend.organization()
    owner = await backend.member(organization, 'owner')
    admin = await backend.member(organization, 'admin')
    adminKey = await backend.apiKey(organization, 'admin')
  })
  afterAll(async () => {
    await second.close()
    await backend.close()
  })

  const make = (as: Credentials, body: unknown): Promise<Answer> => backend.call('POST', '/v1/api-keys', { as, body })
  const use = (key: string, on = backend) => on.call('GET', '/v1/servers', { as: { 'x-api-key': key } })
  const revoke = (as: Credentials, id: string) => backend.call('DELETE', `/v1/api-keys/${id}`, { as })
  const find = async (id: string, on = backend) => {
    const { body } = await on.call('GET', '/v1/api-keys?limit=100', { as: owner })
    return body.api_keys.find((key: { id: string }) => key.id === id)
  }

  describe('POST /v1/api-keys', () => {
    it('is refused from addresses that it does not name, and counted against them', async () => {
      const networks = ['203.0.113.7', '10.0.0.0/8', '2001:db8::/32']
      const { status, body } = await make(admin, { name: 'office', scopes: ['read'], allowed_cidrs: networks })
      expect([status, body.allowed_cidrs]).toEqual([201, networks])
      const from = (ip: string) => second.call('GET', '/v1/servers', { as: { 'x-api-key': body.key }, ip })
      for (const ip of ['203.0.113.7', '::ffff:203.0.113.7', '10.255.255.255', '2001:db8:1::9'])
        expect([ip, (await from(ip)).status]).toEqual([ip, 200])
      for (const ip of ['203.0.113.8', '11.0.0.0', '::ffff:192.0.2.1', '2001:db9::1']) {
        const { status, body } = await from(ip)
        expect([ip, status, body.error.message]).toEqual([ip, 403, `This API key cannot be used from ${ip}.`])
      }
      const limited = await startTestBackend({
        databaseUrl: backend.databaseUrl,
        clock: backend.clock,
        environment: { VEDETTE_RATE_LIMITS: 'read=3' },
      })
      const statusFrom = async (ip: string) =>
        (await limited.call('GET', '/v1/servers', { as: { 'x-api-key': body.key }, ip })).status
      const statuses = []
      for (let count = 0; count < 4; count += 1) statuses.push(await statusFrom('198.51.100.1'))
      // The limit of the key is untouched.
      expect([...statuses, await statusFrom('10.0.0.1')]).toEqual([403, 403, 403, 429, 200])
      await limited.close()
      expect((await find(body.id)).allowed_cidrs).toEqual(networks)
    })

    it.each(['10.0.0.0/33', '10.0.0', '10.0.0.1/', '::/129', 'fe80::1%eth0', 'example.com', '1.2.3.4/8/8', '01.2.3.4'])(
      'refuses %s as an address or network',
      async (text) => {
        const { status, body } = await make(admin, { name: 'x', scopes: ['read'], allowed_cidrs: ['::1', text] })
        expect([status, body.error.details.map(({ path }: { path: string }) => path)]).toEqual([400, ['allowed_cidrs.1']])
      },
    )

    it('takes 20 networks, and no more', async () => {
      const networks = Array.from({ length: 21 }, (_, index) => `10.${index}.0.0/16`)
      expect((await make(admin, { name: 'x', scopes: ['read'], allowed_cidrs: networks.slice(1) })).status).toBe(201)
      const { status, body } = await make(admin, { name: 'x', scopes: ['read'], allowed_cidrs: networks })
      expect([status, body.error.details[0].path]).toEqual([400, 'allowed_cidrs'])
    })

    it('ends with its creator where that was chosen, however they go', async () => {
      const shop = await backend.organization()
      const boss = await backend.member(shop, 'owner')
      for (const leave of ['removed', 'account deleted']) {
        const maker = await backend.member(shop, 'admin')
        const [ends, stays] = [
          (await make(maker, { name: 'ends', scopes: ['read'], ends_with_creator: true })).body,
          (await make(maker, { name: 'stays', scopes: ['read'] })).body,
        ]
        expect([ends.ends_with_creator, stays.ends_with_creator]).toEqual([true, false])
        const { status } =
          leave === 'removed'
            ? await backend.call('DELETE', `/v1/organizations/${shop.id}/members/${ends.created_by}`, { as: boss })
            : await backend.call('DELETE', '/v1/auth/me', { as: maker, body: { password: PASSWORD } })
        expect([leave, status, (await use(ends.key, second)).status, (await use(stays.key, second)).status]).toEqual([
          leave,
          204,
          401,
          200,
        ])
      }
      const byKey = await make(await backend.apiKey(shop, 'admin'), { name: 'x', scopes: ['read'], ends_with_creator: true })
      expect([byKey.status, byKey.body.error.details[0].path]).toEqual([400, 'ends_with_creator'])
    })

    it('demands an expiry within the days of the organization, from new keys alone', async () => {
      const shop = await backend.organization()
      const boss = await backend.member(shop, 'owner')
      const old = (await make(boss, { name: 'old', scopes: ['read'] })).body
      const patch = (api_key_max_days: unknown) =>
        backend.call('PATCH', `/v1/organizations/${shop.id}`, { as: boss, body: { api_key_max_days } })
      for (const days of [0, 3_651, 1.5, '30']) {
        const { status, body } = await patch(days)
        expect([days, status, body.error.details[0].path]).toEqual([days, 400, 'api_key_max_days'])
      }
      expect((await patch(30)).body.api_key_max_days).toBe(30)
      const after = (ms: number) => new Date(backend.clock.now() + ms).toISOString()
      for (const expires_at of [undefined, null, after(30 * 86_400_000 + 60_001)]) {
        const { status, body } = await make(boss, { name: 'new', scopes: ['read'], expires_at })
        const [detail] = body.error.details
        expect([status, detail.path, detail.message]).toEqual([400, 'expires_at', expect.stringContaining('at most 30 days')])
      }
      expect((await make(boss, { name: 'new', scopes: ['read'], expires_at: after(30 * 86_400_000) })).status).toBe(201)
      expect((await use(old.key)).status).toBe(200)
      expect((await patch(null)).body.api_key_max_days).toBeNull()
      expect((await make(boss, { name: 'new', scopes: ['read'] })).status).toBe(201)
    })

    it('answers the record, and the secret this once [KEY-03, KEY-04, KEY-06]', async () => {
      const expires = new Date(backend.clock.now() + 86_400_000).toISOString()
      const { status, body } = await make(admin, { name: 'Grafana', scopes: ['read', 'write'], expires_at: expires })
      expect(status).toBe(201)
      const { key, ...record } = body
      expect(key).toMatch(/^vdt_key_[0-9A-Za-z]{49}$/)
      expect(record).toEqual({
        id: expect.stringMatching(ID),
        name: 'Grafana',
        prefix: key.slice(0, 14),
        scopes: ['read', 'write'],
        allowed_cidrs: [],
        ends_with_creator: false,
        job_kind: null,
        dedup_label: null,
        drop_labels: [],
        created_by: expect.stringMatching(/^usr_/),
        created_at: new Date(backend.clock.now()).toISOString(),
        last_used_at: null,
        expires_at: expires,
        revoked_at: null,
      })
      expect(await find(body.id)).toEqual(record)
      expect((await use(key)).status).toBe(200)
      const stored = JSON.stringify(await backend.pool.db.selectFrom('api_key').selectAll().execute())
      expect(stored).not.toContain(key.slice(14))
    })

    it('makes one that does not expire where no end, or null, is given [KEY-08]', async () => {
      expect((await make(admin, { name: 'a', scopes: ['read'] })).body.expires_at).toBeNull()
      expect((await make(admin, { name: 'b', scopes: ['read'], expires_at: null })).body.expires_at).toBeNull()
    })

    it.each([
      ['name', { scopes: ['read'] }],
      ['name', { name: '', scopes: ['read'] }],
      ['name', { name: 'x'.repeat(201), scopes: ['read'] }],
      ['scopes', { name: 'x' }],
      ['scopes', { name: 'x', scopes: [] }],
      ['scopes', { name: 'x', scopes: ['read', 'read'] }],
      ['scopes.0', { name: 'x', scopes: ['root'] }],
      ['scopes', { name: 'x', scopes: 'read' }],
      ['expires_at', { name: 'x', scopes: ['read'], expires_at: 'tomorrow' }],
      ['expires_at', { name: 'x', scopes: ['read'], expires_at: '2026-11-20T18:07:10.000Z' }],
      ['expires_at', { name: 'x', scopes: ['read'], expires_at: '2001-01-01T00:00:00Z' }],
      ['expires_at', { name: 'x', scopes: ['read'], expires_at: '2027-06-30T23:59:60Z' }],
      ['created_by', { name: 'x', scopes: ['read'], created_by: null }],
    ])('is a 400 naming %s for %j [ERROR-02, WIRE-14]', async (path, body) => {
      const { status, body: answer } = await make(owner, body)
      expect([status, answer.error.details?.[0].path]).toEqual([400, path])
    })

    it('lets an owner alone give the scope admin [KEY-15]', async () => {
      const body = { name: 'x', scopes: ['read', 'admin'] }
      expect((await make(owner, body)).status).toBe(201)
      for (const as of [admin, adminKey]) {
        const { status, body: answer } = await make(as, body)
        expect([status, answer.error.code]).toEqual([403, 'forbidden'])
      }
    })

    it('lets a key of scope admin make keys without it, which no user made [KEY-17]', async () => {
      const { status, body } = await make(adminKey, { name: 'child', scopes: ['agent'] })
      expect([status, body.created_by]).toEqual([201, null])
    })

    it('makes keys that outlive who made them [KEY-12]', async () => {
      const leaving = await backend.member(organization, 'admin')
      const { body } = await make(leaving, { name: 'integration', scopes: ['read'] })
      await backend.pool.db.deleteFrom('membership').where('user_id', '=', leaving.userId).execute()
      await backend.pool.db.deleteFrom('app_user').where('id', '=', leaving.userId).execute()
      expect((await use(body.key)).status).toBe(200)
      expect((await find(body.id)).created_by).toMatch(/^usr_/)
    })
  })

  describe('GET /v1/api-keys', () => {
    it('pages the own organization, newest first, without any secret [KEY-07, KEY-18, LIST-05]', async () => {
      const own = await backend.organization('Paged')
      const as = await backend.member(own, 'owner')
      const made: string[] = []
      for (let index = 0; index < 5; index += 1) {
        if (index !== 3) backend.clock.advance(1)
        made.unshift((await make(as, { name: `key ${index}`, scopes: ['read'] })).body.id)
      }
      const list = async (query: string) => (await backend.call('GET', `/v1/api-keys${query}`, { as })).body
      const ids = ({ api_keys: keys }: { api_keys: { id: string }[] }) => keys.map(({ id }) => id)
      expect(await list('')).toMatchObject({ total: 5, page: 1, limit: 20 })
      expect(ids(await list(''))).toEqual(made)
      expect([...ids(await list('?limit=3')), ...ids(await list('?limit=3&page=2'))]).toEqual(made)
      expect(await list('?page=9')).toEqual({ api_keys: [], total: 5, page: 9, limit: 20 })
      expect(JSON.stringify(await list(''))).not.toMatch(/vdt_key_\w{7}|"key"|hash/)
    })

    it.each(['page=0', 'limit=101', 'limit=x', 'sort=name', 'page=1&page=2'])(
      'is a 400 for ?%s [LIST-03, LIST-04, WIRE-16]',
      async (query) => {
        const { status, body } = await backend.call('GET', `/v1/api-keys?${query}`, { as: owner })
        expect([status, body.error.details[0].path]).toEqual([400, query.split('=')[0]])
      },
    )
  })

  describe('DELETE /v1/api-keys/:id', () => {
    it('revokes the key at the next request on every instance, and keeps its record [KEY-10, KEY-11, WIRE-13]', async () => {
      const { body } = await make(owner, { name: 'doomed', scopes: ['read'] })
      expect([(await use(body.key)).status, (await use(body.key, second)).status]).toEqual([200, 200])
      const { status, body: answer } = await revoke(admin, body.id)
      expect([status, answer]).toEqual([204, undefined])
      expect([(await use(body.key)).status, (await use(body.key, second)).status]).toEqual([401, 401])
      expect((await find(body.id)).revoked_at).toBe(new Date(backend.clock.now()).toISOString())
    })

    it('changes nothing about a key that is revoked', async () => {
      const { body } = await make(owner, { name: 'twice', scopes: ['read'] })
      await revoke(owner, body.id)
      const before = await find(body.id)
      backend.clock.advance(1_000)
      expect((await revoke(owner, body.id)).status).toBe(204)
      expect(await find(body.id)).toEqual(before)
    })

    it('refuses samples of a revoked key in the same instant [KEY-10]', async () => {
      const { body } = await make(owner, { name: 'pushing', scopes: ['agent'] })
      const server = await backend.server(organization)
      const push = (on: TestBackend) =>
        on.call('POST', '/v1/agent/metrics', {
          as: { 'x-api-key': body.key },
          body: {
            server_id: server.id,
            batch_id: crypto.randomUUID(),
            sent_at: new Date(backend.clock.now()).toISOString(),
            agent_version: '0.1.0',
            samples: [{ at: new Date(backend.clock.now()).toISOString(), cpu: { percent: 1 } }],
          },
        })
      expect([(await push(backend)).status, (await push(second)).status]).toEqual([202, 202])
      await revoke(owner, body.id)
      expect([(await push(backend)).status, (await push(second)).status]).toEqual([401, 401])
    })

    it('is a 404, the same for an unknown, malformed and foreign one [ERROR-09, WIRE-07, WIRE-08]', async () => {
      const other = await backend.organization('Other')
      const foreign = await make(await backend.member(other, 'owner'), { name: 'theirs', scopes: ['read'] })
      const answers = []
      for (const id of [UNKNOWN, 'nonsense', UNKNOWN.toUpperCase(), UNKNOWN.replace('key_', 'srv_'), foreign.body.id]) {
        const { status, body } = await revoke(owner, id)
        answers.push(`${status} ${body.error.code} ${body.error.message}`)
      }
      expect(new Set(answers)).toEqual(new Set(['404 not_found There is nothing here under this name.']))
      expect((await use(foreign.body.key)).status).toBe(200)
    })
  })

  it('an expired key is refused from that instant on, and listed [KEY-09]', async () => {
    const end = backend.clock.now() + 5_000
    const { body } = await make(owner, { name: 'brief', scopes: ['read'], expires_at: new Date(end).toISOString() })
    backend.clock.advance(4_999)
    expect((await use(body.key)).status).toBe(200)
    backend.clock.advance(1)
    expect([(await use(body.key)).status, (await use(body.key, second)).status]).toEqual([401, 401])
    expect(await find(body.id)).toMatchObject({ expires_at: new Date(end).toISOString(), revoked_at: null })
  })

  describe('access', () => {
    const routes: [string, string, unknown?][] = [
      ['GET', '/v1/api-keys'],
      ['POST', '/v1/api-keys', { wrong: 1 }],
      ['DELETE', `/v1/api-keys/${UNKNOWN}`],
    ]

    it.each(routes)('%s %s is a 401 without credentials [ERROR-06]', async (method, url, body) => {
      expect((await backend.call(method, url, { body })).status).toBe(401)
    })

    it.each(routes)(
      '%s %s is a 403 for members, viewers, lesser keys and servers, before the body is looked at [ACCESS-15, ACCESS-22, ERROR-25]',
      async (method, url, body) => {
        const callers = [
          await backend.member(organization, 'member'),
          await backend.member(organization, 'viewer'),
          await backend.apiKey(organization, 'read', 'write', 'agent'),
          (await backend.server(organization)).as,
        ]
        for (const as of callers) expect((await backend.call(method, url, { as, body })).status).toBe(403)
      },
    )
  })

  describe('last_used_at', () => {
    const lastUsed = async (id: string, on = backend) => (await find(id, on)).last_used_at
    const iso = (ms: number) => new Date(ms).toISOString()

    it('is written outside of the request, at most once a minute, and seen on every instance [KEY-14]', async () => {
      const { body } = await make(owner, { name: 'used', scopes: ['read'] })
      await use(body.key)
      expect(await lastUsed(body.id)).toBeNull()
      const first = backend.clock.now()
      await backend.vedette.flush()
      expect([await lastUsed(body.id), await lastUsed(body.id, second)]).toEqual([iso(first), iso(first)])

      backend.clock.advance(59_999)
      await use(body.key)
      await use(body.key, second)
      await backend.vedette.flush()
      await second.vedette.flush()
      expect(await lastUsed(body.id)).toBe(iso(first))

      backend.clock.advance(1)
      await use(body.key, second)
      await use(body.key)
      await second.vedette.flush()
      await backend.vedette.flush()
      expect(await lastUsed(body.id)).toBe(iso(first + 60_000))
    })

    it('also records a use that was refused because a permission is missing', async () => {
      const { body } = await make(owner, { name: 'curious', scopes: ['agent'] })
      expect((await use(body.key)).status).toBe(403)
      await backend.vedette.flushAll()
      expect(await lastUsed(body.id)).toBe(iso(backend.clock.now()))
    })

    it('stays noted when it cannot be stored', async () => {
      const { body } = await make(owner, { name: 'patient', scopes: ['read'] })
      await use(body.key)
      await backend.pool.pg.query('alter table api_key rename to api_key_away')
      await expect(backend.vedette.flush()).rejects.toThrow(/api_key/)
      await backend.pool.pg.query('alter table api_key_away rename to api_key')
      await backend.vedette.flush()
      expect(await lastUsed(body.id)).toBe(iso(backend.clock.now()))
    })
  })
})
