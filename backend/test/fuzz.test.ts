import { randomUUID } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { ALL_FIELDS, type NamedField, UNIT_DECIMALS } from '@vedette/shared'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exchangeRaw } from './contract/raw.ts'
import { NASTY_BODIES, NASTY_NUMBERS, NASTY_TEXTS, NASTY_VALUES } from './fuzz/nasty.ts'
import { expectPromises, type PublishedRoute } from './fuzz/published.ts'
import { type Leaf, leavesOf, type Making, resolve, valuesOf, withValue } from './fuzz/schema-arbitrary.ts'
import { createWorld, encodeText, type FuzzRequest, RUNS, type World } from './fuzz/world.ts'
import { type Answer, registration } from './harness.ts'

/** The nightly run is a thousand times each. */
const LIMIT_MS = 20_000 + RUNS * 2_000

let world: World
let port: number
beforeAll(async () => {
  world = await createWorld()
  port = await world.backend.listen()
})
/** How many requests the task asks: none would be a test of nothing. */
async function asked(task: () => Promise<void>): Promise<number> {
  const before = world.cost.count()
  await task()
  return world.cost.count() - before
}
afterAll(async () => {
  console.info(`fuzz: ${world.cost.report()}`)
  await world.close()
})

const making = (style: Making['style']): Making => ({ components: world.components, style, nowMs: world.backend.clock.now() })

describe('every published route', () => {
  it('keeps every promise whatever the body', { timeout: LIMIT_MS }, async () => {
    const count = await asked(async () => {
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
  })

  it('keeps every promise whatever the query', { timeout: LIMIT_MS }, async () => {
    const count = await asked(async () => {
      for (const route of world.routes) {
        await tryAll(route, fc.record({ ...reaching(), query: queries(route), body: bodyOf(route) }))
      }
    })
    expect(count).toBeGreaterThanOrEqual(RUNS * world.routes.length)
  })

  it('keeps every promise whatever the headers and ids', { timeout: LIMIT_MS }, async () => {
    const count = await asked(async () => {
      const ids = fc.oneof(fc.constantFrom(...NASTY_TEXTS), fc.string({ unit: 'binary' }), fc.constantFrom(...world.ids()))
      for (const route of world.routes) {
        await tryAll(route, fc.record({ ...reaching(), id: ids, headers: headers(), body: bodyOf(route) }))
      }
    })
    expect(count).toBeGreaterThanOrEqual(RUNS * world.routes.length)
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

/** Every route is reached by one of the callers; ids are those of a living server, or of another organization's. */
const reaching = () => ({
  as: fc.constantFrom(...world.callers),
  id: fc.nat().map((number) => {
    const ids = world.ids()
    return ids[number % ids.length] as string
  }),
})

async function tryAll(route: PublishedRoute, requests: fc.Arbitrary<FuzzRequest>): Promise<void> {
  const property = fc.asyncProperty(requests, async (request) => void (await world.ask(route, request)))
  await fc.assert(property, { numRuns: RUNS })
}

const bodyOf = ({ body }: PublishedRoute): fc.Arbitrary<unknown> =>
  body ? valuesOf(body, making('valid')) : fc.constant(undefined)

function queries({ parameters }: PublishedRoute): fc.Arbitrary<string> {
  const known = parameters.filter((parameter) => parameter.in === 'query')
  const names = fc.constantFrom(...known.map(({ name }) => name), 'page', 'q[]', '__proto__', 'Limit', '')
  const nasty = fc.constantFrom(...NASTY_VALUES.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))))
  const pair = fc.tuple(names, nasty).map(([name, value]) => `${name}=${encodeText(value)}`)
  const right = known.map(({ name, schema }) =>
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
      'x-organization-id': fc.oneof(visible, fc.constantFrom(...world.ids())),
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

describe('what someone always tries', () => {
  const bodyRoutes = () => world.routes.filter((route) => route.body)

  it('in each text of each body', { timeout: LIMIT_MS }, async () => {
    expect(await asked(() => eachLeaf(['string'], NASTY_TEXTS))).toBeGreaterThan(30 * NASTY_TEXTS.length)
  })

  it('in each number of each body', { timeout: LIMIT_MS }, async () => {
    expect(await asked(() => eachLeaf(['integer', 'number'], NASTY_NUMBERS))).toBeGreaterThan(60 * NASTY_NUMBERS.length)
  })

  it('in each query parameter', async () => {
    const count = await asked(async () => {
      for (const route of world.routes) {
        for (const { name } of route.parameters.filter((parameter) => parameter.in === 'query')) {
          for (const value of [...NASTY_TEXTS, ...NASTY_NUMBERS.map((number) => JSON.stringify(number))]) {
            await world.ask(route, { ...(await allowed(route)), query: `${name}=${encodeText(value)}` })
          }
        }
      }
    })
    expect(count).toBeGreaterThan(NASTY_TEXTS.length)
  })

  it.each(NASTY_BODIES.map((body) => [body.toString().slice(0, 40), body] as const))('as the body %j', async (_, body) => {
    const count = await asked(async () => {
      for (const route of world.routes.filter(({ method }) => method !== 'GET')) {
        await world.ask(route, { ...(await allowed(route)), body })
      }
    })
    expect(count).toBeGreaterThan(5)
  })

  it.each(['gzip', 'br', 'deflate'])('as a bomb of %s', async (encoding) => {
    const zeros = Buffer.alloc(20_000_000)
    const bomb = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync }[encoding] as typeof gzipSync
    const body = bomb(zeros)
    for (const route of bodyRoutes()) {
      const { status } = await world.ask(route, { ...(await allowed(route)), body, headers: { 'content-encoding': encoding } })
      expect([413, 415]).toContain(status)
    }
  })

  it('as gzip that is cut short, goes on, or comes in many parts', async () => {
    const route = world.routes.find(({ name }) => name === 'POST /v1/agent/metrics') as PublishedRoute
    const whole = gzipSync(JSON.stringify(push([{ cpu: { percent: 1 } }])))
    const send = async (body: Buffer) =>
      (await world.ask(route, { as: world.agent.as, body, headers: { 'content-encoding': 'gzip' } })).status
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
    const answer = await world.ask(route, { as: world.agent.as, body, headers: { 'content-encoding': 'gzip' } })
    expect(answer.body).toMatchObject({ accepted: 60_000, rejected: [] })
  })

  async function eachLeaf(types: string[], values: readonly unknown[]): Promise<void> {
    for (const route of bodyRoutes()) {
      for (const leaf of leavesOf(resolve(route.body ?? {}, making('valid')).anyOf?.[0] ?? route.body ?? {}, making('valid'))) {
        if (![leaf.schema.type].flat().some((type) => types.includes(type ?? ''))) continue
        for (const value of values) {
          await world.ask(route, { ...(await allowed(route)), body: withValue(baseOf(route, leaf), leaf.path, value) })
        }
      }
    }
  }

  /** A body that is accepted but for the place that is tried. */
  function baseOf(route: PublishedRoute, { path }: Leaf): unknown {
    if (route.path === '/v1/agent/metrics') {
      const { samples, ...head } = push([{ cpu: { percent: 1 }, disk: { read_iops: 1 } }])
      return path[0] === 'columns' ? { ...head, columns: { at_ms: [world.backend.clock.now()] } } : { ...head, samples }
    }
    if (route.path === '/v1/agent/register') return registration(randomUUID())
    return fc.sample(valuesOf(route.body ?? {}, making('least')), { numRuns: 1, seed: 7 })[0]
  }
})

/** A caller whom the route lets in, found by asking; and the id of a living server. */
async function allowed(route: PublishedRoute): Promise<FuzzRequest> {
  const id = world.ids()[0] as string
  let found = lettingIn.get(route.name)
  for (const as of found === undefined ? world.callers : []) {
    const answer = await world.backend.call(route.method, route.path.replace('{id}', 'nobody'), { as, body: {} })
    await world.renew(route, answer)
    if (answer.status !== 401 && answer.status !== 403) found ??= as
  }
  if (found) lettingIn.set(route.name, found)
  return { as: found ?? {}, id }
}
const lettingIn = new Map<string, NonNullable<FuzzRequest['as']>>()

/** A push of samples a second apart, the last of them now. */
function push(samples: object[]): { samples: object[] } & Record<string, unknown> {
  const nowMs = world.backend.clock.now()
  return {
    batch_id: randomUUID(),
    sent_at: new Date(nowMs).toISOString(),
    agent_version: '0.1.0',
    samples: samples.map((sample, index) => ({
      at: new Date(nowMs - (samples.length - 1 - index) * 1_000).toISOString(),
      ...sample,
    })),
  }
}

describe('what a sample may hold', () => {
  const send = (samples: object[]) => world.backend.call('POST', '/v1/agent/metrics', { as: world.agent.as, body: push(samples) })
  const route = (name: string) => world.routes.find((one) => one.name === name) as PublishedRoute

  it('comes back as it was sent', { timeout: LIMIT_MS }, async () => {
    const property = fc.asyncProperty(sampleOf(exactValue), async (sample) => {
      world.backend.clock.advance(1_000)
      expect((await send([sample])).body).toMatchObject({ accepted: 1, duplicates: 0, rejected: [] })
      const { body } = await world.ask(route('GET /v1/servers/{id}'), { as: world.owner, id: world.agent.id })
      expect(Date.parse(body.metrics.sampled_at)).toBe(world.backend.clock.now())
      for (const { group, name } of ALL_FIELDS) {
        expect(body.metrics[group]?.[name] ?? null, `${group}.${name}`).toBe(sample[group]?.[name] ?? null)
      }
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  it('is stored or refused, and never spoils a mean', { timeout: LIMIT_MS }, async () => {
    const wild = () => fc.constantFrom(...NASTY_NUMBERS, null)
    const property = fc.asyncProperty(fc.array(sampleOf(wild), { minLength: 1, maxLength: 3 }), async (samples) => {
      world.backend.clock.advance(3_000)
      const { status, body } = await send(samples)
      expect(status).toBe(202)
      expect(body.accepted + body.duplicates + body.rejected.length).toBe(samples.length)
      for (const query of ['', 'period=15m&points=1000']) {
        const answer = await world.ask(route('GET /v1/servers/{id}/metrics'), {
          as: world.owner,
          id: world.agent.id,
          query,
        })
        for (const value of numbersIn(answer.body)) expect(value).toBeGreaterThanOrEqual(0)
      }
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  it.each([
    ['a percentage above 100', { cpu: { percent: 101 } }, false],
    ['a negative percentage', { cpu: { percent: -1 } }, false],
    ['a negative rate', { disk: { read_iops: -1 } }, false],
    ['a number beyond all numbers', { network: { rx_bytes_per_sec: Number.MAX_VALUE } }, false],
    ['more used than there is', { memory: { used_bytes: 2 ** 40, total_bytes: 2 ** 30 } }, true],
    ['a size past 2^32', { memory: { used_bytes: 2 ** 32 + 1 } }, true],
    ['a size of 2^53 - 1', { memory: { used_bytes: Number.MAX_SAFE_INTEGER } }, true],
    ['a size past what a number can tell', { memory: { used_bytes: 2 ** 53 } }, false],
    ['the year 1970', { at: '1970-01-01T00:00:00.000Z', cpu: { percent: 1 } }, false],
    ['ten years ahead', { at: '2036-11-20T18:00:00.000Z', cpu: { percent: 1 } }, false],
    ['thirty days ago', { at: '2026-10-21T18:00:00.000Z', cpu: { percent: 1 } }, false],
  ])('%s is taken: %#', async (_, sample, isTaken) => {
    world.backend.clock.advance(2_000)
    const { body } = await send([sample, { cpu: { percent: 50 } }])
    expect([body.accepted, body.rejected.length]).toEqual(isTaken ? [2, 0] : [1, 1])
  })

  it('stands as it came first, whatever comes later for the same instant', async () => {
    world.backend.clock.advance(1_000)
    await send([{ cpu: { percent: 11 } }])
    // What came first is told by the millisecond of receipt.
    const [first] = push([{}]).samples
    world.backend.clock.advance(1)
    await send([{ ...first, cpu: { percent: 99 } }])
    const { body } = await world.backend.call('GET', `/v1/servers/${world.agent.id}`, { as: world.owner })
    expect(body.metrics.cpu.percent).toBe(11)
  })
})

type Sample = Record<string, Record<string, unknown>>

function sampleOf(value: (field: NamedField) => fc.Arbitrary<unknown>): fc.Arbitrary<Sample> {
  const model = Object.fromEntries(ALL_FIELDS.map((field) => [`${field.group}.${field.name}`, value(field)]))
  return fc.record(model, { requiredKeys: ['cpu.percent'] }).map((values) => {
    const sample: Sample = {}
    for (const [path, value] of Object.entries(values)) {
      const [group = '', name = ''] = path.split('.')
      ;(sample[group] ??= {})[name] = value
    }
    return sample
  })
}

/** A value with no more digits than are kept. */
function exactValue({ unit, whole }: NamedField): fc.Arbitrary<number> {
  const scale = whole ? 1 : 10 ** UNIT_DECIMALS[unit]
  const max = unit === 'percent' ? 100 * scale : 2 ** 42
  return fc.oneof(fc.integer({ min: 0, max }), fc.integer({ min: 0, max: Math.min(max, 1_000) })).map((value) => value / scale)
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}

describe('on the wire', () => {
  it('answers any bytes in a header, a target and a chunk', { timeout: LIMIT_MS }, async () => {
    const junk = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1'))
    const body = JSON.stringify(push([{ cpu: { percent: 1 } }]))
    const requests = fc.oneof(
      junk.map((text) => `GET /v1/servers HTTP/1.1\r\nHost: a\r\nX-Junk: ${text}\r\nConnection: close\r\n\r\n`),
      junk.map((text) => `GET /v1/servers HTTP/1.1\r\nHost: a\r\n${text}: a\r\nConnection: close\r\n\r\n`),
      junk.map((text) => `GET /v1/servers?q=${text} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
      junk.map((text) => `${text} /v1/servers HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
      junk.map(
        (text) => `GET /v1/servers HTTP/1.1\r\nHost: a\r\nX-API-Key: vdt\r\nSet-Cookie: ${text}\r\nConnection: close\r\n\r\n`,
      ),
      junk.map((text) => `${chunkedHead}2\r\n{}\r\n${text}\r\n\r\n`),
      junk.map((text) => `${chunkedHead}${body.length.toString(16)};${text}\r\n${body}\r\n0\r\n\r\n`),
    )
    const property = fc.asyncProperty(requests, async (request) => {
      for (const answer of await exchange(Buffer.from(request, 'latin1'), 50)) expectPromises(answer)
    })
    await fc.assert(property, { numRuns: RUNS * 4 })
    expect((await exchange(Buffer.from('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')))[0]?.status).toBe(200)
  })

  it('reads a body the same however it is cut into chunks', async () => {
    world.backend.clock.advance(1_000)
    const body = Buffer.from(JSON.stringify(push([{ cpu: { percent: 1 } }])))
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 })
    const property = fc.asyncProperty(cuts, async (sizes) => {
      const chunks: string[] = []
      for (let at = 0; at < body.length; ) {
        const chunk = body.subarray(at, at + (sizes[chunks.length % sizes.length] as number)).toString('latin1')
        chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
        at += chunk.length
      }
      const [answer] = await exchange(Buffer.from(`${chunkedHead}${chunks.join('')}0\r\n\r\n`, 'latin1'))
      expect(answer?.status, JSON.stringify(answer?.body)).toBe(202)
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  it('lets no line break out of a value into the headers', async () => {
    for (const value of ['a\r\nSet-Cookie: b=c', '%0d%0aSet-Cookie:%20b=c', '\u010d\u010aSet-Cookie: b=c']) {
      const lines = `GET /v1/servers/${encodeURI(value)} HTTP/1.1\r\nHost: ${value}\r\nX-Request-Id: ${value}\r\nConnection: close\r\n\r\n`
      for (const { headers } of await exchange(Buffer.from(lines))) expect(headers).not.toHaveProperty('set-cookie')
    }
  })

  const chunkedHead =
    'POST /v1/agent/metrics HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\nX-API-Key: TOKEN\r\n\r\n'

  /** What raw bytes of an agent are answered. */
  function exchange(bytes: Buffer, patienceMs?: number): Promise<Answer[]> {
    const token = world.agent.as['x-api-key'] ?? ''
    const request = bytes.toString('latin1').replace('X-API-Key: TOKEN', `X-API-Key: ${token}`)
    return exchangeRaw(port, Buffer.from(request, 'latin1'), patienceMs)
  }
})
