import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOSTILE_TEXTS, HOSTILE_VALUES } from './hostile-input.ts'
import { expectPromises, type PublishedRoute } from './published-routes.ts'
import { type Making, valuesOf } from './schema-arbitrary.ts'
import { createFixture, encodeText, type FuzzRequest, LIMIT_MS, RUNS, type FuzzFixture } from './fixture.ts'

let world: FuzzFixture
beforeAll(async () => {
  world = await createFixture()
})
afterAll(async () => {
  console.info(`fuzz: ${world.cost.report()}`)
  await world.close()
})

/** The number of requests that the task sends. Tests compare it with a minimum, so that they cannot pass without a request. */
async function requestsOf(task: () => Promise<void>): Promise<number> {
  const before = world.cost.count()
  await task()
  return world.cost.count() - before
}

const making = (style: Making['style']): Making => ({ components: world.components, style, nowMs: world.backend.clock.now() })

describe('every published route', () => {
  it('keeps every promise whatever the body, and keeps what it accepts', { timeout: LIMIT_MS }, async () => {
    const count = await requestsOf(async () => {
      for (const route of world.routes) {
        const body = route.body ?? { type: 'object' }
        const bodies = fc.oneof(
          valuesOf(body, making('valid')),
          valuesOf(body, making('wild')),
          valuesOf(body, making('wild')),
          fc.json().map((text) => text as unknown),
        )
        await tryAll(route, fc.record({ ...reaching(), body: bodies }))
      }
    })
    expect(count).toBeGreaterThanOrEqual(RUNS * world.routes.length)
    expect(world.cost.stored()).toBeGreaterThan(RUNS / 5)
  })

  it('keeps every promise whatever the query', { timeout: LIMIT_MS }, async () => {
    const count = await requestsOf(async () => {
      for (const route of world.routes) {
        await tryAll(route, fc.record({ ...reaching(), query: queries(route), body: bodyOf(route) }))
      }
    })
    expect(count).toBeGreaterThanOrEqual(RUNS * world.routes.length)
  })

  it('keeps every promise whatever the headers', { timeout: LIMIT_MS }, async () => {
    const count = await requestsOf(async () => {
      for (const route of world.routes) {
        await tryAll(route, fc.record({ ...reaching(), headers: headers(), body: bodyOf(route) }))
      }
    })
    expect(count).toBeGreaterThanOrEqual(RUNS * world.routes.length)
  })

  it('keeps every promise whatever the ids', { timeout: LIMIT_MS }, async () => {
    const texts = () =>
      fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'binary' }), fc.constantFrom(...world.organizations))
    const withIds = world.routes.filter(({ path }) => path.includes('{'))
    const count = await requestsOf(async () => {
      for (const route of withIds) {
        const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
        const ids = fc.record(Object.fromEntries(names.map((name) => [name, texts()])))
        await tryAll(route, fc.record({ as: reaching().as, ids, body: bodyOf(route) }))
      }
    })
    expect(count).toBeGreaterThanOrEqual(RUNS * withIds.length)
  })

  it('answers a method that it does not take', async () => {
    const taken: string[] = []
    for (const path of new Set(world.routes.map((route) => route.path))) {
      // A word may stand where another route takes an id: `members/invite` is a member to PATCH.
      const fits = (pattern: string) => new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
      const own = new Set(world.routes.filter((route) => fits(route.path)).map(({ method }) => method))
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
        const answer = await world.backend.call(method, path, { body: {} })
        expectPromises(answer)
        const isOwn = own.has(method) || (method === 'HEAD' && own.has('GET'))
        if (!isOwn && answer.status !== 405) taken.push(`${method} ${path}`)
      }
    }
    expect(taken).toEqual([])
  })
})

/** Every route is reached by one of the callers; ids are those of living things, or of another organization's. */
const reaching = () => ({
  as: fc.constantFrom(...world.callers),
  whose: fc.constantFrom('own' as const, 'own' as const, 'own' as const, 'foreign' as const),
})

async function tryAll(route: PublishedRoute, requests: fc.Arbitrary<FuzzRequest>): Promise<void> {
  const property = fc.asyncProperty(requests, async (request) => void (await world.callRoute(route, request)))
  await fc.assert(property, { numRuns: RUNS })
}

const bodyOf = ({ body }: PublishedRoute): fc.Arbitrary<unknown> =>
  body ? valuesOf(body, making('valid')) : fc.constant(undefined)

function queries({ parameters }: PublishedRoute): fc.Arbitrary<string> {
  const queryParameters = parameters.filter((parameter) => parameter.in === 'query')
  const names = fc.constantFrom(...queryParameters.map(({ name }) => name), 'page', 'q[]', '__proto__', 'Limit', '')
  const nasty = fc.constantFrom(...HOSTILE_VALUES.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))))
  const pair = fc.tuple(names, nasty).map(([name, value]) => `${name}=${encodeText(value)}`)
  const right = queryParameters.map(({ name, schema }) =>
    valuesOf(schema, making('valid')).map((value) => [value].flat().map((one) => `${name}=${encodeText(String(one))}`)),
  )
  const rights = fc.tuple(...right).map((all) => all.flat())
  const some = fc.tuple(rights, fc.infiniteStream(fc.boolean())).map(([all, coins]) => all.filter(() => coins.next().value))
  return fc.oneof(
    some.map((pairs) => pairs.join('&')),
    fc.tuple(some, pair).map(([pairs, wrong]) => [...pairs, wrong].join('&')),
    fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join('&')),
    fc.string({ unit: fc.constantFrom('&', '=', '%', '%0', '%ff', '%00', '+', '#', '?', ';', '[', ']', 'page', 'limit', '1') }),
  )
}

function headers(): fc.Arbitrary<Record<string, string>> {
  const visible = fc.string({ unit: 'grapheme-ascii', maxLength: 60 })
  const content = [
    'application/json',
    'application/json; charset=utf-16',
    'application/jsonp',
    'text/plain',
    'nonsense',
    '',
    '*/*',
  ]
  const encodings = ['gzip', 'br', 'deflate', 'identity', 'gzip, gzip', 'GZIP', 'zstd', '']
  return fc.record(
    {
      'content-type': fc.oneof(fc.constantFrom(...content), visible),
      'content-encoding': fc.oneof(fc.constantFrom(...encodings), visible),
      authorization: fc.oneof(
        visible,
        visible.map((text) => `Bearer ${text}`),
        fc.constant('Bearer eyJhbGciOiJub25lIn0.e30.'),
      ),
      'x-api-key': fc.oneof(
        visible,
        visible.map((text) => `vdt_key_${text}`),
      ),
      'x-organization-id': fc.oneof(visible, fc.constantFrom(...world.organizations)),
      'x-forwarded-for': visible,
      accept: visible,
      range: fc.constantFrom('bytes=0-1', 'bytes=9-', 'bytes=-', 'lines=1'),
      'if-none-match': visible,
      'idempotency-key': visible,
      'x-http-method-override': fc.constant('DELETE'),
    },
    { requiredKeys: [] },
  )
}
