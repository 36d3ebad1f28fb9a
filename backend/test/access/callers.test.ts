import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import type { Answer } from '../answer.ts'
import { encodeId } from '../../src/platform/ids.ts'
import { casesOf } from '../deal.ts'
import { badCredentials } from './bad-credentials.ts'
import { type Caller, type Decision, expectedDecision, decisionOf, named, nameOf } from './table.ts'
import type { RouteAccess } from '../../src/access/auth/index.ts'
import { startFixture } from './fixture.ts'

const world = await startFixture()
const { routes, guarded, own, foreign, callers, foreigners, owner, callRoute, idsFor } = world
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
  // Prometheus, OpenTelemetry and the makers of alert senders describe them.
  const isOfOthers = ({ url }: { url: string }) => /^\/v1\/(?:(?:prometheus\/api|otlp)\/v1\/|in(?:\/|$))/.test(url)
  expect(unpublished.filter((route) => !isOfSignIn(route) && !isOfOthers(route))).toEqual([])
})

/** Somebody who calls a route, and what is to come of it. */
interface Case {
  route: RouteAccess
  caller: Pick<Caller, 'name' | 'as'> & Partial<Caller>
  expected: Decision
}

/** Of all routes and callers, by route. */
function casesByRoute(cases: readonly Case[]): (route: RouteAccess) => Case[] {
  const dealt = casesOf(cases, {
    row: ({ route }) => nameOf(route),
    kind: ({ caller }) => caller.name,
    outcome: ({ expected }) => String(expected),
  })
  const byRoute = Map.groupBy(dealt, ({ route }) => route)
  return (route) => byRoute.get(route) ?? []
}

const credentials = Object.entries(await badCredentials(world)).map(([name, as]) => ({ name, as }))
/** Prometheus and OpenTelemetry may send an API key as a Bearer token. */
const isRefused = (route: RouteAccess, name: string) =>
  name !== 'a key for a session' || !/^\/v1\/(prometheus|otlp)\//.test(route.url)
const refusals = guarded.flatMap((route) =>
  credentials.filter(({ name }) => isRefused(route, name)).map((caller) => ({ route, caller, expected: 401 }) satisfies Case),
)
const known = callers.filter(({ kind }) => kind !== 'nobody')
const removed = foreigners.find(({ name }) => name === 'a removed owner') as Caller
const OTHERS: [name: string, as: Caller['as'], organization: string][] = [
  ['another organization', owner, foreign.id],
  ['one that the user was removed from', removed.as, own.id],
  ['one that is not there', owner, encodeId('organization', randomUUID())],
  ['the own one in upper case', owner, own.id.toUpperCase()],
  ['no id', owner, 'nonsense'],
  ['nothing', owner, ''],
]

const admissions = casesByRoute(
  guarded.flatMap((route) => callers.map((caller) => ({ route, caller, expected: expectedDecision(route, caller) }))),
)
const refusalsOf = casesByRoute(refusals)
const elsewhere = casesByRoute([
  ...guarded.flatMap((route) => known.map((caller) => ({ route, caller, expected: 403 }) satisfies Case)),
  ...refusals,
])
const inOthers = casesByRoute(
  guarded.flatMap((route) => OTHERS.map(([name, as]) => ({ route, caller: { name, as }, expected: 403 }) satisfies Case)),
)

describe.each(named(guarded))('%s', (_, route) => {
  it('lets in whom the table lets in, and nobody else [ACCESS-19, ACCESS-20, ACCESS-26]', async () => {
    for (const { caller, expected } of admissions(route)) {
      const ids = await idsFor(route, expected, caller.kind === 'user' ? caller.as : undefined)
      expect(decisionOf(route, await callRoute(route, caller.as, ids)), caller.name).toBe(expected)
    }
  })

  it('refuses credentials that are none [ERROR-06, ERROR-24]', async () => {
    for (const { caller, expected } of refusalsOf(route)) {
      const { status, body } = await callRoute(route, caller.as)
      // HEAD has no body.
      expect([status, body?.error.code ?? 'unauthorized'], caller.name).toEqual([expected, 'unauthorized'])
    }
  })

  it("refuses an organization that is not the caller's [ACCESS-06, ACCESS-30]", async () => {
    for (const { caller, expected } of elsewhere(route)) {
      const ids = await idsFor(route, expected)
      const { status } = await callRoute(route, caller.as, ids, { headers: { 'x-organization-id': foreign.id } })
      expect(status, caller.name).toBe(expected)
    }
  })

  it('refuses an organization that the user does not belong to [ACCESS-06]', async () => {
    for (const { caller, expected } of inOthers(route)) {
      const [, , id = ''] = OTHERS.find(([name]) => name === caller.name) ?? []
      const headers = { 'x-organization-id': id }
      expect((await callRoute(route, caller.as, await idsFor(route, expected), { headers })).status, caller.name).toBe(expected)
    }
  })

  it('refuses a user of no organization where it says so [ACCESS-24]', async () => {
    const as = await world.outsider()
    const expected = expectedDecision(route, { name: 'a user of no organization', kind: 'user', as })
    expect(decisionOf(route, await callRoute(route, as, await idsFor(route, expected, as)))).toBe(expected)
  })
})

const everybody = [
  ...callers.map((caller) => ({ caller, isTheirs: true })),
  ...foreigners.map((caller) => ({ caller: { ...caller, name: `${caller.name} of another organization` }, isTheirs: false })),
]
const withBody = guarded.filter((route) => world.publishedAs(route)?.body)
const wrongBodies = casesByRoute(
  withBody.flatMap((route) =>
    everybody.map(({ caller, isTheirs }) => ({ route, caller, expected: expectedDecision(route, caller, isTheirs) })),
  ),
)

describe.each(named(withBody))('%s with a wrong body', (_, route) => {
  it('is rejected after the caller was authorized and before the resource is looked up [ERROR-24, ERROR-25, ERROR-26]', async () => {
    const body = '"neither an object nor a list"'
    for (const { caller, expected } of wrongBodies(route)) {
      const { status } = await callRoute(route, caller.as, { id: own.id }, { body })
      expect(status, caller.name).toBe(expected === 'in' || expected === 404 ? 400 : expected)
    }
  })
})

const open = routes.filter(({ access }) => access === 'open')
const openCases = casesByRoute(
  open.flatMap((route) => everybody.map(({ caller }) => ({ route, caller, expected: 'in' }) satisfies Case)),
)

/** Without the id and the time of the request, in the forms of the makers of alert senders too. */
const openRefusal = ({ status, body }: Answer): string =>
  JSON.stringify([status, status >= 400 && { ...body, ...body?.error, error: undefined, ...OF_REQUEST }])
const OF_REQUEST = { request_id: undefined, requestId: undefined, took: undefined }

describe.each(named(open))('%s (open)', (_, route) => {
  it('answers everybody alike', async () => {
    const answers = new Set([openRefusal(await callRoute(route, {}))])
    for (const { caller } of openCases(route)) answers.add(openRefusal(await callRoute(route, caller.as)))
    expect(answers.size).toBe(1)
  })
})
