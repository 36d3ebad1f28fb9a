import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registration, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import type { ServerDeps } from '../deps.ts'
import { listServers } from '../list.ts'

const UNKNOWN = 'srv_01h455vb4pex5vsknk084sn02q'

describe('servers', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let viewer: { authorization: string }
  let admin: { authorization: string }
  let ids: string[]
  beforeAll(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
    viewer = await backend.member(organization, 'viewer')
    admin = await backend.member(organization, 'admin')
    const key = await backend.apiKey(organization, 'agent')
    ids = []
    for (const [index, hostname] of ['alpha', 'Bravo', 'charlie-DB', 'delta'].entries()) {
      backend.clock.advance(1_000)
      const body = registration(`m${index}`, { hostname, tags: index % 2 === 0 ? ['even', `n${index}`] : ['odd'] })
      ids.push((await backend.call('POST', '/v1/agent/register', { as: key, body })).body.server_id)
    }
    await backend.server(await backend.organization('Other'))
  })
  afterAll(() => backend.close())

  const list = async (query = '') => (await backend.call('GET', `/v1/servers${query}`, { as: viewer })).body
  const names = async (query: string) => (await list(query)).servers.map((server: { hostname: string }) => server.hostname)

  describe('GET /v1/servers', () => {
    it('lists the own organization, newest first, by default the first 20 [LIST-02, LIST-05, LIST-07]', async () => {
      const body = await list()
      expect(body).toMatchObject({ total: 4, page: 1, limit: 20 })
      expect(body.servers.map(({ id }: { id: string }) => id)).toEqual([...ids].reverse())
    })

    it('lists servers with every documented field [LIST-01, SERVER-01, WIRE-03]', async () => {
      const { servers, ...page } = await list()
      expect(Object.keys(page).sort()).toEqual(['limit', 'page', 'total'])
      expect(servers[3]).toEqual({
        id: ids[0],
        hostname: 'alpha',
        display_name: null,
        os: 'Debian GNU/Linux 12',
        kernel: '6.1.0',
        status: 'offline',
        agent_version: '0.1.0',
        health: { status: 'ok', findings: [] },
        agent_outdated: null,
        tags: ['even', 'n0'],
        last_seen_at: '2026-11-20T18:07:11.000Z',
        registered_at: '2026-11-20T18:07:11.000Z',
      })
    })

    it('shows no metrics of a first push that came after the page was read', async () => {
      const { pool, clock } = backend
      const pushed = { sampled_at: '2026-11-20T18:07:11.000Z', cpu: { percent: 1 } }
      const samples = {
        newestSamples: async (_: number, servers: readonly number[]) => new Map(servers.map((one) => [one, pushed])),
      }
      const deps = {
        db: pool.db,
        pool,
        clock,
        uptime: { startedAtMs: 0, aliveBeforeMs: undefined },
        samples,
        isOutdated: () => null,
      }
      const page = { page: 1, limit: 1, include: 'metrics' }
      const { servers } = await listServers(deps as unknown as ServerDeps, organization, page)
      expect(servers).toMatchObject([{ status: 'offline', metrics: null }])
    })

    it('returns pages, and an empty page with the total past the end [LIST-09]', async () => {
      expect(await names('?limit=3')).toEqual(['delta', 'charlie-DB', 'Bravo'])
      expect(await names('?limit=3&page=2')).toEqual(['alpha'])
      expect(await list('?limit=3&page=3')).toEqual({ servers: [], total: 4, page: 3, limit: 3 })
      expect(await list('?page=1000000&limit=100')).toMatchObject({ servers: [], total: 4 })
    })

    async function expectNames(query: string, expected: string[]) {
      expect(await names(query)).toEqual(expected)
    }
    it.each([
      ['?q=BRAVO', ['Bravo']],
      ['?q=-db', ['charlie-DB']],
      ['?q=%25', []],
      ['?q=_', []],
      ['?tag=even', ['charlie-DB', 'alpha']],
      ['?tag=even&tag=n2', ['charlie-DB']],
      ['?tag=even&tag=odd', []],
    ])('%s finds %j [LIST-10, LIST-11]', expectNames)

    it.each([
      ['?status=online', []],
      ['?status=offline&limit=2', ['delta', 'charlie-DB']],
    ])('%s finds %j [SERVER-02]', expectNames)

    it.each([
      ['?sort=name', ['alpha', 'Bravo', 'charlie-DB', 'delta']],
      ['?sort=-name', ['delta', 'charlie-DB', 'Bravo', 'alpha']],
    ])('%s lists %j [LIST-12, LIST-15, LIST-16]', expectNames)

    it.each([
      ['?sort=created_at', ['alpha', 'Bravo', 'charlie-DB', 'delta']],
      ['?sort=-last_seen_at', ['delta', 'charlie-DB', 'Bravo', 'alpha']],
      // All are offline.
      ['?sort=status', ['alpha', 'Bravo', 'charlie-DB', 'delta']],
      ['?sort=-status', ['alpha', 'Bravo', 'charlie-DB', 'delta']],
      ['?sort=cpu', ['delta', 'charlie-DB', 'Bravo', 'alpha']],
    ])('%s lists %j [LIST-12, LIST-13, LIST-14]', expectNames)

    it('requires credentials with read access [ACCESS-08, ERROR-06]', async () => {
      expect((await backend.call('GET', '/v1/servers')).status).toBe(401)
      for (const scope of ['agent', 'write'] as const) {
        expect((await backend.call('GET', '/v1/servers', { as: await backend.apiKey(organization, scope) })).status).toBe(403)
      }
      for (const scope of ['read', 'admin'] as const) {
        expect((await backend.call('GET', '/v1/servers', { as: await backend.apiKey(organization, scope) })).status).toBe(200)
      }
    })
  })

  describe('one server', () => {
    const routes: [string, string, unknown?][] = [
      ['GET', ''],
      ['GET', '/metrics'],
      ['GET', '/processes'],
      ['PATCH', '', { tags: [] }],
      ['POST', '/regenerate-token'],
      ['DELETE', ''],
    ]

    it.each(routes)(
      '%s %s is a 404 for an unknown, malformed, foreign or deleted one [ERROR-10, WIRE-07, WIRE-08]',
      async (method, path, body) => {
        const foreign = await backend.server(await backend.organization('Foreign'))
        const gone = await backend.server(organization)
        await backend.call('DELETE', `/v1/servers/${gone.id}`, { as: admin })
        const answers = []
        for (const id of [UNKNOWN, 'nonsense', (ids[0] as string).toUpperCase(), foreign.id, gone.id]) {
          const { status, body: answer } = await backend.call(method, `/v1/servers/${id}${path}`, { as: admin, body })
          answers.push([status, answer.error.code, answer.error.message])
        }
        expect(new Set(answers.map(String)).size).toBe(1)
        expect(answers[0]?.slice(0, 2)).toEqual([404, 'not_found'])
      },
    )

    it.each(routes)('%s %s is a 401 without credentials [ERROR-06]', async (method, path, body) => {
      expect((await backend.call(method, `/v1/servers/${ids[0]}${path}`, { body })).status).toBe(401)
    })

    it.each(routes.slice(3))(
      '%s %s is a 403 for members, viewers and weaker keys, before the body is read [ACCESS-22, ERROR-08, ERROR-25]',
      async (method, path) => {
        const callers = [
          viewer,
          await backend.member(organization, 'member'),
          await backend.apiKey(organization, 'read', 'write', 'agent'),
          (await backend.server(organization)).as,
        ]
        for (const as of callers) {
          const { status } = await backend.call(method, `/v1/servers/${ids[0]}${path}`, {
            as,
            ...(method === 'PATCH' ? { body: { wrong: 1 } } : {}),
          })
          expect(status).toBe(403)
        }
      },
    )

    it('PATCH changes its name and tags and rejects other fields [SERVER-06, WIRE-12, WIRE-14]', async () => {
      const patch = (body: unknown) => backend.call('PATCH', `/v1/servers/${ids[0]}`, { as: admin, body })
      const { status, body } = await patch({ display_name: 'The first', tags: ['x'] })
      expect(status).toBe(200)
      expect(body).toMatchObject({ id: ids[0], display_name: 'The first', tags: ['x'], hostname: 'alpha' })
      expect(await names('?q=the first')).toEqual(['alpha'])
      expect((await patch({ display_name: null })).body.display_name).toBeNull()
      for (const [field, value] of [
        ['hostname', 'x'],
        ['id', ids[1]],
        ['status', 'online'],
        ['organization_id', 'x'],
        ['display_name', ''],
      ]) {
        const refused = await patch({ [field as string]: value })
        expect([refused.status, refused.body.error.details[0].path]).toEqual([400, field])
      }
      expect((await patch({})).status).toBe(400)
    })

    it('PATCH sources_off switches sources by the answers of the next pushes; what the host allows is not its to say', async () => {
      const server = await backend.server(organization)
      const patch = (body: unknown) => backend.call('PATCH', `/v1/servers/${server.id}`, { as: admin, body })
      const push = async () => {
        backend.clock.advance(1_000)
        const { status, body } = await backend.call('POST', '/v1/agent/metrics', {
          as: server.as,
          body: {
            batch_id: crypto.randomUUID(),
            sent_at: iso(),
            agent_version: '1',
            samples: [{ at: iso(), cpu: { percent: 1 } }],
          },
        })
        expect(status).toBe(202)
        return body.sources_off
      }
      const iso = () => new Date(backend.clock.now()).toISOString()
      const put = (body: unknown) => backend.call('PUT', '/v1/agent/facts', { as: server.as, body })
      await put({ sources: { containers: true, ups: false, later: true } })
      const { body } = await patch({ sources_off: ['containers', 'ups'] })
      expect(body).toMatchObject({ sources: { containers: true, ups: false }, sources_off: ['containers', 'ups'] })
      expect(body.sources).not.toHaveProperty('later')
      await expect.poll(push).toEqual(['containers', 'ups'])
      expect((await patch({ sources_off: [] })).body.sources_off).toEqual([])
      await expect.poll(push).toBeUndefined()
      for (const wrong of [['processes'], ['ups', 'ups'], null])
        expect([(await patch({ sources_off: wrong })).status, (await patch({ sources: { ups: true } })).status]).toEqual([
          400, 400,
        ])
      expect((await put({ sources: { ups: 'yes' } })).status).toBe(400)
    })

    it('regenerate-token revokes the old token on every instance [SERVER-10, SERVER-11]', async () => {
      const other = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
      const { id, as: old } = await backend.server(organization)
      const put = (from: TestBackend, as: object) => from.call('PUT', '/v1/agent/facts', { as, body: { kernel: 'k' } })
      const push = (from: TestBackend, as: object) =>
        from.call('POST', '/v1/agent/metrics', { as, body: batch(from.clock.now()) })
      // Both instances have seen the old token a moment ago.
      for (const from of [backend, other])
        expect([(await put(from, old)).status, (await push(from, old)).status]).toEqual([204, 202])
      const { status, body } = await backend.call('POST', `/v1/servers/${id}/regenerate-token`, { as: admin })
      expect(status).toBe(200)
      expect(body).toEqual({
        server_id: id,
        token: expect.stringMatching(/^vdt_srv_/),
        created_at: new Date(backend.clock.now()).toISOString(),
      })
      const fresh = { 'x-api-key': body.token }
      for (const from of [backend, other]) {
        expect([(await put(from, old)).status, (await push(from, old)).status]).toEqual([401, 401])
        expect([(await put(from, fresh)).status, (await push(from, fresh)).status]).toEqual([204, 202])
      }
      await other.close()
    })

    it('rejects a body on a route without one [WIRE-14]', async () => {
      const answer = await backend.call('POST', `/v1/servers/${ids[1]}/regenerate-token`, { as: admin, body: { reason: 'x' } })
      expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'reason'])
      expect((await backend.call('POST', `/v1/servers/${ids[1]}/regenerate-token`, { as: admin, body: '' })).status).toBe(200)
    })

    it('DELETE removes it with its samples and revokes its token [SERVER-07, SERVER-08, WIRE-13]', async () => {
      const { id, as } = await backend.server(organization)
      await backend.call('POST', '/v1/agent/metrics', { as, body: batch(backend.clock.now()) })
      const before = await backend.pool.db.selectFrom('metric_push').select('server').execute()
      const gone = await backend.call('DELETE', `/v1/servers/${id}`, { as: admin })
      expect([gone.status, gone.body]).toEqual([204, undefined])
      const after = await backend.pool.db.selectFrom('metric_push').select('server').execute()
      expect(after).toHaveLength(before.length - 1)
      expect((await backend.call('POST', '/v1/agent/metrics', { as, body: batch(backend.clock.now()) })).status).toBe(401)
      expect((await backend.call('DELETE', `/v1/servers/${id}`, { as: admin })).status).toBe(404)
    })
  })
})

describe('rate limits', () => {
  let backend: TestBackend
  let organization: TestOrganization
  beforeAll(async () => {
    backend = await startTestBackend({ environment: { VEDETTE_RATE_LIMITS: 'read=3,write=2' } })
    organization = await backend.organization()
  })
  afterAll(() => backend.close())
  const statuses = async (method: string, url: string, as: object, times: number) => {
    const all = []
    for (let count = 0; count < times; count += 1) all.push((await backend.call(method, url, { as })).status)
    return all
  }

  it('are counted per credential or address, and per group [LIMIT-05, LIMIT-13, LIMIT-15]', async () => {
    const one = await backend.member(organization, 'admin')
    const two = await backend.apiKey(organization, 'read')
    expect(await statuses('GET', '/v1/servers', one, 4)).toEqual([200, 200, 200, 429])
    expect(await statuses('GET', '/v1/servers', two, 4)).toEqual([200, 200, 200, 429])
    expect(await statuses('DELETE', `/v1/servers/${UNKNOWN}`, one, 3)).toEqual([404, 404, 429])
    expect(await statuses('GET', '/v1/servers', {}, 4)).toEqual([401, 401, 401, 429])
  })

  it('count IPv6 clients without credentials by their /64 [LIMIT-31]', async () => {
    const status = async (ip: string) => (await backend.call('GET', '/v1/servers', { ip })).status
    const answers = []
    for (const end of [1, 2, 3, 4]) answers.push(await status(`2001:db8:0:1:${end}::`))
    expect(answers).toEqual([401, 401, 401, 429])
    expect(await status('2001:db8:0:2::1')).toBe(401)
  })

  it('are in the headers of a 429, and end with the minute [LIMIT-06, LIMIT-07, LIMIT-09]', async () => {
    const one = await backend.apiKey(organization, 'read')
    expect(await statuses('GET', '/v1/servers', one, 4)).toEqual([200, 200, 200, 429])
    const { headers } = await backend.call('GET', '/v1/servers', { as: one })
    expect(headers).toMatchObject({
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1795198080',
      'retry-after': '50',
    })
    backend.clock.advance(50_000)
    expect(await statuses('GET', '/v1/servers', one, 1)).toEqual([200])
  })
})

function batch(nowMs: number): object {
  const at = new Date(nowMs).toISOString()
  return { batch_id: crypto.randomUUID(), sent_at: at, agent_version: '0.1.0', samples: [{ at, cpu: { percent: 12.34 } }] }
}
