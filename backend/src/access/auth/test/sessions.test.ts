import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { encodeId } from '../../../platform/ids.ts'
import { openSession } from '../index.ts'
import { actionsIn, person, type Person, REFUSED, refusals, sessionOf } from './person.ts'

describe('sessions', () => {
  let backend: TestBackend
  let organization: TestOrganization
  beforeAll(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
  })
  afterAll(() => backend.close())

  const list = (as: Person['as'], query = '') => backend.call('GET', `/v1/auth/sessions${query}`, { as })
  const end = (as: Person['as'], id: string) => backend.call('DELETE', `/v1/auth/sessions/${id}`, { as })

  describe('GET /v1/auth/sessions', () => {
    it('lists those that live, newest first, and says which one asks [AUTH-34, LIST-01]', async () => {
      const user = await person(backend, organization)
      const ended = sessionOf(await user.login())
      await backend.call('POST', '/v1/auth/logout', { as: ended })
      backend.clock.advance(1_000)
      const answer = await backend.call('POST', '/v1/auth/login', {
        body: { email: user.email, password: 'a long and rare passphrase' },
        headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' },
        ip: '203.0.113.80',
      })
      const { status, body } = await list(sessionOf(answer))
      expect(status).toBe(200)
      expect(body).toMatchObject({ total: 2, page: 1, limit: 20 })
      const at = new Date(backend.clock.now()).toISOString()
      expect(body.sessions[0]).toEqual({
        id: expect.stringMatching(/^ses_/),
        current: true,
        remembered: false,
        wall: false,
        ip: '203.0.113.80',
        user_agent: 'Mozilla/5.0 (X11; Linux x86_64)',
        created_at: at,
        last_used_at: at,
        expires_at: answer.body.expires_at.replace(/\d\d\.000Z$/, `${at.slice(17, 19)}.000Z`),
      })
      expect(body.sessions[1]).toMatchObject({ current: false, last_used_at: null })
    })

    it('pages, in a stable order [LIST-08, LIST-09]', async () => {
      const user = await person(backend, organization)
      for (let count = 0; count < 4; count += 1) await user.login()
      const ids = []
      for (const page of [1, 2, 3])
        ids.push(...(await list(user.as, `?limit=2&page=${page}`)).body.sessions.map(({ id }: { id: string }) => id))
      expect(new Set(ids).size).toBe(5)
      expect((await list(user.as, '?page=9')).body).toMatchObject({ sessions: [], total: 5 })
    })

    it('lists when a session was last used, at most one minute late', async () => {
      const user = await person(backend, organization)
      const used = async () => (await list(user.as)).body.sessions[0].last_used_at as string
      const first = await used()
      backend.clock.advance(59_000)
      expect(await used()).toBe(first)
      backend.clock.advance(1_000)
      expect(Date.parse(await used())).toBe(Date.parse(first) + 60_000)
    })

    it.each(['?limit=0', '?limit=101', '?page=0', '?page=1&page=2', '?user=1'])(
      'refuses %s [LIST-03, LIST-04, WIRE-16]',
      async (query) => {
        const user = await person(backend, organization)
        const { status, body } = await list(user.as, query)
        expect([status, body.error.code]).toEqual([400, 'validation_error'])
        expect(query).toContain(body.error.details[0].path)
      },
    )

    it('is for signed-in users alone', async () => {
      expect(await refusals(backend, organization, 'GET', '/v1/auth/sessions')).toEqual(REFUSED)
    })
  })

  describe('DELETE /v1/auth/sessions/:id', () => {
    it('ends that session at the next request, and writes it down [AUDIT-11, AUTH-35, WIRE-13]', async () => {
      const own = await backend.organization()
      const user = await person(backend, own)
      const other = sessionOf(await user.login())
      const { body } = await list(user.as)
      const target = body.sessions.find(({ current }: { current: boolean }) => !current)
      const { status, body: nothing } = await end(user.as, target.id)
      expect([status, nothing]).toEqual([204, undefined])
      expect((await list(other)).status).toBe(401)
      expect((await list(user.as)).body.total).toBe(1)
      expect((await end(user.as, target.id)).status).toBe(404)
      expect(await actionsIn(backend, own)).toEqual([
        expect.objectContaining({ action: 'session.ended', target_type: 'session' }),
      ])
    })

    it('ends the session that asks, too [AUTH-35]', async () => {
      const user = await person(backend, organization)
      const { body } = await list(user.as)
      expect((await end(user.as, body.sessions[0].id)).status).toBe(204)
      expect((await list(user.as)).status).toBe(401)
    })

    it("is a 404 for another's session, another kind of id, and whatever is none [AUTH-35, ERROR-10, WIRE-07]", async () => {
      const user = await person(backend, organization)
      const other = await person(backend, organization, 'owner')
      const theirs = (await list(other.as)).body.sessions[0].id as string
      const own = (await list(user.as)).body.sessions[0].id as string
      const ids = [
        theirs,
        own.toUpperCase(),
        own.replace('ses_', 'usr_'),
        own.slice(4),
        'nonsense',
        '%00',
        encodeId('session', user.userId),
      ]
      for (const id of ids) {
        const { status, body } = await end(user.as, id)
        expect([id, status, body.error.code]).toEqual([id, 404, 'not_found'])
      }
      expect((await list(other.as)).status).toBe(200)
    })

    it('is for signed-in users alone', async () => {
      const user = await person(backend, organization)
      const { id } = (await list(user.as)).body.sessions[0]
      expect(await refusals(backend, organization, 'DELETE', `/v1/auth/sessions/${id}`)).toEqual(REFUSED)
    })
  })

  it('keep of the user agent what can be shown in a line', async () => {
    const { userId, as } = await person(backend, organization)
    const deps = { db: backend.pool.db, clock: backend.clock, tokens: backend.vedette.tokens }
    for (const agent of ['a\r\n\tb\u0000c\u202Ed\u2028e', 'x'.repeat(5_000), ''])
      await openSession(deps, deps.db, userId, '::1', agent)
    const agents = (await list(as)).body.sessions.map(({ user_agent }: { user_agent: string }) => user_agent).sort()
    expect(agents).toEqual(['', '', 'a b c d e', 'x'.repeat(256)])
  })

  it('are deleted once they are past their time', async () => {
    const { userId, as } = await person(backend, organization)
    const rows = () => backend.pool.db.selectFrom('session').select('id').where('user_id', '=', userId).execute()
    await backend.jobs.deleteExpired()
    expect(await rows()).toHaveLength(1)
    expect((await list(as)).status).toBe(200)
    backend.clock.advance(12 * 3_600_000)
    await backend.jobs.deleteExpired()
    expect(await rows()).toEqual([])
  })
})
