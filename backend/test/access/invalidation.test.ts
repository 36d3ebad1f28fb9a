import { randomUUID } from 'node:crypto'
import { generate } from 'otplib/functional'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeId } from '../../src/platform/ids.ts'
import { type Answer, type Credentials, PASSWORD, startTestBackend, type TestBackend, type TestOrganization } from '../harness.ts'
import { roundsOf } from '../../../scripts/test-rounds.ts'
import { sessionIdOf } from '../path-resources.ts'

const RUNS = roundsOf(20)
/** The requests to each backend before, during and after the change. */
const BURST = 4

let one: TestBackend
let other: TestBackend
let organization: TestOrganization
beforeAll(async () => {
  one = await startTestBackend()
  other = await startTestBackend({ databaseUrl: one.databaseUrl, clock: one.clock })
  organization = await one.organization()
})
afterAll(async () => {
  await other.close()
  await one.close()
})

/** A credential, what it may do until the change, and how it is refused from the answer on. */
interface Arranged {
  send(backend: TestBackend): Promise<Answer>
  change(): Promise<Answer>
  refused: 401 | 403
}

const reading = (as: Credentials) => (backend: TestBackend) =>
  backend.call('GET', '/v1/servers', {
    as,
    headers: as.authorization === undefined ? {} : { 'x-organization-id': organization.id },
  })

function pushing(as: Credentials) {
  return (backend: TestBackend) => {
    const at = new Date(one.clock.now()).toISOString()
    const body = { batch_id: randomUUID(), sent_at: at, agent_version: '1', samples: [{ at, cpu: { percent: 1 } }] }
    return backend.call('POST', '/v1/agent/metrics', { as, body })
  }
}

const memberPath = ({ userId }: { userId: string }): string =>
  `/v1/organizations/${organization.id}/members/${encodeId('user', userId)}`

const CASES: Record<string, () => Promise<Arranged>> = {
  'a password is changed': async () => {
    const user = await one.member(organization, 'viewer')
    const body = { current_password: PASSWORD, new_password: `another ${PASSWORD}` }
    const change = () => one.call('POST', '/v1/auth/password', { as: user, body })
    return { send: reading(user), change, refused: 401 }
  },
  'a second factor is enabled in another session': async () => {
    const user = await one.member(organization, 'viewer')
    const { email } = await one.pool.db
      .selectFrom('app_user')
      .select('email')
      .where('id', '=', user.userId)
      .executeTakeFirstOrThrow()
    const { body } = await one.call('POST', '/v1/auth/login', { body: { email, password: PASSWORD } })
    const enable = (given: object) =>
      one.call('POST', '/v1/auth/totp', { as: { authorization: `Bearer ${body.token}` }, body: given })
    const { secret } = (await enable({})).body
    const change = async () => enable({ code: await generate({ secret, epoch: Math.floor(one.clock.now() / 1000) }) })
    return { send: reading(user), change, refused: 401 }
  },
  'somebody signs out': async () => {
    const user = await one.member(organization, 'viewer')
    return { send: reading(user), change: () => one.call('POST', '/v1/auth/logout', { as: user }), refused: 401 }
  },
  'a session is ended from another': async () => {
    const user = await one.member(organization, 'viewer')
    const { email } = await one.pool.db
      .selectFrom('app_user')
      .select('email')
      .where('id', '=', user.userId)
      .executeTakeFirstOrThrow()
    const { body } = await one.call('POST', '/v1/auth/login', { body: { email, password: PASSWORD } })
    const path = `/v1/auth/sessions/${encodeId('session', sessionIdOf(user.authorization))}`
    const change = () => one.call('DELETE', path, { as: { authorization: `Bearer ${body.token}` } })
    return { send: reading(user), change, refused: 401 }
  },
  'a member is removed': async () => {
    const user = await one.member(organization, 'admin')
    const as = await one.member(organization, 'owner')
    return { send: reading(user), change: () => one.call('DELETE', memberPath(user), { as }), refused: 403 }
  },
  'a member gets a lesser role': async () => {
    const user = await one.member(organization, 'owner')
    const as = await one.member(organization, 'owner')
    const send = (backend: TestBackend) =>
      backend.call('PATCH', `/v1/organizations/${organization.id}`, { as: user, body: { name: 'Acme' } })
    return { send, change: () => one.call('PATCH', memberPath(user), { as, body: { role: 'admin' } }), refused: 403 }
  },
  'a key is revoked': async () => {
    const as = await one.member(organization, 'owner')
    const made = await one.call('POST', '/v1/api-keys', { as, body: { name: 'key', scopes: ['read'] } })
    const change = () => one.call('DELETE', `/v1/api-keys/${made.body.id}`, { as })
    return { send: reading({ 'x-api-key': made.body.key }), change, refused: 401 }
  },
  'a server is deleted': async () => {
    const as = await one.member(organization, 'owner')
    const server = await one.server(organization)
    return { send: pushing(server.as), change: () => one.call('DELETE', `/v1/servers/${server.id}`, { as }), refused: 401 }
  },
  "a server's token is replaced": async () => {
    const as = await one.member(organization, 'owner')
    const server = await one.server(organization)
    const change = () => one.call('POST', `/v1/servers/${server.id}/regenerate-token`, { as })
    return { send: pushing(server.as), change, refused: 401 }
  },
  'an organization is deleted': async () => {
    const shop = await one.organization('Shop')
    const as = await one.member(shop, 'owner')
    const key = await one.apiKey(shop, 'read')
    const change = () => one.call('DELETE', `/v1/organizations/${shop.id}`, { as, body: { name: 'Shop' } })
    return { send: reading(key), change, refused: 401 }
  },
}

const burst = (send: Arranged['send']): Promise<Answer>[] =>
  [one, other].flatMap((backend) => Array.from({ length: BURST }, () => send(backend)))

const statuses = async (answers: Promise<Answer>[]): Promise<number[]> => [
  ...new Set((await Promise.all(answers)).map(({ status }) => status)),
]

describe.each(Object.entries(CASES))('from the moment that %s', (_, arrange) => {
  it('no backend takes the old credential', { timeout: 180_000 }, async () => {
    for (let run = 0; run < RUNS; run += 1) {
      const { send, change, refused } = await arrange()
      const [before = 0, ...others] = await statuses(burst(send))
      expect([before < 300, others]).toEqual([true, []])
      // Under way on both backends while it happens: these may still be taken.
      const meanwhile = burst(send)
      expect((await change()).status).toBeLessThan(300)
      expect(await statuses(burst(send))).toEqual([refused])
      for (const status of await statuses(meanwhile)) expect([before, refused]).toContain(status)
      expect(await statuses(burst(send))).toEqual([refused])
    }
  })
})
