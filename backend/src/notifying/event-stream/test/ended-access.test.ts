import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Credentials,
  PASSWORD,
  startTestBackend,
  type TestBackend,
  type TestOrganization,
} from '../../../../test/harness.ts'
import { sessionIdOf } from '../../../../test/path-resources.ts'
import { encodeId, newId } from '../../../platform/ids.ts'
import { insertEvent } from '../store.ts'
import { openStream } from './open-stream.ts'

let one: TestBackend
let other: TestBackend
let organization: TestOrganization
let owner: Credentials
beforeAll(async () => {
  one = await startTestBackend()
  other = await startTestBackend({ databaseUrl: one.databaseUrl, clock: one.clock })
})
afterAll(async () => {
  await other.close()
  await one.close()
})
beforeEach(async () => {
  organization = await one.organization()
  owner = await one.member(organization, 'owner')
})

interface Case {
  as: Credentials
  /** Ends the access. What is stored after it has resolved must not be delivered. */
  end(): Promise<unknown>
}

const succeed = async (...request: Parameters<TestBackend['call']>) => {
  const { status, body } = await one.call(...request)
  expect(status).toBeLessThan(300)
  return body
}

const memberPath = ({ userId = '' }: Credentials) => `/v1/organizations/${organization.id}/members/${encodeId('user', userId)}`

async function makeKey(more: object = {}): Promise<{ id: string; as: Credentials }> {
  const { id, key } = await succeed('POST', '/v1/api-keys', { as: owner, body: { name: 'key', scopes: ['read'], ...more } })
  return { id, as: { 'x-api-key': key } }
}

async function signIn({ userId = '' }: Credentials): Promise<Credentials> {
  const user = one.pool.db.selectFrom('app_user').select('email').where('id', '=', userId)
  const body = { ...(await user.executeTakeFirstOrThrow()), password: PASSWORD }
  return { authorization: `Bearer ${(await succeed('POST', '/v1/auth/login', { body })).token}`, userId }
}

const CASES: Record<string, () => Promise<Case>> = {
  'the member is removed': async () => {
    const as = await one.member(organization, 'admin')
    return { as, end: () => succeed('DELETE', memberPath(as), { as: owner }) }
  },
  'a member who belongs to another organization too is removed': async () => {
    const as = await one.member(organization, 'admin')
    const second = await one.organization('Second')
    const at = new Date(one.clock.now() + 1)
    const membership = { organization: second.number, user_id: as.userId, role: 'owner' as const, joined_at: at }
    await one.pool.db.insertInto('membership').values(membership).execute()
    return { as, end: () => succeed('DELETE', memberPath(as), { as: owner }) }
  },
  'the member leaves': async () => {
    const as = await one.member(organization, 'viewer')
    return { as, end: () => succeed('DELETE', memberPath(as), { as }) }
  },
  'the session is ended by signing out': async () => {
    const as = await one.member(organization, 'viewer')
    return { as, end: () => succeed('POST', '/v1/auth/logout', { as }) }
  },
  'the session is deleted from another one': async () => {
    const as = await one.member(organization, 'viewer')
    const path = `/v1/auth/sessions/${encodeId('session', sessionIdOf(as.authorization))}`
    const second = await signIn(as)
    return { as, end: () => succeed('DELETE', path, { as: second }) }
  },
  'the session expires': async () => {
    const as = await one.member(organization, 'viewer')
    return { as, end: async () => one.clock.advance(12 * 3_600_000) }
  },
  'the password is changed': async () => {
    const as = await one.member(organization, 'viewer')
    const second = await signIn(as)
    const body = { current_password: PASSWORD, new_password: `another ${PASSWORD}` }
    return { as, end: () => succeed('POST', '/v1/auth/password', { as: second, body }) }
  },
  'the API key is revoked': async () => {
    const { id, as } = await makeKey()
    return { as, end: () => succeed('DELETE', `/v1/api-keys/${id}`, { as: owner }) }
  },
  'the API key expires': async () => {
    const expires = new Date(one.clock.now() + 60_000).toISOString()
    return { as: (await makeKey({ expires_at: expires })).as, end: async () => one.clock.advance(60_000) }
  },
  'the API key loses the scope that reads': async () => {
    const { as } = await makeKey()
    const keys = one.pool.db
      .updateTable('api_key')
      .set({ scopes: ['write'] })
      .where('organization', '=', organization.number)
    return { as, end: () => keys.execute() }
  },
  'the organization is deleted': async () => {
    const path = `/v1/organizations/${organization.id}`
    return { as: owner, end: () => succeed('DELETE', path, { as: owner, body: { name: organization.name } }) }
  },
}

async function store(type = 'monitor.down'): Promise<string> {
  const id = newId()
  await insertEvent(one.pool.db, organization.number, { id, type, at: new Date(one.clock.now()), data: {} })
  return encodeId('event', id)
}

const pollBoth = () => Promise.all([one.vedette.pollEvents(), other.vedette.pollEvents()])

describe.each(Object.entries(CASES))('when %s', (_, prepare) => {
  it('the stream ends on every instance, and nothing stored afterwards is delivered [EVENT-01]', async () => {
    const { as, end } = await prepare()
    const streams = await Promise.all([one, other].map((backend) => openStream(backend, as)))
    const before = await store()
    await pollBoth()
    for (const stream of streams) expect((await stream.next())?.id).toBe(before)
    await end()
    await store()
    await pollBoth()
    for (const stream of streams) expect(await stream.next()).toBeUndefined()
  })
})

it('a stream ends without a new event when the access of its reader ends', async () => {
  const as = await one.member(organization, 'viewer')
  const stream = await openStream(one, as)
  await succeed('DELETE', memberPath(as), { as: owner })
  one.clock.advance(250)
  expect(await stream.next()).toBeUndefined()
})

it('a stream delivers only the events that the present scopes of its API key may read', async () => {
  const { id, as } = await makeKey({ scopes: ['admin'] })
  const stream = await openStream(one, as)
  const invited = await store('member.invited')
  await one.vedette.pollEvents()
  expect((await stream.next())?.id).toBe(invited)
  await one.pool.db
    .updateTable('api_key')
    .set({ scopes: ['read'] })
    .where('organization', '=', organization.number)
    .execute()
  await store('member.removed')
  const down = await store('monitor.down')
  await one.vedette.pollEvents()
  expect((await stream.next())?.id).toBe(down)
  await succeed('DELETE', `/v1/api-keys/${id}`, { as: owner })
  stream.close()
})
