import { randomUUID } from 'node:crypto'
import { ACCESS, type Permission, ROLES, type Role, type Scope, SCOPES } from '@vedette/shared'
import fc from 'fast-check'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { revokeApiKey } from '../src/api-keys/index.ts'
import { createApp, type VedetteApp } from '../src/app.ts'
import { createSecretToken, createUser, hashPassword, openSession } from '../src/auth/index.ts'
import type { RouteAccess } from '../src/gate.ts'
import { encodeId, parseId } from '../src/platform/ids.ts'
import { silentLog } from '../src/platform/log.ts'
import { createSecrets } from '../src/platform/secrets.ts'
import { type Description, expectPromises, type PublishedRoute, publishedRoutes } from './fuzz/published.ts'
import { valuesOf } from './fuzz/schema-arbitrary.ts'
import { type Answer, type Credentials, startTestBackend, type TestOrganization } from './harness.ts'

// Before the tests are collected: they are made of the routes that the app has.
const backend = await startTestBackend()
// A path that names an organization decides where the caller acts: organizations.test.ts holds the table of those routes.
const inPath = ({ url }: { url: string }): boolean => url.startsWith('/v1/organizations')
const routes = backend.vedette.routes.filter((route) => !inPath(route))
const description = backend.vedette.app.swagger() as unknown as Description
const published = publishedRoutes(description).filter(({ path }) => !inPath({ url: path }))
afterAll(() => backend.close())

interface Caller {
  name: string
  kind: 'nobody' | 'user' | 'api_key' | 'server'
  role?: Role
  scope?: Scope
  as: Credentials
}

type Gate = 'in' | 401 | 403

/** What the table of `@vedette/shared` and the route's own word make of a caller. */
function gateOf({ access }: RouteAccess, caller: Caller): Gate {
  if (access === 'open') return 'in'
  if (caller.kind === 'nobody') return 401
  if (access === 'session') return caller.kind === 'user' ? 'in' : 403
  if (access === 'server') return caller.kind === 'server' ? 'in' : 403
  return isGranted(access, caller) ? 'in' : 403
}

function isGranted(permission: Permission, { kind, role, scope }: Caller): boolean {
  const { roles, scopes } = ACCESS[permission]
  if (kind === 'server') return permission === 'metrics:write'
  return (role !== undefined && roles.includes(role)) || (scope !== undefined && scopes.includes(scope))
}

async function callersOf(organization: TestOrganization): Promise<Caller[]> {
  const server = await backend.server(organization)
  const callers: Caller[] = [
    { name: 'nobody', kind: 'nobody', as: {} },
    { name: 'a server', kind: 'server', as: server.as },
  ]
  for (const role of ROLES) {
    callers.push({ name: `the role ${role}`, kind: 'user', role, as: await backend.member(organization, role) })
  }
  for (const scope of SCOPES) {
    callers.push({ name: `the scope ${scope}`, kind: 'api_key', scope, as: await backend.apiKey(organization, scope) })
  }
  return callers
}

/** A new thing of the kind that stands in a path, and its id. A kind without an entry is made by a POST to its list. */
async function make(organization: TestOrganization, noun: string): Promise<string> {
  // Sessions belong to a person, not to an organization; their own tests make them.
  if (noun === 'auth') return 'nonsense'
  if (noun === 'servers') return (await backend.server(organization)).id
  const route = published.find(({ name }) => name === `POST /v1/${noun}`)
  if (!route) throw new Error(`how ${noun} are made must be told here`)
  const { body } = await backend.call('POST', route.path, {
    as: await backend.member(organization, 'owner'),
    body: leastBody(route),
  })
  return body.id
}

const nounOf = ({ url }: RouteAccess): string => url.split('/')[2] as string
const publishedAs = ({ method, url }: RouteAccess): PublishedRoute | undefined =>
  published.find(({ name }) => name === `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`)

/** A body that the schema takes, so that what is refused is refused for another reason. */
function leastBody(route: PublishedRoute | undefined): unknown {
  if (!route?.body) return undefined
  // The scope that the schema names first is one that an owner only may give.
  if (route.name === 'POST /v1/api-keys') return { name: 'a key', scopes: ['read'] }
  const making = { components: description.components.schemas, style: 'least', nowMs: backend.clock.now() } as const
  return fc.sample(valuesOf(route.body, making), { numRuns: 1, seed: 7 })[0]
}

/** Every way in which an id can be wrong. `living` is one that the caller may not see. */
function wrongIds(living: string, deleted: string): Record<string, string> {
  const [prefix = '', suffix = ''] = living.split('_')
  return {
    'of another organization': living,
    'of what was deleted': deleted,
    'of nothing': encodeId('server', randomUUID()).replace('srv', prefix),
    'of another type': `${prefix === 'mon' ? 'org' : 'mon'}_${suffix}`,
    'in upper case': living.toUpperCase(),
    'without its type': suffix,
    'as it is stored': parseId('server', living) ?? randomUUID(),
    'cut short': living.slice(0, -1),
    'too long': `${living}0`,
    'past 128 bits': `${prefix}_8${suffix.slice(1)}`,
    'with a letter that is none of the alphabet': `${prefix}_${suffix.slice(0, -1)}u`,
    'with a blank': `${living}%20`,
    'with NUL': `${living}%00`,
    'with a step upwards': `..%2f${living}`,
    'of a prototype': '__proto__',
    'of no text': 'null',
  }
}

const ask = async (route: RouteAccess, as: Credentials, id = '', headers: Record<string, string> = {}): Promise<Answer> => {
  const url = route.url.replaceAll(/:\w+/g, id)
  // What is asked may end the session that asks: each question has one of its own.
  if (as.userId !== undefined) as = { ...as, authorization: `Bearer ${await sessionOf(as.userId)}` }
  const answer = await backend.call(route.method, url, { as, headers, body: leastBody(publishedAs(route)) })
  expectPromises(answer)
  return answer
}

/** The refusal without what differs between any two answers. */
function refusal({ status, body }: Answer): unknown {
  return [status, body && { ...body.error, request_id: undefined }]
}

let own: TestOrganization
let foreign: TestOrganization
let callers: Caller[]
let foreigners: Caller[]
beforeAll(async () => {
  own = await backend.organization()
  foreign = await backend.organization('Foreign')
  callers = await callersOf(own)
  foreigners = await callersOf(foreign)
})

/** What keeps a caller out, or says that the route was not even found. */
const refusals = new Set([401, 403, 404, 405, 429])

/** Which status keeps the caller out; `in` for a handler that was reached and refuses what it was told about the caller's own account. */
function gateOfAnswer({ access }: RouteAccess, { status, body }: Answer): unknown {
  const isOfAccount = access === 'session' && (status === 404 || (status === 401 && body && body.error.message !== NOBODY))
  return refusals.has(status) && !isOfAccount ? status : 'in'
}
const NOBODY = 'Missing or invalid credentials.'

const withId = routes.filter(({ url, access }) => url.includes(':') && access !== 'session')
const guarded = routes.filter(({ access }) => access !== 'open')

it('is asked of every route that is published, and of HEAD', () => {
  expect(published.map(({ name }) => name).filter((name) => !routes.some((route) => publishedAs(route)?.name === name))).toEqual(
    [],
  )
  expect(routes.filter(({ method }) => method !== 'HEAD' && !published.some(({ name }) => name.startsWith(method)))).toEqual([])
})

describe.each(guarded)('$method $url ($access)', (route) => {
  it('lets in whom the table lets in, and nobody else', async () => {
    const shared = route.url.includes(':') ? await make(own, nounOf(route)) : ''
    for (const caller of callers) {
      const gate = gateOf(route, caller)
      // What is let in may delete it.
      const id = gate === 'in' && shared !== '' ? await make(own, nounOf(route)) : shared
      expect(gateOfAnswer(route, await ask(route, caller.as, id)), caller.name).toBe(gate)
    }
  })

  it('refuses credentials that are none', async () => {
    for (const [name, as] of Object.entries(await badCredentials())) {
      expect((await ask(route, as, 'nonsense')).status, name).toBe(401)
    }
  })

  it('refuses an organization that the user does not belong to, and users of none', async () => {
    const owner = callers.find(({ role }) => role === 'owner') as Caller
    const ids = await organizationIds()
    for (const id of [ids.foreign, encodeId('organization', randomUUID()), ids.own.toUpperCase(), 'nonsense', '']) {
      expect((await ask(route, owner.as, 'nonsense', { 'x-organization-id': id })).status, id).toBe(403)
    }
    const lonely = { authorization: `Bearer ${await sessionOf(await newUser())}` }
    const isRefused = (await ask(route, lonely, 'nonsense')).status === 403
    expect(isRefused).toBe(route.access !== 'session')
  })
})

describe.each(withId)('$method $url', (route) => {
  it('answers a wrong id like one of nothing, of whatever kind the wrong is', async () => {
    const noun = nounOf(route)
    const deleted = await make(own, noun)
    await backend.call('DELETE', `/v1/${noun}/${deleted}`, { as: (callers.find(({ role }) => role === 'owner') as Caller).as })
    // A revoked key stays in the list, and may be revoked again.
    const { 'of what was deleted': gone, ...others } = wrongIds(await make(foreign, noun), deleted)
    const ids = noun === 'api-keys' ? others : { ...others, 'of what was deleted': gone }
    for (const caller of callers) {
      const gate = gateOf(route, caller)
      const seen = new Set<string>()
      for (const [name, id] of Object.entries(ids)) {
        const answer = await ask(route, caller.as, id)
        expect(answer.status, `${caller.name}, an id ${name}`).toBe(gate === 'in' ? 404 : gate)
        seen.add(JSON.stringify(refusal(answer)))
      }
      expect([...seen], `${caller.name} learns nothing of an id`).toHaveLength(1)
    }
  })

  it('is closed to every caller of another organization', async () => {
    const id = await make(own, nounOf(route))
    for (const caller of foreigners) {
      const gate = gateOf(route, caller)
      expect((await ask(route, caller.as, id)).status, caller.name).toBe(gate === 'in' ? 404 : gate)
    }
    const one = routes.find(({ method, url }) => method === 'GET' && url === `/v1/${nounOf(route)}/:id`)
    if (!one) return
    const owner = callers.find(({ role }) => role === 'owner') as Caller
    expect((await ask(one, owner.as, id)).status).toBe(200)
  })
})

describe.each(routes.filter(({ access }) => access === 'open'))('$method $url (open)', (route) => {
  it('answers everybody alike', async () => {
    const answers = []
    for (const { as } of [...callers, ...foreigners]) answers.push(JSON.stringify(refusal(await ask(route, as))))
    expect(new Set(answers).size).toBe(1)
  })
})

const isList = ({ method, url, access }: RouteAccess): boolean =>
  method === 'GET' && !url.includes(':') && access !== 'open' && access !== 'session'

describe.each(routes.filter(isList))('$method $url', (route) => {
  it('counts and lists nothing of another organization', async () => {
    const lonely = await backend.organization('Lonely')
    const { body } = await ask(route, await backend.member(lonely, 'owner'))
    expect(Object.values(body).flatMap((value) => (Array.isArray(value) ? value : []))).toEqual([])
    expect(body.total ?? 0).toBe(0)
  })
})

async function badCredentials(): Promise<Record<string, Credentials>> {
  const key = createSecretToken('apiKey').secret
  const revoked = await backend.apiKey(own, 'admin', 'read', 'write', 'agent')
  await revokeAll(revoked)
  const ended = await sessionOf(await newUser('owner'))
  await sql`update session set ended_at = now() where id = ${JSON.parse(atob(ended.split('.')[1] as string)).jti}`.execute(
    backend.pool.db,
  )
  const [head, body] = ended.split('.')
  const gone = await backend.server(own)
  const owner = callers.find(({ role }) => role === 'owner') as Caller
  await backend.call('DELETE', `/v1/servers/${gone.id}`, { as: owner.as })
  const admin = callers.find(({ scope }) => scope === 'admin') as Caller
  return {
    'a key that nobody has': { 'x-api-key': key },
    'a token that no server has': { 'x-api-key': createSecretToken('serverToken').secret },
    'a key with a typo': { 'x-api-key': `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}` },
    'a revoked key': revoked,
    'the token of a deleted server': gone.as,
    'no key': { 'x-api-key': '' },
    'an ended session': { authorization: `Bearer ${ended}` },
    'a session without a signature': { authorization: `Bearer ${head}.${body}.` },
    'a session that says it needs none': { authorization: `Bearer ${btoa('{"alg":"none","typ":"JWT"}')}.${body}.x` },
    'a key for a session': { authorization: `Bearer ${admin.as['x-api-key']}` },
    'a session for a key': { 'x-api-key': (owner.as.authorization ?? '').slice('Bearer '.length) },
    'a password': { authorization: `Basic ${btoa('ada:secret')}` },
    'two at once': { ...owner.as, ...admin.as },
  }
}

async function revokeAll({ 'x-api-key': key }: Credentials): Promise<void> {
  const prefix = key?.slice(0, 14) as string
  const rows = await backend.pool.db.selectFrom('api_key').select('id').where('prefix', '=', prefix).execute()
  for (const { id } of rows) await revokeApiKey(backend.pool.db, backend.clock, own.number, id)
}

async function newUser(role?: Role): Promise<string> {
  if (role) return (await backend.member(own, role)).userId
  return createUser(backend.pool.db, backend.clock, `${randomUUID()}@example.com`, await passwordHash)
}
const passwordHash = hashPassword('a long and rare passphrase')

async function sessionOf(userId: string): Promise<string> {
  const deps = { db: backend.pool.db, clock: backend.clock, tokens: backend.vedette.tokens }
  return (await openSession(deps, backend.pool.db, userId, '192.0.2.1')).token
}

async function organizationIds(): Promise<{ own: string; foreign: string }> {
  const rows = await backend.pool.db.selectFrom('organization').select(['id', 'number']).execute()
  const idOf = ({ number }: TestOrganization) => encodeId('organization', rows.find((row) => row.number === number)?.id as string)
  return { own: idOf(own), foreign: idOf(foreign) }
}

describe('the start-up', () => {
  const answer = { 200: Type.Object({}) }

  /** The app as it is made at a start, before it is ready. */
  const unstarted = (): Promise<VedetteApp> =>
    createApp({
      settings: backend.settings,
      pool: backend.pool,
      clock: backend.clock,
      databaseClock: { now: () => backend.clock.now(), measure: () => Promise.resolve() },
      log: silentLog,
      secrets: createSecrets(['a secret for tests that has more than 32 bytes']),
      uptime: { startedAtMs: 0, aliveBeforeMs: undefined },
      tls: undefined,
      version: 'test',
    })

  it('fails on a route that does not say who may call it', async () => {
    const { app } = await unstarted()
    expect(() => app.get('/v1/secrets', { schema: { response: answer } }, async () => ({}))).toThrow(
      'GET /v1/secrets does not say who may call it',
    )
    await app.close()
  })

  it('fails on a route that does not say what it answers', async () => {
    const { app } = await unstarted()
    expect(() => app.get('/v1/secrets', { config: { access: 'read' } }, async () => ({}))).toThrow(
      'GET /v1/secrets declares no response schema',
    )
    await app.close()
  })

  it('fails on such a route of a plugin too', async () => {
    const { app } = await unstarted()
    app.register(async (part) => void part.get('/secrets', { schema: { response: answer } }, async () => ({})), { prefix: '/v1' })
    await expect(app.ready()).rejects.toThrow('GET /v1/secrets does not say who may call it')
  })

  it('takes a route that says both, and asks for it', async () => {
    const { app, routes } = await unstarted()
    app.get('/v1/secrets', { schema: { response: answer }, config: { access: 'org:delete' } }, async () => ({}))
    expect(routes).toContainEqual({ method: 'GET', url: '/v1/secrets', access: 'org:delete' })
    const status = async ({ userId: _userId, ...headers }: Credentials) =>
      (await app.inject({ method: 'GET', url: '/v1/secrets', headers })).statusCode
    for (const caller of callers) {
      const gate = gateOf({ method: 'GET', url: '', access: 'org:delete' }, caller)
      expect(await status(caller.as), caller.name).toBe(gate === 'in' ? 200 : gate)
    }
    await app.close()
  })
})
