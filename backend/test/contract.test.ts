import { afterAll, describe, expect, it } from 'vitest'
import { examplesOf } from '../src/operating/openapi/examples.ts'
import { send, SUCCESSES } from './contract/successful-requests.ts'
import { createErrorConditions } from './contract/error-conditions.ts'
import { createErrorRequests } from './contract/error-requests.ts'
import { createFixture } from './contract/fixture.ts'
import { OPERATION_ERRORS } from './contract/operation-errors.ts'
import { type Description, expectPromises, publishedRoutes } from './fuzz/published-routes.ts'
import type { Answer, Loose } from './answer.ts'
import { casesOf } from './deal.ts'
import { proxied } from './through-proxy.ts'

// Before the tests are collected: they are made of what is published. All calls go through prism, which fails those whose
// answers the description does not contain; see through-proxy.ts.
const world = await createFixture()
const refusers = await createErrorConditions(world)
const description = world.backend.vedette.app.swagger() as unknown as Description
const routes = publishedRoutes(description)
afterAll(async () => {
  await refusers.close()
  await world.close()
})

const TIMEOUT = 408
/** Made by what carries requests and answers; the others come of what a request asks for. */
const OF_TRANSPORT = new Set([413, 414, 415, 429, 431, 500, 503])

/** Refusals of each route: those of its own, and of those that all are made to give in one way one of each group. */
const refusals = routes.flatMap((route) =>
  [...route.answers.keys()]
    .filter((status) => status >= 400 && status !== TIMEOUT)
    .map((status) => ({ route, status, isOwn: OPERATION_ERRORS[route.operationId]?.[status] !== undefined })),
)
const tried = new Set([
  ...refusals.filter(({ isOwn }) => isOwn),
  ...casesOf(
    refusals.filter(({ isOwn }) => !isOwn),
    {
      row: ({ route }) => route.name,
      kind: ({ status }) => String(status),
      outcome: ({ status }) => (OF_TRANSPORT.has(status) ? 'transport' : 'request'),
    },
  ),
])
const refusalsOf = Map.groupBy(tried, ({ route }) => route)

describe.each(routes)('$name ($operationId)', (route) => {
  const statuses = [...route.answers.keys()]
  const succeeding = statuses.filter((status) => status < 400)

  it('succeeds as it is published', async () => {
    expect(Object.keys(SUCCESSES[route.operationId] ?? {}).map(Number)).toEqual(succeeding)
    for (const [status, make] of Object.entries(SUCCESSES[route.operationId] ?? {})) {
      const answer = await send(world, route, await make(world))
      expect(answer.status, JSON.stringify(answer.body)).toBe(Number(status))
      expectPromises(answer, route)
      expectShown(answer, route.shown.get(answer.status))
    }
  })

  it('refuses with each status that is published', async () => {
    const refuse = await createErrorRequests({ route, world, refusers })
    for (const { status } of refusalsOf.get(route) ?? []) {
      const answer = await refuse(status)
      expect(answer.status, `${status}: ${JSON.stringify(answer.body)}`).toBe(status)
      expectPromises(answer, route, status < 500)
    }
  })
})

const CREDENTIALS = {
  session: () => world.person(),
  api_key: () => world.key(),
  server_token: async () => (await world.server()).as,
}

describe('credentials', () => {
  const guarded = routes.filter(({ security }) => security.length > 0)
  const cases = casesOf(
    guarded.flatMap((route) =>
      (Object.keys(CREDENTIALS) as (keyof typeof CREDENTIALS)[]).map((kind) => ({
        route,
        kind,
        isIn: route.security.includes(kind),
      })),
    ),
    { row: ({ route }) => route.name, kind: ({ kind }) => kind, outcome: ({ isIn }) => String(isIn) },
  )
  const casesOfRoute = Map.groupBy(cases, ({ route }) => route)
  it.each(guarded)('of the published kinds get in to $name, and no others', async (route) => {
    const [make] = Object.values(SUCCESSES[route.operationId] ?? {})
    for (const { kind, isIn } of casesOfRoute.get(route) ?? []) {
      const { status } = await send(world, route, { ...(await make?.(world)), as: await CREDENTIALS[kind]() })
      // A path with another organization is a 404 for a key, which belongs to one alone.
      const isOut = status === 403 || (status === 404 && kind === 'api_key')
      expect(isIn ? status !== 401 && status !== 403 : isOut, `${kind}: ${status}`).toBe(true)
    }
  })
})

/** All at once: Node looks for slow requests every two seconds. It does so before the path is known, so one of each method will do. */
it('every operation refuses what takes too long to arrive', async () => {
  const slow = casesOf(routes, { row: ({ method }) => method, kind: ({ method }) => method, outcome: () => String(TIMEOUT) })
  const calls = slow.map(async (route) => {
    const answer = await (await createErrorRequests({ route, world, refusers }))(TIMEOUT)
    expect([route.name, answer.status]).toEqual([route.name, TIMEOUT])
    expectPromises(answer, route)
  })
  await Promise.all(calls)
})

/** Expects an answer to have only fields that an example shows, and every field that all examples show. */
function expectShown({ body = {} }: Answer, schema = ''): void {
  // A text has no fields.
  if (typeof body === 'string') return
  const shown = Object.values(examplesOf(schema)).map((example) => Object.keys(example as object))
  const given = Object.keys(body as object)
  expect(
    given.filter((name) => !shown.flat().includes(name)),
    'no example shows',
  ).toEqual([])
  expect(shown.flat().filter((name) => shown.every((one) => one.includes(name)) && !given.includes(name))).toEqual([])
}

describe('an answer that the description does not contain fails the call', () => {
  const nowhere = () => Promise.reject(new Error('nothing here goes past the proxy'))
  /** Lists the servers through a proxy that validates against a changed description. */
  async function listWithDescription(tamper: (description: Loose) => void, isSignedIn: boolean): Promise<Answer> {
    const { paths, ...rest } = structuredClone(description)
    const other = { ...rest, paths: { '/v1/servers': paths['/v1/servers'] } }
    tamper(other)
    await world.server()
    const headers: Record<string, string> = isSignedIn ? { authorization: (await world.person()).authorization } : {}
    const { send, close } = await proxied(other, await world.backend.listen(), nowhere)
    try {
      return await send({ method: 'GET', url: '/v1/servers', headers, body: undefined, ip: '192.0.2.1' })
    } finally {
      await close()
    }
  }
  const list = (other: Loose) => other.paths['/v1/servers'].get

  it('an answer that the description contains passes', async () => {
    expect((await listWithDescription(() => undefined, true)).status).toBe(200)
    expect((await listWithDescription(() => undefined, false)).status).toBe(401)
  })

  it.each<[string, (other: Loose) => void, boolean, RegExp]>([
    ['a refusal', (other) => delete list(other).responses['401'], false, /returned status code/],
    ['a success', (other) => delete list(other).responses['200'], true, /returned status code/],
    ['a field', (other) => other.components.schemas.ServerItem.required.push('colour'), true, /colour/],
    [
      'the type of a field',
      (other) => (other.components.schemas.ServerItem.properties.hostname.type = 'integer'),
      true,
      /hostname/,
    ],
    [
      'a header',
      (other) => (list(other).responses['200'].headers['X-Colour'] = { required: true, schema: {} }),
      true,
      /x-colour/i,
    ],
    ['the form of a refusal', (other) => other.components.schemas.Error.required.push('colour'), false, /colour/],
    [
      'a request that was taken',
      (other) => list(other).parameters.push({ in: 'query', name: 'colour', required: true, schema: {} }),
      true,
      /colour/,
    ],
  ])('where %s differs', async (_, tamper, isSignedIn, message) => {
    await expect(listWithDescription(tamper, isSignedIn)).rejects.toThrow(message)
  })
})
