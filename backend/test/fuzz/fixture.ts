import { expect } from 'vitest'
import { insertMembership } from '../../src/access/members/index.ts'
import { type Answer, type Credentials, startTestBackend, type TestBackend } from '../harness.ts'
import { createPathResources, type Ids, type Owner } from '../path-resources.ts'
import { createCost, type Cost } from './cost.ts'
import { createMinimalBody, type MinimalBody } from './minimal-body.ts'
import { type Description, expectPromises, type PublishedRoute, publishedRoutes } from './published-routes.ts'
import { createReadBack } from './read-back.ts'

/** How often each property is tried; the nightly run asks for more. */
export const RUNS = Number(process.env['TEST_FUZZ_RUNS'] ?? 8)
/** A bound for what hangs, on a machine with other work. */
export const LIMIT_MS = 60_000 + RUNS * 6_000

export interface FuzzRequest {
  as?: Credentials
  /** Whose things the ids of the path are, where `ids` does not say them. */
  whose?: 'own' | 'foreign'
  ids?: Ids
  query?: string
  headers?: Record<string, string>
  body?: unknown
}

/** One backend that receives all requests of the fuzz tests, and what they cost. */
export interface FuzzFixture {
  backend: TestBackend
  routes: readonly PublishedRoute[]
  components: Description['components']['schemas']
  /** Credentials that reach every route between them. */
  callers: readonly Credentials[]
  owner: Owner
  agent: { id: string; as: Credentials }
  /** Ids of organizations, one's own and another. */
  organizations: readonly string[]
  leastBody: MinimalBody
  /** Sends the request, checks every promise of the answer, and reads back what the backend accepted. */
  callRoute(route: PublishedRoute, request: FuzzRequest): Promise<Answer>
  /** A caller that the route authorizes, found by trying each one. */
  allowed(route: PublishedRoute): Promise<FuzzRequest>
  cost: Cost
  close(): Promise<void>
}

export async function createFixture(): Promise<FuzzFixture> {
  const backend = await startTestBackend()
  const description = backend.vedette.app.swagger() as unknown as Description
  const routes = publishedRoutes(description)
  const leastBody = createMinimalBody(description, () => backend.clock.now())
  const things = createPathResources(backend, routes, leastBody)
  const [organization, other] = [await backend.organization(), await backend.organization('Other')]
  const owner = await backend.member(organization, 'owner')
  const agent = await backend.server(organization)
  const callers = [
    owner,
    await backend.apiKey(organization, 'admin', 'read', 'write', 'agent'),
    agent.as,
    await backend.probe(),
    {},
  ]
  const cost = createCost()
  const keeping = createReadBack(backend, description, agent.id)
  /** Created on first use. Those of the own organization are created again after a request deleted them. */
  const own = new Map<string, Ids>()
  const foreign = new Map<string, Ids>()
  const lettingIn = new Map<string, Credentials>()

  async function idsOf({ path, method }: PublishedRoute, whose: 'own' | 'foreign'): Promise<Ids> {
    const [cached, target] = whose === 'own' ? [own, organization] : [foreign, other]
    const name = `${method} ${path}`
    const ids =
      cached.get(name) ?? (name === DELETING && whose === 'own' ? await spare() : await things.chain(path, target, owner))
    cached.set(name, ids)
    return ids
  }

  /** An organization that may go, while everything else stands in the one that stays. */
  async function spare(): Promise<Ids> {
    const doomed = await backend.organization('a')
    await insertMembership(backend.pool.db, doomed.number, owner.userId, 'owner', new Date(backend.clock.now() + 1))
    return { id: doomed.id }
  }

  /** Replaces the owner after a request that may have ended its sessions, and the resources that a request deleted. */
  async function renew({ name, method, path }: PublishedRoute, { status }: Answer): Promise<void> {
    if (status >= 300) return
    if (method === 'DELETE') own.delete(`${method} ${path}`)
    if (!/ \/v1\/auth\//.test(name)) return
    Object.assign(owner, await backend.member(organization, 'owner'))
    own.clear()
  }

  async function callRoute(route: PublishedRoute, request: FuzzRequest): Promise<Answer> {
    const { as = {}, whose = 'own', query = '', headers = {}, body } = request
    const ids = request.ids ?? (await idsOf(route, whose))
    const url = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeText(ids[name] ?? 'nobody'))
    const what = `${route.name} ${brief(body ?? query)}`
    const answer = await cost.measure(what, () =>
      whileTimeGoesOn(route, backend.call(route.method, url + (query && `?${query}`), { as, body, headers })),
    )
    expect(answer.status, `${what}: ${JSON.stringify(answer.body)}`).toBeLessThan(500)
    expectPromises(answer, route)
    await renew(route, answer)
    const isStored = answer.status < 300 && (await keeping(owner, { route, url, body, answer }))
    cost.note(answer.status, isStored)
    return answer
  }

  /** Advances the clock while a request for claims waits, because the clock of the tests does not move by itself. */
  async function whileTimeGoesOn({ path }: PublishedRoute, pending: Promise<Answer>): Promise<Answer> {
    const holding = { isOver: path !== '/v1/probe/claims' }
    const answered = pending.finally(() => (holding.isOver = true))
    while (!holding.isOver) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      backend.clock.advance(1_000)
    }
    return answered
  }

  async function allowed(route: PublishedRoute): Promise<FuzzRequest> {
    for (const as of lettingIn.has(route.name) ? [] : callers) {
      const { status } = await callRoute(route, { as, ids: {}, body: {} })
      if (status !== 401 && status !== 403 && !lettingIn.has(route.name)) lettingIn.set(route.name, as)
    }
    return { as: lettingIn.get(route.name) ?? {} }
  }

  return {
    backend,
    routes,
    components: description.components.schemas,
    callers,
    owner,
    agent,
    organizations: [organization.id, other.id],
    leastBody,
    callRoute,
    allowed,
    cost,
    close: () => backend.close(),
  }
}

/** The one route that would take everything else with it. */
const DELETING = 'DELETE /v1/organizations/{id}'

/** Percent-encoded as a client would; half a surrogate pair becomes what UTF-8 makes of it. */
export const encodeText = (text: string): string => encodeURIComponent(text.toWellFormed())

function brief(content: unknown): string {
  const text = Buffer.isBuffer(content)
    ? content.toString('latin1')
    : typeof content === 'string'
      ? content
      : (JSON.stringify(content) ?? '')
  return JSON.stringify(text).length > 80
    ? `${JSON.stringify(text.slice(0, 60))}… (${text.length} characters)`
    : JSON.stringify(text)
}
