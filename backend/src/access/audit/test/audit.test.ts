import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Credentials,
  registration,
  TEST_SECRET,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { keepTables } from '../../../platform/db/index.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { encodeId } from '../../../platform/ids.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { setupCode, setUpFromSettings } from '../../../operating/setup/index.ts'
import { AUDIT_EVENTS, countAuditDays, deleteAuditEvents, recordAudit, SYSTEM } from '../index.ts'

interface Event {
  id: string
  at: string
  actor: { type: string; id: string | null; name: string | null; email: string | null }
  action: string
  target: { type: string; id: string } | null
  target_name: string | null
  ip: string | null
  details: Record<string, unknown>
}

const DAY = 86_400_000

describe('audit', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let owner: Credentials & { userId: string }
  beforeAll(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
    owner = await backend.member(organization, 'owner')
  })
  afterAll(() => backend.close())

  const get = (query = '', as: Credentials = owner) => backend.call('GET', `/v1/audit-events${query}`, { as })
  const events = async (query = '', as = owner): Promise<Event[]> => {
    const { status, body } = await get(query, as)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body.audit_events
  }
  const iso = (ms: number) => new Date(ms).toISOString()
  const ownerActor = async () => {
    const { email } = await backend.pool.db
      .selectFrom('app_user')
      .select('email')
      .where('id', '=', owner.userId)
      .executeTakeFirstOrThrow()
    return { type: 'user', id: encodeId('user', owner.userId), name: null, email }
  }

  describe('the names of targets and the search', () => {
    const make = async (name: string) =>
      (await backend.call('POST', '/v1/monitors', { as: owner, body: { name, url: 'https://shop.example/' } })).body as {
        id: string
      }

    it('has the present name of a target, and none of what no longer exists', async () => {
      const { id } = await make('Old name')
      await backend.call('PATCH', `/v1/monitors/${id}`, { as: owner, body: { name: 'New name' } })
      const of = async () => (await events(`?q=${id}`)).map(({ action, target_name: name }) => [action, name])
      expect(await of()).toEqual([
        ['monitor.updated', 'New name'],
        ['monitor.created', 'New name'],
      ])
      await backend.call('DELETE', `/v1/monitors/${id}`, { as: owner })
      expect((await of()).map(([, name]) => name)).toEqual([null, null, null])
    })

    it('finds events by action, actor, text of the details and id, and counts them', async () => {
      await make('Bezahlung 100 %_x')
      const { email } = await ownerActor()
      const found = async (q: string, more = '') => (await get(`?q=${encodeURIComponent(q)}${more}`)).body
      expect((await found('bezahlung 100 %_')).audit_events.map(({ action }: Event) => action)).toEqual(['monitor.created'])
      expect((await found('%')).total).toBe(1)
      expect((await found('MONITOR.CREATED')).total).toBeGreaterThan(0)
      const all = await found(email, '&limit=1')
      expect([all.audit_events.length, all.total > 1]).toEqual([1, true])
      expect((await found('nothing has this text')).total).toBe(0)
      const other = await backend.organization()
      const outsider = await backend.member(other, 'owner')
      expect((await get(`?q=${encodeURIComponent('bezahlung')}`, outsider)).body.total).toBe(0)
      expect((await get('?q=')).status).toBe(400)
    })
  })

  describe('what is written down', () => {
    it('is who registered, renamed, rotated and deleted a server, and from where [AUDIT-02, AUDIT-07, AUDIT-13]', async () => {
      const key = await backend.apiKey(organization, 'agent')
      const [{ actor: system, target: keyTarget }] = (await events('?action=api_key.created')) as [Event]
      expect([system.type, system.id]).toEqual(['system', null])
      const call = (method: string, url: string, as: Credentials, body?: unknown) =>
        backend.call(method, url, { as, body, ip: '198.51.100.7' })

      const body = registration('audited')
      const { server_id: id } = (await call('POST', '/v1/agent/register', key, body)).body
      await call('POST', '/v1/agent/register', key, body)
      await call('PATCH', `/v1/servers/${id}`, owner, { display_name: 'First', tags: ['a'] })
      const { token } = (await call('POST', `/v1/servers/${id}/regenerate-token`, owner)).body
      await call('DELETE', `/v1/servers/${id}`, owner)

      const user = await ownerActor()
      const agentKey = { type: 'api_key', id: keyTarget?.id, name: 'agent', email: null }
      const common = {
        target_name: null,
        id: expect.stringMatching(/^aud_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
        at: iso(backend.clock.now()),
        target: { type: 'server', id },
        ip: '198.51.100.7',
      }
      const found = (await events()).filter(({ target }) => target?.id === id)
      expect(found).toEqual([
        { ...common, actor: user, action: 'server.deleted', details: { hostname: 'web-1' } },
        { ...common, actor: user, action: 'server.token_regenerated', details: { hostname: 'web-1' } },
        { ...common, actor: user, action: 'server.updated', details: { hostname: 'web-1', display_name: 'First', tags: ['a'] } },
        { ...common, actor: agentKey, action: 'server.reregistered', details: { hostname: 'web-1' } },
        { ...common, actor: agentKey, action: 'server.registered', details: { hostname: 'web-1' } },
      ])
      expect(JSON.stringify(found)).not.toContain(token)
    })

    it('is who made and revoked a key, once, and never the key [AUDIT-08, AUDIT-13]', async () => {
      const made = await backend.call('POST', '/v1/api-keys', { as: owner, body: { name: 'mine', scopes: ['read'] } })
      const { id, key } = made.body
      for (let again = 0; again < 2; again += 1) await backend.call('DELETE', `/v1/api-keys/${id}`, { as: owner })
      const found = (await events()).filter(({ target }) => target?.id === id)
      const target = { type: 'api_key', id }
      expect(found).toMatchObject([
        { action: 'api_key.revoked', actor: await ownerActor(), target, ip: '192.0.2.1', details: { name: 'mine' } },
        { action: 'api_key.created', target, details: { name: 'mine', scopes: ['read'], expires_at: null } },
      ])
      expect(JSON.stringify(found)).not.toContain(key)
    })

    it('is nothing when the thing was not done', async () => {
      const before = (await get()).body.total
      const server = await backend.server(await backend.organization('Elsewhere'))
      await backend.call('DELETE', `/v1/servers/${server.id}`, { as: owner })
      await backend.call('PATCH', `/v1/servers/${server.id}`, { as: owner, body: { tags: [] } })
      await backend.call('POST', '/v1/api-keys', { as: owner, body: { name: '', scopes: ['read'] } })
      expect((await get()).body.total).toBe(before)
    })

    it('and what cannot be written down is not done [AUDIT-12]', async () => {
      const server = await backend.server(organization)
      await backend.pool.pg.query('alter table audit_event rename to audit_away')
      const { status } = await backend.call('DELETE', `/v1/servers/${server.id}`, { as: owner })
      await backend.pool.pg.query('alter table audit_away rename to audit_event')
      expect(status).toBe(500)
      expect((await backend.call('GET', `/v1/servers/${server.id}`, { as: owner })).status).toBe(200)
    })
  })

  describe('GET /v1/audit-events', () => {
    let own: TestOrganization
    let reader: Credentials & { userId: string }
    let startMs: number
    beforeAll(async () => {
      own = await backend.organization('Read')
      reader = await backend.member(own, 'admin')
      startMs = backend.clock.now()
      const { db } = backend.pool
      const user = { principal: { kind: 'user', userId: reader.userId } as const, ip: '192.0.2.5' }
      for (let index = 0; index < 6; index += 1) {
        const action = index % 2 === 0 ? 'server.updated' : 'server.deleted'
        const actor = index < 4 ? user : SYSTEM
        await recordAudit(
          db,
          own.number,
          actor,
          { action, details: { index } },
          new Date(startMs + Math.floor(index / 2) * 1_000),
        )
      }
    })
    const indexes = async (query: string) => (await events(query, reader)).map(({ details }) => details['index'])

    it('pages, newest first, in a stable order [LIST-07, LIST-08, LIST-09]', async () => {
      expect(await indexes('')).toEqual([5, 4, 3, 2, 1, 0])
      expect([...(await indexes('?limit=4')), ...(await indexes('?limit=4&page=2'))]).toEqual([5, 4, 3, 2, 1, 0])
      expect((await get('?page=3&limit=4', reader)).body).toEqual({ audit_events: [], total: 6, page: 3, limit: 4 })
    })

    it('shows what the installation did without id and address', async () => {
      const [newest] = await events('?limit=1', reader)
      expect(newest).toMatchObject({ actor: { type: 'system', id: null, name: null, email: null }, target: null, ip: null })
    })

    it('filters by time, `from` included and `to` not [AUDIT-03]', async () => {
      const at = (seconds: number) => iso(startMs + seconds * 1_000)
      expect(await indexes(`?from=${at(1)}`)).toEqual([5, 4, 3, 2])
      expect(await indexes(`?to=${at(1)}`)).toEqual([1, 0])
      expect(await indexes(`?from=${at(1)}&to=${at(2)}`)).toEqual([3, 2])
      expect(await indexes(`?from=${at(1)}&to=${at(1)}`)).toEqual([])
      const zoned = at(1).replace('Z', '%2B00:00')
      expect(await indexes(`?from=${zoned}&limit=1`)).toEqual([5])
    })

    it('filters by action and by actor [AUDIT-04, AUDIT-05]', async () => {
      expect(await indexes('?action=server.deleted')).toEqual([5, 3, 1])
      expect(await indexes('?action=server.unheard_of')).toEqual([])
      expect(await indexes('?actor=system')).toEqual([5, 4])
      expect(await indexes(`?actor=${encodeId('user', reader.userId)}`)).toEqual([3, 2, 1, 0])
      expect(await indexes(`?actor=${encodeId('user', owner.userId)}`)).toEqual([])
      expect(await indexes(`?actor=${encodeId('apiKey', reader.userId)}`)).toEqual([])
      const { body } = await get(`?actor=system&action=server.updated&limit=1`, reader)
      expect(body).toMatchObject({ total: 1, audit_events: [{ details: { index: 4 } }] })
    })

    it.each([
      ['from', 'from=yesterday'],
      ['to', 'to=2026-02-30T00:00:00Z'],
      ['to', 'from=2026-11-20T00:00:01Z&to=2026-11-20T00:00:00Z'],
      ['actor', 'actor=me'],
      ['actor', 'actor=srv_nonsense'],
      ['actor', 'actor=org_01h455vb4pex5vsknk084sn02q'],
      ['action', 'action=deleted'],
      ['target', 'target=x'],
      ['action', 'action=a.b&action=c.d'],
      ['limit', 'limit=0'],
    ])('is a 400 naming %s for ?%s [LIST-04, WIRE-15, WIRE-16]', async (path, query) => {
      const { status, body } = await get(`?${query}`)
      expect([status, body.error.details?.[0].path]).toEqual([400, path])
    })

    it('shows the own organization only [ACCESS-25]', async () => {
      expect((await events('', reader)).every(({ details }) => typeof details['index'] === 'number')).toBe(true)
      expect((await events()).some(({ details }) => 'index' in details)).toBe(false)
    })

    it('is a 401 without credentials and a 403 for a caller who does not administer the organization [AUDIT-01, ERROR-06, ERROR-08]', async () => {
      expect((await backend.call('GET', '/v1/audit-events')).status).toBe(401)
      const refused = [
        await backend.member(organization, 'member'),
        await backend.member(organization, 'viewer'),
        await backend.apiKey(organization, 'read', 'write', 'agent'),
        (await backend.server(organization)).as,
      ]
      for (const as of refused) expect((await get('', as)).status).toBe(403)
      expect((await get('', await backend.apiKey(organization, 'admin'))).status).toBe(200)
    })
  })

  it('keeps events for 400 days and no longer than a month more [AUDIT-06]', async () => {
    const { db } = backend.pool
    const born = backend.clock.now()
    const monthsOf = async () => {
      const { rows } = await backend.pool.pg.query<{ months: string[] }>(
        `select coalesce(array_agg(distinct to_char(at at time zone 'UTC', 'YYYY-MM')), '{}') as months from audit_event`,
      )
      return rows[0]?.months
    }
    await keepTables(db, silentLog, [AUDIT_EVENTS], born + 400 * DAY)
    expect(await monthsOf()).toEqual(['2026-11'])
    await keepTables(db, silentLog, [AUDIT_EVENTS], born + 431 * DAY)
    expect(await monthsOf()).toEqual([])
    await keepTables(db, silentLog, [AUDIT_EVENTS], born)
  })

  it('has the same totals before and after its days are counted, and when the oldest are dropped [AUDIT-03, AUDIT-04]', async () => {
    const { db } = backend.pool
    const own = await backend.organization('Counted')
    const as = await backend.member(own, 'owner')
    const today = Math.floor(backend.clock.now() / DAY) * DAY
    // The partition of October exists, the day of its events is dropped below.
    const at = [-40, -2.5, -2, -1.999, -1, -0.5, -0.0001, 0, 0.1].map((days) => today + days * DAY)
    for (const [index, ms] of at.entries())
      await recordAudit(db, own.number, SYSTEM, { action: index % 3 === 0 ? 'count.third' : 'count.done' }, new Date(ms))
    const bounds = [-41, -2.5, -2, -1, -0.3, 0, 0.05].map((days) => iso(today + days * DAY))
    const queries = ['', '?action=count.third', '?action=count.none', '?actor=system', '?actor=system&action=count.third']
    for (const one of bounds) {
      queries.push(`?from=${one}`, `?to=${one}`, `?action=count.done&from=${one}`)
      queries.push(...bounds.filter((other) => other >= one).map((other) => `?from=${one}&to=${other}`))
    }
    const totals = () =>
      Promise.all(
        queries.map(async (query) => {
          const { body } = await get(`${query}${query ? '&' : '?'}limit=100`, as)
          expect(body.total, query).toBe(body.audit_events.length)
          return body.total
        }),
      )
    const before = await totals()
    await countAuditDays(db, today + 0.5 * DAY)
    const { rows } = await backend.pool.pg.query<{ days: number }>(
      'select count(distinct day)::int as days from audit_day where organization = $1',
      [own.number],
    )
    expect(rows).toEqual([{ days: 4 }])
    expect(await totals()).toEqual(before)
    await db
      .deleteFrom('audit_event')
      .where('at', '<', new Date(today - 30 * DAY))
      .execute()
    await totals()
    await recordAudit(db, own.number, SYSTEM, { action: 'count.done' }, new Date(today + 0.2 * DAY))
    await countAuditDays(db, today + 2 * DAY)
    await totals()
  })

  it('goes with its organization when that is deleted', async () => {
    const { db } = backend.pool
    const doomed = await backend.organization('Doomed')
    for (const { number } of [organization, doomed])
      await recordAudit(db, number, SYSTEM, { action: 'test.done' }, new Date(backend.clock.now()))
    await countAuditDays(db, backend.clock.now() + 2 * DAY)
    await deleteAuditEvents(db, doomed.number)
    expect(await db.selectFrom('audit_day').select('day').where('organization', '=', doomed.number).execute()).toEqual([])
    const rows = await db.selectFrom('audit_event').select('organization').where('action', '=', 'test.done').execute()
    expect(rows).toEqual([{ organization: organization.number }])
  })
})

describe('the set-up', () => {
  const owner = { email: 'first@example.com', password: 'a long and rare passphrase', organization: 'First' }
  let backend: TestBackend
  beforeEach(async () => {
    backend = await startTestBackend()
  })
  afterEach(() => backend.close())
  const events = async (token: string) => {
    const as = { authorization: `Bearer ${token}` }
    return (await backend.call('GET', '/v1/audit-events', { as })).body.audit_events
  }

  it('from the page is the first event, by the owner that it made [AUDIT-09, SETUP-02]', async () => {
    const body = { ...owner, code: setupCode(createSecrets([TEST_SECRET])) }
    const { status, body: session } = await backend.call('POST', '/v1/setup', { body, ip: '198.51.100.7' })
    expect(status).toBe(201)
    expect(await events(session.token)).toMatchObject([
      {
        action: 'setup.completed',
        actor: { type: 'user', email: owner.email },
        target: { type: 'organization' },
        ip: '198.51.100.7',
      },
    ])
  })

  it('from the settings is the first event, by the installation [AUDIT-09, START-25]', async () => {
    await setUpFromSettings({ db: backend.pool.db, clock: backend.clock, tokens: backend.vedette.tokens }, owner)
    const { email, password } = owner
    const login = await backend.call('POST', '/v1/auth/login', { body: { email, password } })
    expect(await events(login.body.token)).toMatchObject([
      { action: 'setup.completed', actor: { type: 'system' }, target: { type: 'organization' }, ip: null },
    ])
  })
})
