import type { Role } from '@vedette/shared'
import { type Answer, type Credentials, PASSWORD, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'

/** A user of a test with what they know. */
export interface Person {
  userId: string
  email: string
  /** Their first session. */
  as: Credentials
  login(more?: object, on?: TestBackend): Promise<Answer>
}

/** A new member of the organization, signed in once. */
export async function person(backend: TestBackend, organization: TestOrganization, role: Role = 'member'): Promise<Person> {
  const { userId, authorization } = await backend.member(organization, role)
  const { db } = backend.pool
  const { email } = await db.selectFrom('app_user').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
  return {
    userId,
    email,
    as: { authorization },
    login: (more = {}, on = backend) =>
      on.call('POST', '/v1/auth/login', { body: { email, password: PASSWORD, ...more }, headers: { 'user-agent': 'test/1.0' } }),
  }
}

/** Credentials out of the answer of a login or its like. */
export const sessionOf = ({ body }: Answer): Credentials => ({ authorization: `Bearer ${String(body.token)}` })

/** Actions in the audit log of an organization, oldest first. */
export async function actionsIn(backend: TestBackend, { number }: TestOrganization) {
  return backend.pool.db
    .selectFrom('audit_event')
    .select(['action', 'actor_kind', 'actor_id', 'target_type', 'target_id', 'ip', 'details'])
    .where('organization', '=', number)
    .orderBy('id')
    .execute()
}

/** What every route of one's own account refuses: nobody, API keys of any scope, servers. */
export async function refusals(backend: TestBackend, organization: TestOrganization, method: string, url: string, body?: object) {
  const call = async (as: Credentials) => {
    const answer = await backend.call(method, url, { as, ...(body ? { body } : {}) })
    return [answer.status, answer.body?.error?.code]
  }
  return {
    nobody: await call({}),
    forged: await call({ authorization: 'Bearer a.b.c' }),
    adminKey: await call(await backend.apiKey(organization, 'admin', 'read', 'write')),
    server: await call((await backend.server(organization)).as),
  }
}

export const REFUSED = {
  nobody: [401, 'unauthorized'],
  forged: [401, 'unauthorized'],
  adminKey: [403, 'forbidden'],
  server: [403, 'forbidden'],
}

/** Order of statuses. */
export const ascending = (a: number, b: number): number => a - b
