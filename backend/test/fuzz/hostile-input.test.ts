import { randomUUID } from 'node:crypto'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { casesOf } from '../deal.ts'
import { registration } from '../harness.ts'
import { mixedTexts, HOSTILE_BODIES, HOSTILE_NUMBERS, HOSTILE_TEXTS } from './hostile-input.ts'
import type { PublishedRoute } from './published-routes.ts'
import { pushAt } from './push.ts'
import { type Leaf, leavesOf, resolve, withValue } from './schema-arbitrary.ts'
import { createFixture, encodeText, LIMIT_MS, RUNS, type FuzzFixture } from './fixture.ts'

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

const push = (samples: object[]) => pushAt(world.backend.clock.now(), samples)

/** Each place meets one of the values, and each value one of the places; at night each meets all. */
const pairs = <P, V>(places: readonly P[], values: readonly V[], nameOf: (place: P) => string) =>
  casesOf(
    places.flatMap((place) => values.map((value, index) => ({ place, value, index }))),
    { row: ({ place }) => nameOf(place), kind: ({ index }) => `${index}`, outcome: () => 'answered' },
  )

describe('what someone always tries', () => {
  const bodyRoutes = () => world.routes.filter((route) => route.body)

  it('in each text of each body', { timeout: LIMIT_MS }, async () => {
    // The catalogue wants 300 per field, which the nightly run does.
    const mixed = fc.sample(mixedTexts(), { numRuns: Math.min(RUNS, 300), seed: 7 })
    const texts = [...HOSTILE_TEXTS, ...mixed].slice(0, Math.max(HOSTILE_TEXTS.length, Math.min(RUNS, 300)))
    expect(await requestsOf(() => eachLeaf(['string'], texts))).toBeGreaterThan(Math.max(30, texts.length))
  })

  it('in each number of each body', { timeout: LIMIT_MS }, async () => {
    expect(await requestsOf(() => eachLeaf(['integer', 'number'], HOSTILE_NUMBERS))).toBeGreaterThan(
      Math.max(60, HOSTILE_NUMBERS.length),
    )
  })

  it('in each query parameter', { timeout: LIMIT_MS }, async () => {
    const count = await requestsOf(async () => {
      const places = world.routes.flatMap((route) =>
        route.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => ({ route, name })),
      )
      const values = [...HOSTILE_TEXTS, ...HOSTILE_NUMBERS.map((number) => JSON.stringify(number))]
      for (const { place, value } of pairs(places, values, ({ route, name }) => `${route.name} ${name}`)) {
        const { route, name } = place
        await world.callRoute(route, { ...(await world.allowed(route)), query: `${name}=${encodeText(value)}` })
      }
    })
    expect(count).toBeGreaterThan(HOSTILE_TEXTS.length)
  })

  it('as a body', { timeout: LIMIT_MS }, async () => {
    const writing = world.routes.filter(({ method }) => method !== 'GET')
    const count = await requestsOf(async () => {
      for (const { place, value } of pairs(writing, HOSTILE_BODIES, ({ name }) => name))
        await world.callRoute(place, { ...(await world.allowed(place)), body: value })
    })
    expect(count).toBeGreaterThan(Math.max(writing.length, HOSTILE_BODIES.length) - 1)
  })

  it('as a bomb of gzip, br or deflate', { timeout: LIMIT_MS }, async () => {
    const zeros = Buffer.alloc(20_000_000)
    const bombs = Object.entries({
      gzip: gzipSync(zeros),
      br: brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
      deflate: deflateSync(zeros),
    })
    for (const { place, value } of pairs(bodyRoutes(), bombs, ({ name }) => name)) {
      const [encoding, body] = value
      const { status } = await world.callRoute(place, {
        ...(await world.allowed(place)),
        body,
        headers: { 'content-encoding': encoding },
      })
      expect([413, 415], `${place.name} ${encoding}`).toContain(status)
    }
  })

  it('as gzip that is cut short, goes on, or comes in many parts', async () => {
    const route = world.routes.find(({ name }) => name === 'POST /v1/agent/metrics') as PublishedRoute
    const whole = gzipSync(JSON.stringify(push([{ cpu: { percent: 1 } }])))
    const send = async (body: Buffer) =>
      (await world.callRoute(route, { as: world.agent.as, body, headers: { 'content-encoding': 'gzip' } })).status
    expect(await send(whole)).toBe(202)
    expect(await send(whole.subarray(0, -9))).toBe(400)
    expect(await send(Buffer.concat([whole, whole]))).toBe(400)
    expect(await send(Buffer.concat(Array.from({ length: 1_000 }, () => gzipSync(Buffer.alloc(100_000)))))).toBe(413)
  })

  it('as the largest push that is taken', async () => {
    const route = world.routes.find(({ name }) => name === 'POST /v1/agent/metrics') as PublishedRoute
    const { samples: _samples, ...head } = push([])
    const batches = Array.from({ length: 60 }, (_, batch) => ({
      ...head,
      batch_id: randomUUID(),
      // Backwards and over two hours: nothing is in the order that is cheap.
      columns: {
        at_ms: Array.from({ length: 1_000 }, (_, index) => world.backend.clock.now() - batch * 1_000_000 - index * 7_000),
        cpu: { percent: Array.from({ length: 1_000 }, (_, index) => (index * 7.77) % 100) },
        disk: { read_iops: Array.from({ length: 1_000 }, (_, index) => (index * 7.777) % 1_000) },
      },
    }))
    const body = gzipSync(JSON.stringify({ batches }))
    const answer = await world.callRoute(route, { as: world.agent.as, body, headers: { 'content-encoding': 'gzip' } })
    expect(answer.body).toMatchObject({ accepted: 60_000, rejected: [] })
  })

  it('as another media type', { timeout: LIMIT_MS }, async () => {
    const types = [
      'text/plain',
      'text/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
      'a/b',
    ]
    // Senders of alerts name all kinds of types.
    const strict = bodyRoutes().filter(({ name }) => name !== 'POST /v1/in/{token}')
    for (const { place, value: type } of pairs(strict, types, ({ name }) => name)) {
      const body = JSON.stringify(world.leastBody(place))
      const { status } = await world.callRoute(place, {
        ...(await world.allowed(place)),
        body,
        headers: { 'content-type': type },
      })
      expect(status, `${place.name} ${type}`).toBe(415)
    }
  })

  it('as the last page of the longest', async () => {
    const lists = world.routes.filter(({ parameters }) => parameters.some(({ name }) => name === 'limit'))
    expect(lists.length).toBeGreaterThan(5)
    for (const route of lists) {
      const { as } = await world.allowed(route)
      const last = await world.callRoute(route, { ...(as && { as }), query: 'page=1000000&limit=100' })
      expect([last.status, last.body.page, Object.values(last.body).find(Array.isArray)], route.name).toEqual([
        200,
        1_000_000,
        [],
      ])
      for (const query of ['page=1000001&limit=100', `page=${2 ** 53}&limit=100`, 'page=1&limit=101', 'page=9223372036854775807'])
        expect((await world.callRoute(route, { ...(as && { as }), query })).status, `${route.name} ${query}`).toBe(400)
    }
  })

  async function eachLeaf(types: string[], values: readonly unknown[]): Promise<void> {
    const places = bodyRoutes().flatMap((route) =>
      leavesOf(resolve(route.body ?? {}, world).anyOf?.[0] ?? route.body ?? {}, world)
        .filter((leaf) => [leaf.schema.type].flat().some((type) => types.includes(type ?? '')))
        .map((leaf) => ({ route, leaf })),
    )
    for (const { place, value } of pairs(places, values, ({ route, leaf }) => `${route.name} ${leaf.path.join('.')}`)) {
      const { route, leaf } = place
      await world.callRoute(route, { ...(await world.allowed(route)), body: withValue(baseOf(route, leaf), leaf.path, value) })
    }
  }

  /** A body that is accepted but for the place that is tried. */
  function baseOf(route: PublishedRoute, { path }: Leaf): unknown {
    if (route.path === '/v1/agent/metrics') {
      const { samples, ...head } = push([{ cpu: { percent: 1 }, disk: { read_iops: 1 } }])
      return path[0] === 'columns' ? { ...head, columns: { at_ms: [world.backend.clock.now()] } } : { ...head, samples }
    }
    if (route.path === '/v1/agent/register') return registration(randomUUID())
    return world.leastBody(route)
  }
})
