import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { encodeId } from '../../src/platform/ids.ts'
import { badCredentials } from './bad-credentials.ts'
import { type Caller, expectedDecision, decisionOf, named, refusal } from './table.ts'
import { startFixture } from './fixture.ts'

const world = await startFixture()
const { routes, guarded, things, own, foreign, callers, foreigners, owner, callRoute } = world
afterAll(async () => {
  console.info(`access: ${world.count()} calls by different callers`)
  await world.close()
})

it('the access tests call every published route and its HEAD route', () => {
  const requestedRoutes = new Set(routes.map((route) => world.publishedAs(route)?.name))
  expect(world.published.map(({ name }) => name).filter((name) => !requestedRoutes.has(name))).toEqual([])
  // Browsers navigate to them and providers call them, clients do not.
  const isOfSignIn = ({ url }: { url: string }) => url.startsWith('/v1/auth/oidc/:provider/')
  const unpublished = routes.filter((route) => route.method !== 'HEAD' && !world.publishedAs(route))
  expect(unpublished.filter((route) => !isOfSignIn(route))).toEqual([])
})

const isUser = ({ kind }: Caller): boolean => kind === 'user'

describe.each(named(guarded))('%s', (_, route) => {
  it('lets in whom the table lets in, and nobody else [ACCESS-19, ACCESS-20, ACCESS-26]', async () => {
    const shared = await things.chain(route.url, own)
    for (const caller of callers) {
      const gate = expectedDecision(route, caller)
      // What is let in may delete it, and a session must be the caller's.
      const ids = gate === 'in' ? await things.chain(route.url, own, isUser(caller) ? caller.as : undefined) : shared
      expect(decisionOf(route, await callRoute(route, caller.as, ids)), caller.name).toBe(gate)
    }
  })

  /** Prometheus may send an API key as a Bearer token. */
  const refused = async () =>
    Object.entries(await credentials).filter(
      ([name]) => name !== 'a key for a session' || !route.url.startsWith('/v1/prometheus/'),
    )

  it('refuses credentials that are none [ERROR-06, ERROR-24]', async () => {
    for (const [name, as] of await refused()) {
      const { status, body } = await callRoute(route, as)
      // HEAD has no body.
      expect([status, body?.error.code ?? 'unauthorized'], name).toEqual([401, 'unauthorized'])
    }
  })

  it("refuses an organization that is not the caller's [ACCESS-06, ACCESS-30]", async () => {
    const ids = await things.chain(route.url, own)
    for (const { name, as } of callers.filter(({ kind }) => kind !== 'nobody')) {
      const { status } = await callRoute(route, as, ids, { headers: { 'x-organization-id': foreign.id } })
      expect(status, name).toBe(403)
    }
    for (const [name, as] of await refused()) {
      const { status } = await callRoute(route, as, {}, { headers: { 'x-organization-id': foreign.id } })
      expect(status, name).toBe(401)
    }
  })

  it('refuses an organization that the user does not belong to [ACCESS-06]', async () => {
    const removed = foreigners.find(({ name }) => name === 'a removed owner') as Caller
    const ids = await things.chain(route.url, own)
    for (const [as, id] of [
      [owner, foreign.id],
      [removed.as, own.id],
      [owner, encodeId('organization', randomUUID())],
      [owner, own.id.toUpperCase()],
      [owner, 'nonsense'],
      [owner, ''],
    ] as const) {
      expect((await callRoute(route, as, ids, { headers: { 'x-organization-id': id } })).status, id).toBe(403)
    }
  })

  it('refuses a user of no organization where it says so [ACCESS-24]', async () => {
    const outsider = await world.outsider()
    const ids = await things.chain(route.url, own, outsider)
    const caller: Caller = { name: 'a user of no organization', kind: 'user', as: outsider }
    expect(decisionOf(route, await callRoute(route, outsider, ids))).toBe(expectedDecision(route, caller))
  })
})

const withBody = guarded.filter((route) => world.publishedAs(route)?.body)

describe.each(named(withBody))('%s with a wrong body', (_, route) => {
  it('is rejected after the caller was authorized and before the resource is looked up [ERROR-24, ERROR-25, ERROR-26]', async () => {
    const body = '"neither an object nor a list"'
    for (const [caller, isTheirs] of [
      ...callers.map((one) => [one, true] as const),
      ...foreigners.map((one) => [one, false] as const),
    ]) {
      const gate = expectedDecision(route, caller, isTheirs)
      const { status } = await callRoute(route, caller.as, { id: own.id }, { body })
      expect(status, caller.name).toBe(gate === 'in' || gate === 404 ? 400 : gate)
    }
  })
})

describe.each(named(routes.filter(({ access }) => access === 'open')))('%s (open)', (_, route) => {
  it('answers everybody alike', async () => {
    const answers = new Set<string>()
    for (const { as } of [...callers, ...foreigners]) answers.add(refusal(await callRoute(route, as)))
    expect(answers.size).toBe(1)
  })
})

const credentials = badCredentials(world)
