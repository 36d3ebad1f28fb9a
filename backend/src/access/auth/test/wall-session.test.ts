import { beforeEach, afterEach, describe, expect, it } from 'vitest'
import { type Answer, PASSWORD, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { person, type Person, sessionOf } from './person.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

describe('the session of a wall', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let user: Person
  beforeEach(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
    user = await person(backend, organization, 'owner')
  })
  afterEach(() => backend.close())

  const cookieIn = ({ headers }: Answer) => /^vedette_refresh=([^;]*)/.exec(String(headers['set-cookie'] ?? ''))?.[1] ?? ''
  const refresh = async (cookie: string, query = '?wall=true') => {
    const headers = { 'x-requested-with': 'vedette', cookie: `vedette_refresh=${cookie}` }
    const answer = await backend.call('POST', `/v1/auth/refresh${query}`, { headers })
    return { answer, cookie: cookieIn(answer) }
  }
  const signIn = async () => cookieIn(await user.login({ remember: true }))
  /** As an open wall, though at fewer times. */
  const openFor = async (cookie: string, days: number) => {
    let last = await refresh(cookie)
    for (let day = 0; day < days; day += 1) {
      backend.clock.advance(DAY_MS)
      last = await refresh(last.cookie)
      expect(last.answer.status, `after ${day} days`).toBe(200)
    }
    return last
  }
  const create = (answer: Answer) =>
    backend.call('POST', '/v1/monitors', { as: sessionOf(answer), body: { name: 'Shop', url: 'https://example.com/' } })

  it('lives as long as the wall is open, and may only read once the 30 days of its sign-in are over', async () => {
    const early = await openFor(await signIn(), 29)
    expect((await create(early.answer)).status).toBe(201)
    const late = await openFor(early.cookie, 2)
    const as = sessionOf(late.answer)
    const refused = await create(late.answer)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden'])
    expect(refused.body.error.message).toContain('may only read')
    const changes = [
      ['PATCH', '/v1/me', { name: 'Ada' }],
      ['POST', '/v1/auth/totp', {}],
      ['DELETE', '/v1/auth/me', { password: PASSWORD }],
      ['PATCH', `/v1/organizations/${organization.id}`, { name: 'Other' }],
    ] as const
    for (const [method, path, body] of changes) expect((await backend.call(method, path, { as, body })).status, path).toBe(403)
    // As a viewer, in the organization of the path too.
    expect((await backend.call('GET', '/v1/overview', { as })).status).toBe(200)
    expect((await backend.call('GET', '/v1/audit-events', { as })).status).toBe(403)
    const me = (await backend.call('GET', '/v1/auth/me', { as })).body
    expect(me.organizations[0].permissions).toEqual(['read', 'org:read'])
    const { sessions } = (await backend.call('GET', '/v1/auth/sessions', { as })).body
    expect(sessions).toMatchObject([{ current: true, remembered: true, wall: true }])
    expect(Date.parse(sessions[0].expires_at)).toBe(backend.clock.now() + 30 * DAY_MS)
    expect((await backend.call('POST', '/v1/auth/logout', { as })).status).toBe(204)
    expect((await refresh(late.cookie)).answer.status).toBe(401)
  })

  it('is over 30 days after its last refresh', async () => {
    const last = await openFor(await signIn(), 10)
    backend.clock.advance(30 * DAY_MS)
    expect((await refresh(last.cookie)).answer.status).toBe(401)
  })

  it('ends with a change of the password', async () => {
    const open = await openFor(await signIn(), 31)
    const as = sessionOf(await user.login())
    const body = { current_password: PASSWORD, new_password: 'a new one, quite long' }
    expect((await backend.call('POST', '/v1/auth/password', { as, body })).status).toBe(200)
    expect((await refresh(open.cookie)).answer.status).toBe(401)
    expect((await backend.call('GET', '/v1/auth/me', { as: sessionOf(open.answer) })).status).toBe(401)
  })

  it('is needed for it: other refreshes let nothing live on', async () => {
    const cookie = await signIn()
    backend.clock.advance(29 * DAY_MS)
    const { answer, cookie: next } = await refresh(cookie, '')
    expect(answer.status).toBe(200)
    backend.clock.advance(DAY_MS)
    expect((await refresh(next, '')).answer.status).toBe(401)
  })
})
