import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Credentials,
  PASSWORD,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { SYSTEM } from '../../audit/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { addRegion, rotateRegionToken } from '../../../monitoring/regions/index.ts'
import { setAllowPrivateTargets } from '../../../operating/setup/index.ts'
import { deleteOldSecurityEvents, recordSecurityEvent } from '../index.ts'

const DAY = 86_400_000

describe('security log', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let admin: Credentials
  beforeAll(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
    admin = await backend.member(organization, 'admin')
  })
  afterAll(() => backend.close())

  const get = (query = '', as = admin) => backend.call('GET', `/v1/security-events${query}`, { as })
  const person = async (of: TestOrganization) => {
    const { userId } = await backend.member(of, 'member')
    const { db } = backend.pool
    const { email } = await db.selectFrom('app_user').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
    return { userId, email }
  }
  const eventsOf = async ({ userId }: { userId: string }, as = admin) =>
    (await get(`?actor=${encodeId('user', userId)}&limit=100`, as)).body.security_events
  const signIn = (body: object) =>
    backend.call('POST', '/v1/auth/login', { body, headers: { 'user-agent': 'Firefox/\u202E1' }, ip: '198.51.100.7' })

  it('records sign-ins and failed ones, with address and program, and never the password', async () => {
    const ada = await person(organization)
    await backend.pool.db.updateTable('app_user').set({ name: 'Ada' }).where('id', '=', ada.userId).execute()
    const before = (await eventsOf(ada)).length
    await signIn({ email: ada.email, password: 'not her passphrase' })
    backend.clock.advance(1_000)
    await signIn({ email: ada.email, password: PASSWORD })
    const events = await eventsOf(ada)
    const actor = { type: 'user', id: encodeId('user', ada.userId), name: 'Ada', email: ada.email }
    expect(events.slice(0, events.length - before)).toEqual([
      {
        id: expect.stringMatching(/^sec_/),
        at: new Date(backend.clock.now()).toISOString(),
        type: 'sign_in.succeeded',
        actor,
        ip: '198.51.100.7',
        user_agent: 'Firefox/ 1',
        details: { session_id: expect.stringMatching(/^ses_/), new_place: true },
      },
      {
        id: expect.stringMatching(/^sec_/),
        at: new Date(backend.clock.now() - 1_000).toISOString(),
        type: 'sign_in.failed',
        actor,
        ip: '198.51.100.7',
        user_agent: 'Firefox/ 1',
        details: {},
      },
    ])
    expect(JSON.stringify(events)).not.toContain('passphrase')
  })

  it('shows no organization the tries of unknown e-mails', async () => {
    const { total } = (await get()).body
    expect((await signIn({ email: 'nobody@example.com', password: 'x' })).status).toBe(401)
    expect((await get()).body.total).toBe(total)
    const kept = await backend.pool.db.selectFrom('security_event').select('ip').where('user_id', 'is', null).execute()
    expect(kept).toEqual([{ ip: '198.51.100.7' }])
  })

  it('shows an organization its members alone, since they joined', async () => {
    const other = await backend.organization('Other')
    const newcomer = await person(other)
    await signIn({ email: newcomer.email, password: PASSWORD })
    expect(await eventsOf(newcomer)).toEqual([])
    const at = new Date(backend.clock.now() + 1_000)
    const db = backend.pool.db
    await db
      .insertInto('membership')
      .values({ organization: organization.number, user_id: newcomer.userId, role: 'viewer', joined_at: at })
      .execute()
    backend.clock.advance(2_000)
    await signIn({ email: newcomer.email, password: 'wrong' })
    const principal = { kind: 'user', userId: newcomer.userId } as const
    const foreign = { type: 'sign_in.failed', principal, userId: newcomer.userId, organization: other.number, ip: null } as const
    await recordSecurityEvent(db, foreign, new Date(backend.clock.now()))
    expect((await eventsOf(newcomer)).map(({ type }: { type: string }) => type)).toEqual(['sign_in.failed'])
  })

  it('records changes of accounts and keys, a wrong current password and the end of an organization', async () => {
    const own = await backend.organization('Own')
    const as = await backend.member(own, 'owner')
    const typesOf = async () => (await get('?limit=100', as)).body.security_events.map(({ type }: { type: string }) => type)
    const key = await backend.call('POST', '/v1/api-keys', { as, body: { name: 'k', scopes: ['read'] } })
    backend.clock.advance(1_000)
    await backend.call('DELETE', `/v1/api-keys/${key.body.id}`, { as })
    const change = (current_password: string) =>
      backend.call('POST', '/v1/auth/password', { as, body: { current_password, new_password: 'another rare passphrase' } })
    backend.clock.advance(1_000)
    expect((await change('wrong')).status).toBe(401)
    expect(await typesOf()).toEqual(expect.arrayContaining(['password.wrong', 'api_key.revoked', 'api_key.created']))
    backend.clock.advance(1_000)
    const authorization = `Bearer ${(await change(PASSWORD)).body.token}`
    const { body } = await backend.call('GET', '/v1/security-events?type=password.changed', { as: { authorization } })
    expect(body).toMatchObject({ total: 1, security_events: [{ details: { sessions_ended: 1 } }] })
    const url = `/v1/organizations/${own.id}`
    expect((await backend.call('DELETE', url, { as: { authorization }, body: { name: 'Own' } })).status).toBe(204)
    const { db } = backend.pool
    const ends = db.selectFrom('security_event').select('details').where('type', '=', 'organization.deleted')
    expect(await ends.execute()).toEqual([{ details: { id: own.id, name: 'Own' } }])
  })

  it('records what ends or grants a permission: members, tokens, settings, a second factor that is begun, a reset', async () => {
    const own = await backend.organization('Own')
    const as = await backend.member(own, 'owner')
    const other = await person(own)
    backend.clock.advance(1_000)
    const from = new Date(backend.clock.now()).toISOString()
    const url = `/v1/organizations/${own.id}/members/${encodeId('user', other.userId)}`
    await backend.call('PATCH', url, { as, body: { role: 'viewer' } })
    await backend.call('DELETE', url, { as })
    await backend.call('PATCH', `/v1/organizations/${own.id}`, { as, body: { name: 'Renamed' } })
    const server = await backend.server(own)
    await backend.call('POST', `/v1/servers/${server.id}/regenerate-token`, { as })
    const hook = { name: 'hook', type: 'webhook', config: { url: 'https://192.0.2.1/' } }
    const channel = await backend.call('POST', '/v1/channels', { as, body: hook })
    await backend.call('POST', `/v1/channels/${channel.body.id}/test`, { as })
    await backend.call('POST', '/v1/auth/totp', { as, body: {} })
    expect((await backend.call('DELETE', '/v1/auth/totp', { as, body: { password: 'wrong' } })).status).toBe(401)
    const { body } = await get(`?from=${from}&limit=100`, as)
    const types = (body.security_events as { type: string }[]).map(({ type }) => type)
    expect(new Set(types)).toEqual(
      new Set([
        'member.role_changed',
        'member.removed',
        'organization.renamed',
        'api_key.created',
        'server.token_regenerated',
        'channel.tested',
        'second_factor.started',
        'password.wrong',
      ]),
    )
    const audited = (await backend.call('GET', '/v1/audit-events?action=channel.tested', { as })).body
    expect(audited).toMatchObject({ total: 1, audit_events: [{ details: { name: 'hook' } }] })
    const { email } = await person(own)
    await backend.call('POST', '/v1/auth/password-reset', { body: { email }, ip: '198.51.100.8' })
    expect((await get('?type=password.reset_requested', as)).body).toMatchObject({
      total: 1,
      security_events: [{ actor: { email }, ip: '198.51.100.8' }],
    })
  })

  it('records what the operator does, which no organization sees unless it concerns a member', async () => {
    const { db } = backend.pool
    const deps = { db, clock: backend.clock }
    await addRegion(deps, 'region-a', 'Region A')
    await rotateRegionToken(deps, 'region-a')
    await setAllowPrivateTargets(db, SYSTEM, true, new Date(backend.clock.now()))
    const types = ['probe_token.created', 'probe_token.replaced', 'installation.setting_changed']
    const stored = await db
      .selectFrom('security_event')
      .select(['type', 'details'])
      .where('type', 'in', types)
      .orderBy('id')
      .execute()
    expect(stored).toEqual([
      { type: 'probe_token.created', details: { region: 'region-a' } },
      { type: 'probe_token.replaced', details: { region: 'region-a' } },
      { type: 'installation.setting_changed', details: { name: 'allow_private_targets', value: true } },
    ])
    for (const type of types) expect((await get(`?type=${type}`)).body.total).toBe(0)
  })

  it('filters by time, type and actor, and pages', async () => {
    const grace = await person(organization)
    backend.clock.advance(1_000)
    const from = new Date(backend.clock.now()).toISOString()
    for (const password of ['one', 'two']) await signIn({ email: grace.email, password })
    backend.clock.advance(1_000)
    await signIn({ email: grace.email, password: PASSWORD })
    const to = new Date(backend.clock.now()).toISOString()
    expect((await get(`?from=${from}&to=${to}`)).body.total).toBe(2)
    expect((await get(`?from=${from}&type=sign_in.succeeded`)).body.total).toBe(1)
    const page = (await get(`?from=${from}&limit=2&page=2`)).body
    expect([page.total, page.page, page.security_events.length]).toEqual([3, 2, 1])
    for (const query of ['type=nothing', 'from=yesterday', `from=${to}&to=${from}`, 'actor=me'])
      expect((await get(`?${query}`)).status).toBe(400)
  })

  it('is for owner and admin', async () => {
    expect((await get('', await backend.member(organization, 'member'))).status).toBe(403)
    expect((await get('', await backend.apiKey(organization, 'read', 'write'))).status).toBe(403)
    expect((await get('', await backend.member(organization, 'owner'))).status).toBe(200)
  })

  it('keeps events for 400 days', async () => {
    const { db } = backend.pool
    const at = new Date(backend.clock.now() - 400 * DAY)
    const event = { type: 'sign_in.failed', principal: undefined, ip: '203.0.113.99' } as const
    await recordSecurityEvent(db, event, at)
    const count = async () =>
      (await db.selectFrom('security_event').select('id').where('ip', '=', '203.0.113.99').execute()).length
    await deleteOldSecurityEvents(db, backend.clock.now())
    expect(await count()).toBe(1)
    await deleteOldSecurityEvents(db, backend.clock.now() + 1)
    expect(await count()).toBe(0)
  })
})
