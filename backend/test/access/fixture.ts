import { randomUUID } from 'node:crypto'
import { ROLES, SCOPES } from '@vedette/shared'
import { createUser, hashPassword, openSession } from '../../src/access/auth/index.ts'
import type { RouteAccess } from '../../src/access/auth/index.ts'
import { encodeId } from '../../src/platform/ids.ts'
import { createMinimalBody, type MinimalBody } from '../fuzz/minimal-body.ts'
import { type Description, expectPromises, type PublishedRoute, publishedRoutes } from '../fuzz/published-routes.ts'
import { type Answer, type Credentials, PASSWORD, startTestBackend, type TestBackend, type TestOrganization } from '../harness.ts'
import {
  createPathResources,
  type Ids,
  OF_USERS,
  type Owner,
  pathWith,
  type PathResources,
  positionsOf,
} from '../path-resources.ts'
import type { Caller, Decision } from './table.ts'

/** One backend with two organizations and somebody of every kind in each. */
export interface AccessFixture {
  backend: TestBackend
  description: Description
  published: readonly PublishedRoute[]
  routes: readonly RouteAccess[]
  /** Those that are not open. */
  guarded: readonly RouteAccess[]
  things: PathResources
  leastBody: MinimalBody
  own: TestOrganization
  foreign: TestOrganization
  /** Nobody, a server, a user of each role, a key of each scope, a probe. */
  callers: readonly Caller[]
  /** The same of the other organization, and one who was an owner of the first. */
  foreigners: readonly Caller[]
  owner: Owner
  publishedAs(route: RouteAccess): PublishedRoute | undefined
  /** Calls the route with the smallest body that it accepts. A user gets a new session for each call, because a call may end it. */
  callRoute(
    route: RouteAccess,
    as: Credentials,
    ids?: Ids,
    more?: { headers?: Record<string, string>; body?: unknown },
  ): Promise<Answer>
  /**
   * Ids for the path of a route in the first organization. What is refused or only reads changes nothing: all such calls share theirs.
   * What a user is let in to must be the user's.
   */
  idsFor(route: RouteAccess, decision: Decision, user?: Credentials): Promise<Ids>
  /** A signed-in user of no organization. */
  outsider(): Promise<Owner>
  sessionOf(userId: string): Promise<string>
  /** The number of calls so far. */
  count(): number
  close(): Promise<void>
}

/** What is wrong with a query is said as Prometheus says it, and senders of alerts are answered as by the service that they know. */
const isInOtherForm = ({ url }: RouteAccess, { body }: Answer): boolean =>
  (url.startsWith('/v1/prometheus/api/v1/') && typeof body?.errorType === 'string') ||
  /^\/v1\/in\/(?:alertmanager|opsgenie|pagerduty)\//.test(url)

/** Before tests are collected: they are made of the routes that the app has. */
export async function startFixture(): Promise<AccessFixture> {
  const backend = await startTestBackend()
  const { clock, pool, vedette } = backend
  const description = vedette.app.swagger() as unknown as Description
  const published = publishedRoutes(description)
  const leastBody = createMinimalBody(description, () => clock.now())
  const own = await backend.organization()
  const foreign = await backend.organization('Foreign')
  let count = 0

  const sessionOf = async (userId: string) =>
    (await openSession({ db: pool.db, clock, tokens: vedette.tokens }, pool.db, userId, '192.0.2.1')).session.token
  const publishedAs = ({ method, url }: RouteAccess) =>
    published.find(({ name }) => name === `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`)

  const callRoute: AccessFixture['callRoute'] = async (
    route,
    as,
    ids = {},
    { headers = {}, body = leastBody(publishedAs(route)) } = {},
  ) => {
    count += 1
    const fresh = as.userId === undefined ? as : { ...as, authorization: `Bearer ${await sessionOf(as.userId)}` }
    const answer = await backend.call(route.method, pathWith(route.url, ids), { as: fresh, headers, body })
    if (!isInOtherForm(route, answer)) expectPromises(answer)
    return answer
  }

  const things = createPathResources(backend, published, leastBody)
  const shared = new Map<string, Promise<Ids>>()
  const idsFor: AccessFixture['idsFor'] = (route, decision, user) => {
    const positions = positionsOf(route.url)
    const isOfUser = positions.some(({ noun }) => OF_USERS.has(noun))
    if (decision === 'in' && (isOfUser || !isReading(route))) return things.chain(route.url, own, user)
    const name = positions.map(({ list, parameter }) => `${list}/:${parameter}`).join()
    const ids = shared.get(name) ?? things.chain(route.url, own)
    shared.set(name, ids)
    return ids
  }

  const outsider = async () => {
    const userId = await createUser(pool.db, clock, `${randomUUID()}@example.com`, await passwordHash)
    return { userId, authorization: `Bearer ${await sessionOf(userId)}` }
  }

  return {
    backend,
    description,
    published,
    routes: vedette.routes,
    guarded: vedette.routes.filter(({ access }) => access !== 'open'),
    things,
    leastBody,
    own,
    foreign,
    callers: [...(await callersOf(backend, own)), { name: 'a probe', kind: 'probe', as: await backend.probe() }],
    foreigners: [...(await callersOf(backend, foreign)), await removedOwner(backend, own)],
    owner: await backend.member(own, 'owner'),
    publishedAs,
    callRoute,
    idsFor,
    outsider,
    sessionOf,
    count: () => count,
    close: () => backend.close(),
  }
}

export const isReading = ({ method }: RouteAccess): boolean => method === 'GET' || method === 'HEAD'

/** Hashed once: it is slow by design. */
const passwordHash = hashPassword(PASSWORD)

async function callersOf(backend: TestBackend, organization: TestOrganization): Promise<Caller[]> {
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

/** An owner who was removed, and owns an organization of their own since. */
async function removedOwner(backend: TestBackend, organization: TestOrganization): Promise<Caller> {
  const as = await backend.member(organization, 'owner')
  const path = `/v1/organizations/${organization.id}/members/${encodeId('user', as.userId)}`
  const { status } = await backend.call('DELETE', path, { as })
  const made = await backend.call('POST', '/v1/organizations', { as, body: { name: 'Own' } })
  if (status !== 204 || made.status !== 201) throw new Error(`removing an owner answered ${status}, then ${made.status}`)
  return { name: 'a removed owner', kind: 'user', role: 'owner', as }
}
