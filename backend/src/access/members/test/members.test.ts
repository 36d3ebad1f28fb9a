import { type Role, ROLES } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { encodeId } from '../../../platform/ids.ts'
import { insertMembership } from '../index.ts'

const UNKNOWN = 'usr_01h455vb4pex5vsknk084sn02q'
type User = Credentials & { userId: string }

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

const idOf = ({ userId }: { userId: string }) => encodeId('user', userId)
const call = (method: string, organization: TestOrganization, path: string, as?: Credentials, body?: unknown) =>
  backend.call(method, `/v1/organizations/${organization.id}/members${path}`, { ...(as ? { as } : {}), body })
const patch = (organization: TestOrganization, as: Credentials, target: User, role: unknown) =>
  call('PATCH', organization, `/${idOf(target)}`, as, { role })
const remove = (organization: TestOrganization, as: Credentials, target: User) =>
  call('DELETE', organization, `/${idOf(target)}`, as)

/** An organization whose one owner is this test's own. */
async function ownOrganization(): Promise<{ shop: TestOrganization; owner: User }> {
  const shop = await backend.organization('Shop')
  const owner = await backend.member(shop, 'owner')
  await backend.pool.db
    .deleteFrom('membership')
    .where('organization', '=', shop.number)
    .where('user_id', '<>', owner.userId)
    .execute()
  return { shop, owner }
}

const rolesOf = async (organization: TestOrganization) => {
  const rows = await backend.pool.db
    .selectFrom('membership')
    .select(['user_id', 'role'])
    .where('organization', '=', organization.number)
    .execute()
  return new Map(rows.map((row) => [row.user_id, row.role]))
}

const auditOf = (organization: TestOrganization) =>
  backend.pool.db
    .selectFrom('audit_event')
    .select(['action', 'actor_kind', 'actor_id', 'target_type', 'target_id', 'ip', 'details'])
    .where('organization', '=', organization.number)
    .where('action', 'like', 'member.%')
    .orderBy('id')
    .execute()

describe('GET members', () => {
  it('lists them with e-mail and role, who joined last first, to every member [LIST-01, LIST-06, MEMBER-01]', async () => {
    const { shop, owner } = await ownOrganization()
    backend.clock.advance(1_000)
    const viewer = await backend.member(shop, 'viewer')
    const { status, body } = await call('GET', shop, '', viewer)
    expect(status).toBe(200)
    const member = (user: User, role: Role, at: number) => ({
      id: idOf(user),
      email: expect.stringMatching(/@example\.com$/),
      name: null,
      email_verified: false,
      role,
      joined_at: new Date(at).toISOString(),
    })
    const now = backend.clock.now()
    expect(body).toEqual({
      members: [member(viewer, 'viewer', now), member(owner, 'owner', now - 1_000)],
      total: 2,
      page: 1,
      limit: 100,
    })
    expect((await call('GET', shop, '?limit=1&page=2', owner)).body.members).toMatchObject([{ role: 'owner' }])
    expect((await call('GET', shop, '?page=9', owner)).body).toMatchObject({ members: [], total: 2, page: 9 })
  })

  it('refuses unknown and out-of-range parameters by name [LIST-03, LIST-04, WIRE-15]', async () => {
    const { shop, owner } = await ownOrganization()
    for (const [query, path] of [
      ['?limit=101', 'limit'],
      ['?page=0', 'page'],
      ['?role=owner', 'role'],
    ] as const) {
      const { status, body } = await call('GET', shop, query, owner)
      expect([status, body.error.details[0].path]).toEqual([400, path])
    }
  })
})

describe('PATCH a member', () => {
  it('gives the role and answers the whole member; it holds at the next request [AUTH-23, MEMBER-02, WIRE-12]', async () => {
    const { shop, owner } = await ownOrganization()
    const member = await backend.member(shop, 'viewer')
    const name = { email: 'new@example.com', role: 'viewer' }
    expect((await call('POST', shop, '/invite', member, name)).status).toBe(403)
    const { status, body } = await patch(shop, owner, member, 'admin')
    expect(status).toBe(200)
    expect(body).toEqual({
      id: idOf(member),
      email: expect.any(String),
      name: null,
      email_verified: false,
      role: 'admin',
      joined_at: expect.any(String),
    })
    expect((await call('POST', shop, '/invite', member, name)).status).toBe(201)
    expect((await patch(shop, owner, member, 'admin')).status).toBe(200)
    expect(await auditOf(shop)).toMatchObject([
      {
        action: 'member.role_changed',
        actor_kind: 'user',
        actor_id: owner.userId,
        target_type: 'user',
        target_id: member.userId,
        ip: '192.0.2.1',
        details: { from: 'viewer', to: 'admin' },
      },
      { action: 'member.invited' },
    ])
  })

  it('publishes an event that names the member, as the one of their leave does', async () => {
    const { shop, owner } = await ownOrganization()
    const member = await backend.member(shop, 'viewer')
    const { db } = backend.pool
    await db.updateTable('app_user').set({ name: 'Ada' }).where('id', '=', member.userId).execute()
    const { email } = await db.selectFrom('app_user').select('email').where('id', '=', member.userId).executeTakeFirstOrThrow()
    await patch(shop, owner, member, 'admin')
    await call('DELETE', shop, `/${idOf(member)}`, member)
    const events = await db
      .selectFrom('live_event')
      .select(['type', 'data'])
      .where('organization', '=', shop.number)
      .where('type', 'in', ['member.role_changed', 'member.left'])
      .orderBy('at')
      .orderBy('id')
      .execute()
    const person = { user_id: idOf(member), email, name: 'Ada' }
    expect(events).toEqual([
      { type: 'member.role_changed', data: { member: { ...person, from: 'viewer', to: 'admin' } } },
      { type: 'member.left', data: { member: { ...person, role: 'admin' } } },
    ])
  })

  it('lets nobody give a role above their own, and nobody touch an owner but an owner [MEMBER-04, MEMBER-06]', async () => {
    const { shop, owner } = await ownOrganization()
    const callers: [Role, Credentials][] = [
      ['owner', owner],
      ['admin', await backend.member(shop, 'admin')],
      ['admin', await backend.apiKey(shop, 'admin')],
    ]
    for (const [rank, as] of callers) {
      for (const from of ROLES) {
        for (const to of ROLES) {
          const target = await backend.member(shop, from)
          const { status } = await patch(shop, as, target, to)
          expect([rank, from, to, status]).toEqual([
            rank,
            from,
            to,
            rank === 'owner' || (from !== 'owner' && to !== 'owner') ? 200 : 403,
          ])
          expect((await rolesOf(shop)).get(target.userId)).toBe(status === 200 ? to : from)
          // Owners who stay would change what the rules say of the last one.
          await backend.pool.db.deleteFrom('membership').where('user_id', '=', target.userId).execute()
        }
      }
    }
  })

  it('lets nobody raise themselves, and everybody who may change roles step down [MEMBER-04]', async () => {
    const { shop } = await ownOrganization()
    for (const role of ['viewer', 'member', 'admin'] as const) {
      const member = await backend.member(shop, role)
      expect((await patch(shop, member, member, 'owner')).status).toBe(403)
      const next = ROLES[ROLES.indexOf(role) + 1]
      expect((await patch(shop, member, member, next)).status).toBe(403)
    }
    const second = await backend.member(shop, 'owner')
    expect((await patch(shop, second, second, 'viewer')).body.role).toBe('viewer')
  })

  it.each([
    [{}, 'role'],
    [{ role: 'viewer', organization: 'x' }, 'organization'],
  ])('%j is a 400 that names %s [WIRE-14]', async (body, path) => {
    const { shop, owner } = await ownOrganization()
    const answer = await call('PATCH', shop, `/${idOf(owner)}`, owner, body)
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path])
  })

  it('is one and the same 404 for who is no member here, to an admin also with a role above their own a 403 [ERROR-10, WIRE-07, WIRE-08]', async () => {
    const { shop, owner } = await ownOrganization()
    const foreign = await backend.member(await backend.organization('Other'), 'member')
    const gone = await backend.member(shop, 'member')
    await remove(shop, owner, gone)
    const admin = await backend.member(shop, 'admin')
    const answers = new Set<string>()
    for (const id of [idOf(foreign), idOf(gone), UNKNOWN, 'nonsense', idOf(admin).toUpperCase(), shop.id, foreign.userId]) {
      for (const method of ['PATCH', 'DELETE']) {
        const { status, body } = await call(method, shop, `/${id}`, owner, method === 'PATCH' ? { role: 'viewer' } : undefined)
        answers.add(`${status} ${body.error.code} ${body.error.message}`)
      }
      expect((await call('PATCH', shop, `/${id}`, admin, { role: 'owner' })).status).toBe(403)
    }
    expect([...answers]).toEqual(['404 not_found There is nothing here under this name.'])
  })
})

describe('DELETE a member', () => {
  it('ends the membership: access is gone at the next request, on every path [AUDIT-10, AUTH-23, MEMBER-03]', async () => {
    const { shop, owner } = await ownOrganization()
    const other = await backend.organization('Other')
    const alone = await backend.member(shop, 'admin')
    const elsewhere = await backend.member(shop, 'admin')
    await insertMembership(backend.pool.db, other.number, elsewhere.userId, 'viewer', new Date(backend.clock.now() + 1))
    const servers = (as: Credentials) => backend.call('GET', '/v1/servers', { as, headers: { 'x-organization-id': shop.id } })
    for (const user of [alone, elsewhere]) {
      expect((await servers(user)).status).toBe(200)
      const { status, body } = await remove(shop, owner, user)
      expect([status, body]).toEqual([204, undefined])
      expect((await servers(user)).status).toBe(403)
      expect((await remove(shop, owner, user)).status).toBe(404)
    }
    expect((await call('GET', shop, '', elsewhere)).status).toBe(404)
    expect((await call('GET', shop, '', alone)).status).toBe(403)
    expect((await call('GET', other, '', elsewhere)).status).toBe(200)
    expect(await auditOf(shop)).toMatchObject([
      { action: 'member.removed', actor_id: owner.userId, target_id: alone.userId, details: { role: 'admin' } },
      { action: 'member.removed', target_id: elsewhere.userId },
    ])
  })

  it('lets everybody leave, and owners and admins remove who is not above them [ACCESS-13, MEMBER-05, MEMBER-10]', async () => {
    const { shop, owner } = await ownOrganization()
    for (const role of ROLES) {
      const member = await backend.member(shop, role)
      expect([role, (await remove(shop, member, member)).status]).toEqual([role, 204])
    }
    expect((await auditOf(shop)).map(({ action }) => action)).toEqual(Array(4).fill('member.left'))
    const callers: [Role, Credentials][] = [
      ['owner', owner],
      ['admin', await backend.member(shop, 'admin')],
      ['admin', await backend.apiKey(shop, 'admin')],
      ['member', await backend.member(shop, 'member')],
      ['viewer', await backend.member(shop, 'viewer')],
    ]
    for (const [rank, as] of callers) {
      for (const role of ROLES) {
        const may = rank === 'owner' || (rank === 'admin' && role !== 'owner')
        const { status } = await remove(shop, as, await backend.member(shop, role))
        expect([rank, role, status]).toEqual([rank, role, may ? 204 : 403])
      }
    }
  })

  it('takes back what the removed one invited to; a demotion what the new role could not give', async () => {
    const { shop, owner } = await ownOrganization()
    const boss = await backend.member(shop, 'owner')
    const invite = async (email: string, role: Role) => (await call('POST', shop, '/invite', boss, { email, role })).body
    const [first, second] = [await invite('one@example.com', 'owner'), await invite('two@example.com', 'admin')]
    const pending = async () =>
      (await backend.call('GET', `/v1/organizations/${shop.id}/invitations`, { as: owner })).body.invitations.map(
        ({ id }: { id: string }) => id,
      )
    await patch(shop, owner, boss, 'admin')
    expect(await pending()).toEqual([second.id])
    await remove(shop, owner, boss)
    expect(await pending()).toEqual([])
    for (const { accept_url } of [first, second]) {
      const body = { token: new URL(accept_url).searchParams.get('token'), password: 'a long and rare passphrase' }
      expect((await backend.call('POST', '/v1/auth/invitations/accept', { body })).status).toBe(404)
    }
    expect((await auditOf(shop)).at(-1)).toMatchObject({ details: { role: 'admin', revoked_invitations: 1 } })
  })
})

describe('the last owner', () => {
  it('can neither leave, nor be removed, nor step down [MEMBER-07, MEMBER-08]', async () => {
    const { shop, owner } = await ownOrganization()
    const admin = await backend.member(shop, 'admin')
    expect((await remove(shop, owner, owner)).status).toBe(409)
    for (const role of ['admin', 'member', 'viewer']) {
      const { status, body } = await patch(shop, owner, owner, role)
      expect([status, body.error.code]).toEqual([409, 'conflict'])
    }
    expect((await patch(shop, owner, owner, 'owner')).status).toBe(200)
    for (const as of [admin, await backend.apiKey(shop, 'admin')]) {
      expect((await remove(shop, as, owner)).status).toBe(403)
      expect((await patch(shop, as, owner, 'viewer')).status).toBe(403)
    }
    expect((await rolesOf(shop)).get(owner.userId)).toBe('owner')
  })

  it('remains, however many owners go at once over two instances [MEMBER-09]', async () => {
    const other = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    for (let round = 0; round < 8; round += 1) {
      const { shop, owner } = await ownOrganization()
      const owners = [owner, await backend.member(shop, 'owner'), await backend.member(shop, 'owner')]
      const answers = await Promise.all(
        owners.map((user, index) => {
          const next = owners[(index + 1) % owners.length] as User
          const from = index % 2 === 0 ? backend : other
          const path = (target: User) => `/v1/organizations/${shop.id}/members/${idOf(target)}`
          if (round % 2 === 0) return from.call('DELETE', path(user), { as: user })
          return from.call('PATCH', path(next), { as: user, body: { role: 'viewer' } })
        }),
      )
      for (const { status } of answers) expect([200, 204, 403, 409]).toContain(status)
      const left = [...(await rolesOf(shop)).values()].filter((role) => role === 'owner')
      expect(left).toEqual(['owner'])
    }
    await other.close()
  })
})
