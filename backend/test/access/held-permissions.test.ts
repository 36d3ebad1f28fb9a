import { createECDH, randomBytes, randomUUID } from 'node:crypto'
import diagnostics from 'node:diagnostics_channel'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SECRET_PREFIX } from '@vedette/shared'
import { openSession } from '../../src/access/auth/index.ts'
import { startRefresh } from '../../src/access/auth/refresh.ts'
import { openStream } from '../../src/notifying/event-stream/test/open-stream.ts'
import { insertEvent } from '../../src/notifying/event-stream/store.ts'
import { decodeId, encodeId, newId } from '../../src/platform/ids.ts'
import { createPushSender, listBrowsersOfMembers, publishTo, pushCredentials } from '../../src/notifying/notifications/index.ts'
import { createSecrets } from '../../src/platform/crypto/installation-secrets.ts'
import { silentLog } from '../../src/platform/logging/log.ts'
import { examplesOf } from '../../src/operating/openapi/examples.ts'
import { rotateRegionToken } from '../../src/monitoring/regions/index.ts'
import {
  type Credentials,
  PASSWORD,
  registration,
  startTestBackend,
  TEST_SECRET,
  type TestBackend,
  type TestOrganization,
} from '../harness.ts'
import { casesOf } from '../deal.ts'
import { sessionIdOf } from '../path-resources.ts'

/**
 * Everything that holds a permission longer than one request, against every way in which a permission ends, on two instances:
 * nothing made after the answer that ended it is delivered or stored.
 */
let instances: [TestBackend, TestBackend]
let one: TestBackend
let organization: TestOrganization
let owner: Credentials
beforeAll(async () => {
  one = await startTestBackend()
  instances = [one, await startTestBackend({ databaseUrl: one.databaseUrl, clock: one.clock })]
})
afterAll(async () => {
  for (const backend of instances.toReversed()) await backend.close()
})
beforeEach(async () => {
  // Events of one test have an instant of their own.
  for (const backend of instances) await backend.vedette.flush()
  one.clock.advance(1_000)
  organization = await one.organization(`Organization ${randomUUID()}`)
  owner = await one.member(organization, 'owner')
})

type Kind = 'user' | 'key' | 'enrollment' | 'server' | 'probe' | 'inviter' | 'invitation'

interface Holder {
  as: Credentials
  /** The link of the invitation. */
  token?: string
  end(): Promise<unknown>
}

interface Way {
  kind: Kind
  /** The route that ends it; the others end by time or by a command. */
  route?: string
  prepare(): Promise<Holder>
}

async function succeed(...request: Parameters<TestBackend['call']>) {
  const { status, body } = await one.call(...request)
  expect([status < 300, body]).toEqual([true, body])
  return body
}

const memberPath = ({ userId = '' }: Credentials) => `/v1/organizations/${organization.id}/members/${encodeId('user', userId)}`
const makeKey = (more: object = {}) =>
  succeed('POST', '/v1/api-keys', { as: owner, body: { name: 'key', scopes: ['read', 'write'], ...more } })

const makeEnrollmentToken = (more: object = {}) =>
  succeed('POST', '/v1/enrollment-tokens', { as: owner, body: { uses: 2, ...more } })

async function signIn({ userId = '' }: Credentials): Promise<Credentials> {
  const user = one.pool.db.selectFrom('app_user').select('email').where('id', '=', userId)
  const body = { ...(await user.executeTakeFirstOrThrow()), password: PASSWORD }
  return { authorization: `Bearer ${(await succeed('POST', '/v1/auth/login', { body })).token}`, userId }
}

async function invite(as: Credentials) {
  const path = `/v1/organizations/${organization.id}/members/invite`
  const body = { email: `${randomUUID()}@example.com`, role: 'member' }
  const { id, accept_url: url } = await succeed('POST', path, { as, body })
  // A link has it in the query or the fragment.
  return { id: String(id), token: /token=([\w-]+)/.exec(url)?.[1] ?? '' }
}

const member = () => one.member(organization, 'admin')
const user = (route: string | undefined, end: (as: Credentials) => Promise<unknown>): Way => ({
  kind: 'user',
  ...(route === undefined ? {} : { route }),
  prepare: async () => {
    const as = await member()
    return { as, end: () => end(as) }
  },
})
const inviter = (route: string, end: (as: Credentials) => Promise<unknown>): Way => ({
  kind: 'inviter',
  route,
  prepare: async () => {
    const as = await member()
    return { as, token: (await invite(as)).token, end: () => end(as) }
  },
})
const PROVIDER = examplesOf('CreateIdentityProviderBody')['example']
const deleteOrganization = () =>
  succeed('DELETE', `/v1/organizations/${organization.id}`, { as: owner, body: { name: organization.name } })
const remove = (as: Credentials) => succeed('DELETE', memberPath(as), { as: owner })
const lower = (as: Credentials) => succeed('PATCH', memberPath(as), { as: owner, body: { role: 'viewer' } })

/** A session that no password opened. */
async function openBy(userId: string, by: Parameters<typeof openSession>[6]) {
  const { db } = one.pool
  const deps = { db, clock: one.clock, tokens: one.vedette.tokens }
  const { session } = await openSession(deps, db, userId, '192.0.2.1', '', false, by)
  // Tests make the cookie themselves.
  await db.deleteFrom('session_refresh').where('session_id', '=', sessionIdOf(session.token)).execute()
  return { authorization: `Bearer ${session.token}`, userId }
}

/** The session of a member whom a passkey signed in. */
const byPasskey: Way = {
  kind: 'user',
  route: 'DELETE /v1/auth/passkeys/:id',
  prepare: async () => {
    const user = await member()
    const [id, random] = [randomUUID(), randomBytes(32)]
    const credential = { credential_id: random, public_key: random, counter: 0, transports: [], synced: false }
    const row = { id, user_id: user.userId, name: 'Laptop', ...credential, created_at: new Date(one.clock.now()) }
    await one.pool.db.insertInto('passkey').values(row).execute()
    const end = async () =>
      succeed('DELETE', `/v1/auth/passkeys/${encodeId('passkey', id)}`, { as: await signIn(user), body: {} })
    return { as: await openBy(user.userId, { passkey: id }), end }
  },
}

/** The session of a member whom an identity provider signed in. */
const provided = (method: string, body?: object): Way => ({
  kind: 'user',
  route: `${method} /v1/identity-providers/:id`,
  prepare: async () => {
    const { userId } = await member()
    const { id } = await succeed('POST', '/v1/identity-providers', { as: owner, body: PROVIDER })
    const as = await openBy(userId, { provided: { provider: decodeId('identityProvider', id), subject: 'ada', sid: undefined } })
    return { as, end: () => succeed(method, `/v1/identity-providers/${id}`, { as: owner, body }) }
  },
})

const ORGANIZATION = 'DELETE /v1/organizations/:id'
const MEMBER = '/v1/organizations/:id/members/:memberId'

const WAYS: Record<string, Way> = {
  'the password is changed': user('POST /v1/auth/password', async (as) => {
    const body = { current_password: PASSWORD, new_password: `another ${PASSWORD}` }
    await succeed('POST', '/v1/auth/password', { as: await signIn(as), body })
  }),
  'the user signs out': user('POST /v1/auth/logout', (as) => succeed('POST', '/v1/auth/logout', { as })),
  'the session is ended from another': user('DELETE /v1/auth/sessions/:id', async (as) =>
    succeed('DELETE', `/v1/auth/sessions/${encodeId('session', sessionIdOf(as.authorization ?? ''))}`, { as: await signIn(as) }),
  ),
  'the session expires': user(undefined, async () => one.clock.advance(12 * 3_600_000)),
  'the account is deleted': user('DELETE /v1/auth/me', async (as) =>
    succeed('DELETE', '/v1/auth/me', { as: await signIn(as), body: { password: PASSWORD } }),
  ),
  'the member is removed': user(`DELETE ${MEMBER}`, remove),
  'the member leaves': user(`DELETE ${MEMBER}`, (as) => succeed('DELETE', memberPath(as), { as })),
  'the organization demands a second factor': user('PATCH /v1/organizations/:id', async () => {
    const factor = { user_id: owner.userId ?? '', secret: Buffer.alloc(1), enabled_at: new Date(one.clock.now()), last_step: 0 }
    await one.pool.db
      .insertInto('user_totp')
      .values({ ...factor, created_at: factor.enabled_at })
      .execute()
    await succeed('PATCH', `/v1/organizations/${organization.id}`, { as: owner, body: { require_second_factor: true } })
  }),
  'the organization of a member is deleted': user(ORGANIZATION, deleteOrganization),
  'the passkey of the session is removed': byPasskey,
  'the identity provider is disabled': provided('PATCH', { enabled: false }),
  'the identity provider is deleted': provided('DELETE'),
  'the key is revoked': {
    kind: 'key',
    route: 'DELETE /v1/api-keys/:id',
    prepare: async () => {
      const { id, key } = await makeKey()
      return { as: { 'x-api-key': key }, end: () => succeed('DELETE', `/v1/api-keys/${id}`, { as: owner }) }
    },
  },
  'the key expires': {
    kind: 'key',
    prepare: async () => {
      const { key } = await makeKey({ expires_at: new Date(one.clock.now() + 60_000).toISOString() })
      return { as: { 'x-api-key': key }, end: async () => one.clock.advance(60_000) }
    },
  },
  'the organization of a key is deleted': {
    kind: 'key',
    route: ORGANIZATION,
    prepare: async () => ({ as: { 'x-api-key': (await makeKey()).key }, end: deleteOrganization }),
  },
  'the enrollment token is revoked': {
    kind: 'enrollment',
    route: 'DELETE /v1/enrollment-tokens/:id',
    prepare: async () => {
      const { id, token } = await makeEnrollmentToken()
      return { as: { 'x-api-key': token }, end: () => succeed('DELETE', `/v1/enrollment-tokens/${id}`, { as: owner }) }
    },
  },
  'the enrollment token expires': {
    kind: 'enrollment',
    prepare: async () => {
      const { token } = await makeEnrollmentToken({ expires_in_minutes: 1 })
      return { as: { 'x-api-key': token }, end: async () => one.clock.advance(60_000) }
    },
  },
  'the only use of the enrollment token is taken': {
    kind: 'enrollment',
    prepare: async () => {
      const as = { 'x-api-key': (await makeEnrollmentToken({ uses: 1 })).token }
      return { as, end: () => succeed('POST', '/v1/agent/register', { as, body: registration(randomUUID()) }) }
    },
  },
  'the organization of an enrollment token is deleted': {
    kind: 'enrollment',
    route: ORGANIZATION,
    prepare: async () => ({ as: { 'x-api-key': (await makeEnrollmentToken()).token }, end: deleteOrganization }),
  },
  'the server is deleted': {
    kind: 'server',
    route: 'DELETE /v1/servers/:id',
    prepare: async () => {
      const server = await one.server(organization)
      return { as: server.as, end: () => succeed('DELETE', `/v1/servers/${server.id}`, { as: owner }) }
    },
  },
  "the server's token is regenerated": {
    kind: 'server',
    route: 'POST /v1/servers/:id/regenerate-token',
    prepare: async () => {
      const server = await one.server(organization)
      return { as: server.as, end: () => succeed('POST', `/v1/servers/${server.id}/regenerate-token`, { as: owner }) }
    },
  },
  'the organization of a server is deleted': {
    kind: 'server',
    route: ORGANIZATION,
    prepare: async () => ({ as: (await one.server(organization)).as, end: deleteOrganization }),
  },
  "the probe's token is replaced": {
    kind: 'probe',
    prepare: async () => {
      const region = `region-${randomUUID()}`
      const as = await one.probe(region)
      return { as, end: () => rotateRegionToken({ db: one.pool.db, clock: one.clock }, region) }
    },
  },
  'the invitation is revoked': {
    kind: 'invitation',
    route: 'DELETE /v1/organizations/:id/invitations/:invitationId',
    prepare: async () => {
      const { id, token } = await invite(owner)
      const path = `/v1/organizations/${organization.id}/invitations/${id}`
      return { as: owner, token, end: () => succeed('DELETE', path, { as: owner }) }
    },
  },
  'the inviter is removed': inviter(`DELETE ${MEMBER}`, remove),
  'the inviter gets a lesser role': inviter(`PATCH ${MEMBER}`, lower),
  'the organization of an invitation is deleted': inviter(ORGANIZATION, deleteOrganization),
}

/** Routes that may change who may do what and end nothing that is held: a new one is put here, or into WAYS. */
const ENDS_NOTHING = new Set([
  'POST /v1/auth/email', // proven by the password of the session, which goes on
  'POST /v1/auth/email/verification',
  'POST /v1/auth/totp', // a second factor is asked for at the next sign-in
  'DELETE /v1/auth/totp',
  'POST /v1/auth/passkeys', // a way to sign in
  'POST /v1/auth/passkeys/registration-options',
  'PATCH /v1/auth/passkeys/:id', // its name
  'POST /v1/organizations',
  'PATCH /v1/organizations/:id', // its name
  'PATCH /v1/organizations/:id/membership', // the weekly summary, views and quiet time
  'POST /v1/organizations/:id/members/invite',
  'POST /v1/api-keys',
  'PATCH /v1/api-keys/:id', // what happens to its series
  'POST /v1/identity-providers',
  'POST /v1/identity-providers/:id/restore',
  'POST /v1/enrollment-tokens',
  'PATCH /v1/servers/:id', // name, tags
])

/** Holds a permission; after it ended, `finish` does what nobody may do any more and gives what came of it. */
type Thing = {
  kinds: readonly Kind[]
  route?: string
  /** A way that does not end it. */
  outlasts?: string
  begin(on: TestBackend, holder: Holder): Promise<() => Promise<unknown>>
}

const REFUSED = 'refused'
const outcomeOf = (status: number): string | number => ([401, 403, 404].includes(status) ? REFUSED : status)
const inOrganization = (as: Credentials) => (as.authorization === undefined ? {} : { 'x-organization-id': organization.id })

/** A request whose head and half of the body have arrived, and whose caller was admitted as far as that can be seen. */
async function halfSent(on: TestBackend, method: string, path: string, as: Credentials, body: object) {
  const port = await on.listen()
  const text = JSON.stringify(body)
  const { userId: _userId, ...credentials } = as
  const headers = { host: 'x', 'content-type': 'application/json', 'content-length': text.length, connection: 'close' }
  const head = Object.entries({ ...headers, ...credentials, ...inOrganization(as) }).map(([name, value]) => `${name}: ${value}`)
  const begun = new Promise<void>((resolve) => {
    const onStart = (message: unknown) => {
      if ((message as { request: { url: string } }).request.url !== path) return
      diagnostics.unsubscribe('http.server.request.start', onStart)
      resolve()
    }
    diagnostics.subscribe('http.server.request.start', onStart)
  })
  const socket = connect(port, '127.0.0.1')
  let received = ''
  const ended = new Promise<void>((resolve) => void socket.on('close', () => resolve()))
  socket.on('data', (chunk) => (received += String(chunk))).on('error', () => undefined)
  socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${text.slice(0, 5)}`)
  await begun
  await untilAdmitted(on, as)
  return async () => {
    // Not its end: a client that closes its half has hung up.
    socket.write(text.slice(5))
    await ended
    return outcomeOf(Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1]))
  }
}

/** A user or key that was admitted is in the log of new networks; of the others a second request is admitted after the first. */
async function untilAdmitted(on: TestBackend, as: Credentials): Promise<void> {
  const isLogged = as.authorization !== undefined || as['x-api-key']?.startsWith(SECRET_PREFIX.apiKey) === true
  if (!isLogged) {
    await on.call('GET', '/v1/servers', { as })
    return
  }
  const admitted = async () => {
    await on.vedette.flush()
    const rows = on.pool.db.selectFrom('security_event').select('id').where('ip', '=', '127.0.0.1')
    return (await rows.where('at', '=', new Date(on.clock.now())).execute()).length
  }
  await expect.poll(admitted, { timeout: 20_000 }).toBe(1)
}

const push = (on: TestBackend) => {
  const at = new Date(on.clock.now()).toISOString()
  return { batch_id: randomUUID(), sent_at: at, agent_version: '1', samples: [{ at, cpu: { percent: 1 } }] }
}
const THINGS: Record<string, Thing> = {
  'an open event stream': {
    kinds: ['user', 'key'],
    route: 'GET /v1/events',
    begin: async (on, { as }) => {
      const stream = await openStream(on, as, inOrganization(as))
      return async () => {
        const { number } = organization
        await insertEvent(one.pool.db, number, { id: newId(), type: 'monitor.down', at: new Date(on.clock.now()), data: {} })
        await on.vedette.pollEvents()
        return (await stream.next()) === undefined ? REFUSED : 'delivered'
      }
    },
  },
  'a request in mid-body': {
    kinds: ['user', 'key'],
    begin: (on, { as }) => halfSent(on, 'POST', '/v1/monitors', as, { name: 'late', url: 'https://example.com/' }),
  },
  'the repeat of an idempotent request': {
    kinds: ['user', 'key'],
    begin: async (on, { as }) => {
      const headers = { 'idempotency-key': randomUUID(), ...inOrganization(as) }
      const body = { name: 'first', url: 'https://example.com/' }
      const send = () => on.call('POST', '/v1/monitors', { as, headers, body })
      expect((await send()).status).toBe(201)
      return async () => outcomeOf((await send()).status)
    },
  },
  'a cookie that keeps a device signed in': {
    kinds: ['user'],
    begin: async (on, { as }) => {
      const cookie = await startRefresh(one.pool.db, sessionIdOf(as.authorization ?? ''))
      const headers = { cookie: `vedette_refresh=${cookie}`, 'x-requested-with': 'vedette' }
      return async () => {
        const { status, body } = await on.call('POST', '/v1/auth/refresh', { headers })
        if (status !== 200) return outcomeOf(status)
        const refreshed = { authorization: `Bearer ${body.token}` }
        return outcomeOf((await on.call('GET', '/v1/servers', { as: refreshed, headers: inOrganization(refreshed) })).status)
      }
    },
  },
  'a browser with notifications': {
    kinds: ['user'],
    outlasts: 'the session expires',
    begin: async (on, { as }) => {
      const keys = { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: 'BTBZMqHH6r4Tts7J_aSIgg' }
      const endpoint = `https://192.0.2.1/${randomUUID()}`
      expect((await on.call('POST', '/v1/push-subscriptions', { as, body: { endpoint, keys } })).status).toBe(201)
      const deliver = async () => {
        const requested: string[] = []
        const { db } = on.pool
        const at = new Date(on.clock.now())
        const event = { type: 'incident.opened', at, data: { monitor: { name: 'late' } } } as const
        await publishTo(db, organization.number, event, [], undefined, await listBrowsersOfMembers(db, organization.number))
        const sender = createPushSender({
          db,
          clock: on.clock,
          log: silentLog,
          publicUrl: undefined,
          ending: new AbortController().signal,
          ...pushCredentials(createSecrets([TEST_SECRET])),
          send: async ({ url }) => {
            requested.push(url)
            return { status: 201, headers: {}, text: '' }
          },
        })
        await sender.wake()
        await sender.idle()
        return requested.includes(endpoint) ? 'delivered' : REFUSED
      }
      expect(await deliver()).toBe('delivered')
      return deliver
    },
  },
  'a registration in mid-body': {
    kinds: ['enrollment'],
    begin: (on, { as }) => halfSent(on, 'POST', '/v1/agent/register', as, registration(randomUUID(), { hostname: 'late' })),
  },
  'a registration with an enrollment token': {
    kinds: ['enrollment'],
    begin:
      async (on, { as }) =>
      async () =>
        outcomeOf(
          (await on.call('POST', '/v1/agent/register', { as, body: registration(randomUUID(), { hostname: 'late' }) })).status,
        ),
  },
  'a push in mid-body': {
    kinds: ['server'],
    route: 'POST /v1/agent/metrics',
    begin: (on, { as }) => halfSent(on, 'POST', '/v1/agent/metrics', as, push(on)),
  },
  'facts in mid-body': {
    kinds: ['server'],
    route: 'PUT /v1/agent/facts',
    begin: (on, { as }) => halfSent(on, 'PUT', '/v1/agent/facts', as, { hostname: 'late' }),
  },
  'a cached server token': {
    kinds: ['server'],
    begin: async (on, { as }) => {
      const send = () => on.call('POST', '/v1/agent/metrics', { as, body: push(on) })
      expect((await send()).status).toBe(202)
      return async () => outcomeOf((await send()).status)
    },
  },
  'a waiting claim of checks': {
    kinds: ['probe'],
    route: 'POST /v1/probe/claims',
    begin: async (on, { as }) => {
      const id = randomUUID()
      const answer = on.call('POST', '/v1/probe/claims', { as, body: { worker_id: id, wait_seconds: 25 } })
      const workers = () => one.pool.db.selectFrom('check_worker').select('id').where('id', '=', id).execute()
      await expect.poll(async () => (await workers()).length, { timeout: 20_000 }).toBe(1)
      return async () => {
        const settled = answer.then(() => true)
        while (!(await Promise.race([settled, workers().then(() => false)]))) one.clock.advance(1_000)
        return outcomeOf((await answer).status)
      }
    },
  },
  'results of checks in mid-body': {
    kinds: ['probe'],
    route: 'POST /v1/probe/results',
    begin: (on, { as }) => halfSent(on, 'POST', '/v1/probe/results', as, { results: [] }),
  },
  'a pending invitation': {
    kinds: ['invitation', 'inviter'],
    begin:
      async (on, { token }) =>
      async () => {
        const body = { token, password: 'a long and rare passphrase' }
        return outcomeOf((await on.call('POST', '/v1/auth/invitations/accept', { body })).status)
      },
  },
}

const ALL = Object.entries(WAYS).flatMap(([way, { kind, prepare }]) =>
  Object.entries(THINGS)
    .filter(([, { kinds, outlasts }]) => kinds.includes(kind) && outlasts !== way)
    .flatMap(([thing, { begin }]) => ([0, 1] as const).map((index) => ({ way, thing, index, prepare, begin }))),
)
/** Each way on some instance, and each thing on both. */
const TABLE = casesOf(ALL, {
  row: ({ way }) => way,
  kind: ({ thing, index }) => `${thing} ${index}`,
  outcome: () => REFUSED,
})

describe('a permission that ends', { timeout: 60_000 }, () => {
  it.each(TABLE)('ends $thing on instance $index when $way', async ({ index, prepare, begin }) => {
    const holder = await prepare()
    const finish = await begin(instances[index], holder)
    await holder.end()
    expect(await finish()).toBe(REFUSED)
    // Nothing of it is stored either.
    const late = one.pool.db.selectFrom('monitor').select('id').where('organization', '=', organization.number)
    expect(await late.where('name', '=', 'late').execute()).toEqual([])
    const hosts = one.pool.db.selectFrom('server').select('id').where('organization', '=', organization.number)
    expect(await hosts.where('hostname', '=', 'late').execute()).toEqual([])
  })

  it('is in the table with every route that ends one, and with every route that holds one', () => {
    const routes = one.vedette.routes.map(({ method, url, access }) => ({ name: `${method} ${url}`, method, url, access }))
    const ending = routes.filter(
      ({ method, url, access }) =>
        access !== 'open' &&
        (method === 'DELETE' || method === 'POST' || method === 'PATCH') &&
        /^\/v1\/(auth|organizations|api-keys|servers|regions|probes|enrollment-tokens|identity-providers)\b/.test(url),
    )
    const listed = new Set(Object.values(WAYS).map(({ route }) => route))
    expect(ending.map(({ name }) => name).filter((name) => !listed.has(name) && !ENDS_NOTHING.has(name))).toEqual([])
    const held = new Set(Object.values(THINGS).map(({ route }) => route))
    // Agents and probes come again and again; a stream stays open.
    const holding = routes.filter(({ access, url }) => access === 'server' || access === 'probe' || url === '/v1/events')
    const holders = holding.filter(({ method }) => method !== 'HEAD').map(({ name }) => name)
    expect(holders.filter((name) => !held.has(name))).toEqual([])
    const streams = Object.entries(one.vedette.app.swagger().paths ?? {}).filter(([, path]) =>
      /stream|wait/i.test(
        JSON.stringify(Object.values(path ?? {}).map((operation) => (operation as { description?: string }).description)),
      ),
    )
    expect(streams.map(([path]) => path)).toEqual(['/v1/events', '/v1/probe/claims'])
    process.stdout.write(`access: ${TABLE.length} permissions ended in ${Object.keys(WAYS).length} ways\n`)
  })
})
