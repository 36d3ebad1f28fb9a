import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { keepTables } from '../../../platform/db/index.ts'
import { compactEntities, deleteEntitiesBefore, ENTITY_CHUNKS } from '../index.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let backend: TestBackend
let organization: TestOrganization
let viewer: Credentials
let admin: Credentials
let server: { id: string; as: Credentials }
beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.parse('2026-11-20T00:40:10.000Z') })
  organization = await backend.organization()
  viewer = await backend.apiKey(organization, 'read')
  admin = await backend.apiKey(organization, 'admin')
  await keepChunks()
})
afterAll(() => backend.close())
beforeEach(async () => void (server = await backend.server(organization)))

const keepChunks = () =>
  keepTables(backend.pool.db, silentLog, [{ ...ENTITY_CHUNKS, retentionMs: Number.POSITIVE_INFINITY }], backend.clock.now())
const iso = (ms: number) => new Date(ms).toISOString()
const container = (name: string, values: object, attributes?: object) => ({
  kind: 'container',
  name,
  values,
  ...(attributes && { attributes }),
})

/** A push of a sample at this instant. */
function push(atMs: number, state: object, as = server.as) {
  const samples = [{ at: iso(atMs), cpu: { percent: 5 } }]
  const head = { batch_id: randomUUID(), sent_at: iso(backend.clock.now()), agent_version: '1' }
  return backend.call('POST', '/v1/agent/metrics', { as, body: { ...head, samples, ...state } })
}

async function pushed(atMs: number, entities: readonly object[], more: object = {}, as = server.as) {
  const answer = await push(atMs, { entities, ...more }, as)
  expect(answer.body).toMatchObject({ rejected: [] })
  expect(answer.status).toBe(202)
}

const list = async (query = '', id = server.id) => {
  const { status, body } = await backend.call('GET', `/v1/servers/${id}/entities?${query}`, { as: viewer })
  return status === 200 ? body.entities : body
}
const names = async (query = '') => (await list(query)).map(({ name }: { name: string }) => name)
const idOf = async (name: string): Promise<string> =>
  (await list('limit=100')).find((one: { name: string }) => one.name === name).id
const metrics = async (id: string, query: string) =>
  (await backend.call('GET', `/v1/servers/${server.id}/entities/${id}/metrics?${query}`, { as: viewer })).body

describe('what a push says of entities', () => {
  it('is there at once, with its attributes, and gone with the push that does not have it [ENTITY-01]', async () => {
    const now = backend.clock.now()
    await pushed(now, [
      container('shop/web', { cpu_percent: 12.5, memory_bytes: 1024, running: 1 }, { image: 'nginx:1', state: 'running' }),
      container('db', { cpu_percent: 40 }),
      { kind: 'sensor', name: 'coretemp Package', values: { temperature_celsius: 41.5 } },
    ])
    const [first, ...others] = await list('kind=container')
    expect(others.map(({ name }: { name: string }) => name)).toEqual(['shop/web'])
    expect(first).toMatchObject({
      kind: 'container',
      name: 'db',
      values: { cpu_percent: 40 },
      present: true,
      server_id: server.id,
    })
    expect(others[0]).toMatchObject({
      id: expect.stringMatching(/^ent_/),
      attributes: { image: 'nginx:1', state: 'running' },
      values: { cpu_percent: 12.5, memory_bytes: 1024, running: 1 },
      sampled_at: iso(now),
      first_seen_at: iso(now),
    })
    expect(await names()).toEqual(['coretemp Package', 'db', 'shop/web'])
    backend.clock.advance(MINUTE)
    await pushed(now + MINUTE, [container('db', { cpu_percent: 1 }, { state: 'running' })])
    expect(await names()).toEqual(['db'])
    const gone = await list('present=false&sort=name')
    expect(gone.map(({ name, values, present }: Record<string, unknown>) => [name, values, present])).toEqual([
      ['coretemp Package', {}, false],
      ['shop/web', {}, false],
    ])
    expect(gone[1].attributes).toEqual({ image: 'nginx:1', state: 'running' })
  })

  it('stays while the server is offline, and is gone when three pushes came without any entities [ENTITY-02]', async () => {
    const now = backend.clock.now()
    await pushed(now, [container('a', { running: 1 })])
    const isThere = async () => [await names(), await names('present=false')]
    expect((await push(now + 3 * MINUTE, {})).status).toBe(202)
    backend.clock.advance(HOUR)
    expect(await isThere()).toEqual([['a'], []])
    expect((await push(now + 3 * MINUTE + 1, {})).status).toBe(202)
    expect(await isThere()).toEqual([[], ['a']])
    const { body } = await backend.call('GET', `/v1/servers/${server.id}/entities?present=false`, { as: viewer })
    const path = `/v1/servers/${server.id}/entities/${body.entities[0].id}`
    expect((await backend.call('GET', path, { as: viewer })).body).toMatchObject({ present: false, values: {} })
    await pushed(backend.clock.now(), [container('a', { running: 1 })])
    expect(await isThere()).toEqual([['a'], []])
  })

  it('is stored once, however often it is sent, and with the newest attributes whatever the order [ENTITY-03]', async () => {
    const now = backend.clock.now()
    const newer = [container('a', { restarts: 2 }, { image: 'two' })]
    const older = [container('a', { restarts: 1 }, { image: 'one' })]
    await pushed(now, newer)
    await pushed(now - 2 * MINUTE, older)
    await pushed(now, newer)
    await pushed(now - 2 * MINUTE, older)
    const [only] = await list()
    expect(only).toMatchObject({ attributes: { image: 'two' }, values: { restarts: 2 }, first_seen_at: iso(now - 2 * MINUTE) })
    const { metrics: figures } = await metrics(only.id, 'period=1h')
    expect(figures).toEqual({ restarts: { newest: 2, avg: 1.5, max: 2 } })
  })

  it('has its own instant, so that a batch that is cut into two is one reading [ENTITY-04]', async () => {
    const now = backend.clock.now()
    const state = { entities: [container('a', { restarts: 1 })], entities_at: iso(now - 5_000) }
    const head = { batch_id: randomUUID(), sent_at: iso(now), agent_version: '1' }
    const batches = [now - 10_000, now].map((at) => ({ ...head, samples: [{ at: iso(at), cpu: { percent: 1 } }], ...state }))
    expect((await backend.call('POST', '/v1/agent/metrics', { as: server.as, body: { batches } })).status).toBe(202)
    const [{ id, sampled_at }] = await list()
    expect(sampled_at).toBe(iso(now - 5_000))
    const { series } = await metrics(id, `from=${iso(now - MINUTE)}&to=${iso(now + 1)}&points=100`)
    expect(series.fields.restarts.avg.filter((value: number | null) => value !== null)).toEqual([1])
  })

  it('is ignored where its kind, attribute or field is unknown, and refused by name where it cannot be stored [ENTITY-05]', async () => {
    const now = backend.clock.now()
    await pushed(now, [
      { kind: 'satellite', name: 'x', values: { height: 1 } },
      container('a', { running: 1, flavour: 3 }, { image: 'i', colour: 'red' }),
    ])
    const [only, ...others] = await list()
    expect(others).toEqual([])
    expect(only).toMatchObject({ attributes: { image: 'i' }, values: { running: 1 } })
    const refused = await push(now + 1, {
      entities: [
        container('a', { cpu_percent: '5', memory_bytes: 2 ** 60 }, { image: 'x'.repeat(513), state: 'a\0' }),
        { kind: 'container', values: {} },
      ],
    })
    expect(refused.status).toBe(400)
    expect(refused.body.error.details).toEqual([{ path: 'entities.1.name', message: 'must be a string' }])
    const values = await push(now + 1, {
      entities: [container('a', { cpu_percent: '5', memory_bytes: 2 ** 60 }, { image: 'x'.repeat(513), state: 'a\0' })],
    })
    expect(values.body.error.details.map(({ path }: { path: string }) => path)).toEqual([
      'entities.0.attributes.image',
      'entities.0.attributes.state',
      'entities.0.values.cpu_percent',
      'entities.0.values.memory_bytes',
    ])
    const many = Array.from({ length: 1_001 }, (_, index) => container(`c${index}`, {}))
    expect((await push(now + 1, { entities: many })).body.error.details).toEqual([
      { path: 'entities', message: 'must be an array of at most 1000 entries' },
    ])
  })

  it('keeps numbers of own metrics to 15 digits [ENTITY-06]', async () => {
    await pushed(backend.clock.now(), [{ kind: 'metric', name: 'queue{name="a"}', values: { value: 1.23456789e-9 } }])
    const [{ values, id }] = await list('kind=metric')
    expect(values).toEqual({ value: 1.23456789e-9 })
    expect((await metrics(id, 'period=15m')).metrics.value).toEqual({
      newest: 1.23456789e-9,
      avg: 1.23456789e-9,
      max: 1.23456789e-9,
    })
  })

  it('reports what happened, newest first, once [ENTITY-07]', async () => {
    const now = backend.clock.now()
    const died = {
      at: iso(now - 2_000),
      kind: 'container',
      name: 'a',
      type: 'died',
      exit_code: 137,
      oom: true,
      lines: ['last words'],
    }
    const events = [died, { at: iso(now - 1_000), kind: 'container', name: 'a', type: 'unhealthy' }, { ...died, type: 'sang' }]
    for (let sent = 0; sent < 2; sent++) await pushed(now, [container('a', { running: 0 })], { entity_events: events })
    const { body } = await backend.call('GET', `/v1/servers/${server.id}/entities/${await idOf('a')}`, { as: viewer })
    expect(body.events).toEqual([
      { at: iso(now - 1_000), type: 'unhealthy', exit_code: null, oom: null, lines: [] },
      { at: iso(now - 2_000), type: 'died', exit_code: 137, oom: true, lines: ['last words'] },
    ])
  })
})

describe('lists', () => {
  it('filter by text, sort by fields, and have pages [ENTITY-08]', async () => {
    await pushed(backend.clock.now(), [
      container('web-2', { cpu_percent: 5 }, { image: 'nginx:1', project: 'Shop' }),
      container('web-10', { cpu_percent: 9 }, { image: 'nginx:2' }),
      container('db', {}, { image: 'postgres' }),
    ])
    expect(await names('kind=container&sort=name')).toEqual(['db', 'web-2', 'web-10'])
    expect(await names('kind=container&sort=cpu_percent')).toEqual(['web-2', 'web-10', 'db'])
    expect(await names('kind=container&sort=-cpu_percent&limit=1&page=2')).toEqual(['web-2'])
    expect(await names('kind=container&sort=image')).toEqual(['web-2', 'web-10', 'db'])
    expect(await names('kind=container&sort=-image')).toEqual(['db', 'web-10', 'web-2'])
    expect(await names('kind=container&sort=-project')).toEqual(['web-2', 'db', 'web-10'])
    expect(await names('q=NGINX')).toEqual(['web-2', 'web-10'])
    expect(await names('q=shop')).toEqual(['web-2'])
    expect((await list('sort=cpu_percent')).error.details).toEqual([
      { path: 'sort', message: 'must be name, or a field or attribute with kind' },
    ])
    expect((await list('kind=sensor&sort=cpu_percent')).error.details).toEqual([
      { path: 'sort', message: 'must be name or a field or attribute of sensor' },
    ])
  })

  it('count those of each kind on request, also what is gone [ENTITY-09]', async () => {
    const now = backend.clock.now()
    await pushed(now - MINUTE, [container('web', {}), container('db', {}), { kind: 'unit', name: 'ssh.service', values: {} }])
    await pushed(now, [container('web', {})])
    const read = async (query: string) =>
      (await backend.call('GET', `/v1/servers/${server.id}/entities?${query}`, { as: viewer })).body
    expect(await read('include=counts&limit=1')).toMatchObject({ total: 1, counts: { container: 2, unit: 1 } })
    expect(await read('limit=1')).not.toHaveProperty('counts')
    const other = await backend.server(organization)
    expect((await backend.call('GET', `/v1/servers/${other.id}/entities?include=counts`, { as: viewer })).body.counts).toEqual({})
  })

  it('of all servers have those of this organization alone, by tag [ENTITY-10]', async () => {
    const tag = randomUUID().slice(0, 8)
    const tagged = await backend.server(organization)
    await backend.call('PATCH', `/v1/servers/${tagged.id}`, { as: admin, body: { tags: [tag] } })
    const others = await backend.organization()
    const foreign = await backend.server(others)
    const now = backend.clock.now()
    await pushed(now, [container(`${tag}-one`, { cpu_percent: 1 })])
    await pushed(now, [container(`${tag}-two`, { cpu_percent: 2 })], {}, tagged.as)
    await pushed(now, [container(`${tag}-other`, { cpu_percent: 3 })], {}, foreign.as)
    const all = async (query: string, as: Credentials = viewer) =>
      (await backend.call('GET', `/v1/entities?${query}`, { as })).body
    const { entities, total } = await all(`kind=container&q=${tag}`)
    expect(total).toBe(2)
    expect(entities.map(({ name, server_id }: Record<string, string>) => [name, server_id])).toEqual([
      [`${tag}-two`, tagged.id],
      [`${tag}-one`, server.id],
    ])
    expect((await all(`tag=${tag}`)).entities.map(({ name }: { name: string }) => name)).toEqual([`${tag}-two`])
    const [{ id }] = entities
    for (const path of ['', `/${id}`, `/${id}/metrics`]) {
      const answer = await backend.call('GET', `/v1/servers/${tagged.id}/entities${path}`, {
        as: await backend.apiKey(others, 'read'),
      })
      expect(answer.status).toBe(404)
    }
  })

  it('show what was there at an instant, before and after the hour is compacted [ENTITY-11]', async () => {
    const start = Math.floor(backend.clock.now() / HOUR) * HOUR + HOUR
    backend.clock.advance(start + 10 * MINUTE - backend.clock.now())
    for (let minute = 0; minute < 10; minute++)
      await pushed(start + minute * MINUTE, [
        container('always', { cpu_percent: minute }),
        ...(minute < 5 ? [container('early', { cpu_percent: 50 })] : []),
      ])
    const at = async (minute: number) =>
      (await list(`kind=container&at=${iso(start + minute * MINUTE + 30_000)}`)).map(
        (one: { name: string; values: { cpu_percent: number } }) => [one.name, one.values.cpu_percent],
      )
    const expected = [
      [
        ['early', 50],
        ['always', 3],
      ],
      [['always', 7]],
    ]
    expect([await at(3), await at(7)]).toEqual(expected)
    backend.clock.advance(HOUR)
    await compactEntities(backend.pool.db, backend.clock)
    expect(await backend.pool.pg.query('select from entity_push where at >= $1', [start])).toMatchObject({ rowCount: 1 })
    expect([await at(3), await at(7)]).toEqual(expected)
    expect(await at(40)).toEqual([])
  })
})

describe('compaction', () => {
  it('loses and doubles no reading: open, by the hour, by the day, late, and sent again [ENTITY-12]', async () => {
    const start = Math.floor(backend.clock.now() / DAY) * DAY + DAY
    backend.clock.advance(start + 10_000 - backend.clock.now())
    const values = new Map<number, number>()
    const send = async (at: number, value: number) => {
      values.set(at, value)
      await pushed(at, [container('steady', { memory_bytes: value }), container(`short ${at}`, { memory_bytes: 1 })])
    }
    for (let at = start; at < start + 6 * HOUR; at += 10 * MINUTE) {
      backend.clock.advance(10 * MINUTE)
      if ((at / HOUR) % 1 !== 0) await send(at, at % 1_000_003)
      if (at % HOUR === 0) await compactEntities(backend.pool.db, backend.clock)
    }
    const id = await idOf('steady')
    const all = async () => {
      const query = `from=${iso(start)}&to=${iso(start + 6 * HOUR)}&points=1000`
      const { series, metrics: figures } = await metrics(id, query)
      const found = series.fields.memory_bytes.avg as (number | null)[]
      const steps = found.flatMap((value, step) =>
        value === null ? [] : [[Date.parse(series.from) + step * series.step_seconds * 1000, value]],
      )
      return { steps, mean: figures.memory_bytes.avg }
    }
    const expected = () => {
      const sorted = [...values].sort(([one], [other]) => one - other)
      return { steps: sorted, mean: Number((sorted.reduce((sum, [, value]) => sum + value, 0) / sorted.length).toPrecision(12)) }
    }
    expect(await all()).toEqual(expected())
    // Late ones, of an hour that is compacted, and one that was sent already.
    await send(start + HOUR, 77)
    const [firstAt, firstValue] = [...values][0] as [number, number]
    await send(firstAt, firstValue)
    expect(await all()).toEqual(expected())
    backend.clock.advance(DAY)
    await pushed(backend.clock.now(), [container('steady', { memory_bytes: 5 })])
    await compactEntities(backend.pool.db, backend.clock)
    expect(await all()).toEqual(expected())
    const merged = await backend.pool.pg.query(
      `select count(*)::int as chunks, bool_and(is_merged) as merged from entity_chunk
       join entity using (organization, server) where entity.number = entity_chunk.entity and name = 'steady' and day = $1::date`,
      [iso(start).slice(0, 10)],
    )
    expect(merged.rows).toEqual([{ chunks: 1, merged: true }])
    // A day that was merged gets one more, is merged again, and twice is as good as once.
    await send(start + 2 * HOUR, 99)
    await pushed(backend.clock.now() + 1_000, [container('steady', { memory_bytes: 5 })])
    for (let run = 0; run < 2; run++) await compactEntities(backend.pool.db, backend.clock)
    expect(await all()).toEqual(expected())
  })

  it('by two processes at once takes each reading once [ENTITY-13]', async () => {
    const start = Math.floor(backend.clock.now() / HOUR) * HOUR
    backend.clock.advance(30 * MINUTE)
    for (let minute = 0; minute < 20; minute++) await pushed(start + minute * MINUTE, [container('a', { restarts: 1 })])
    backend.clock.advance(2 * HOUR)
    await pushed(backend.clock.now(), [container('a', { restarts: 1 })])
    await Promise.all([1, 2, 3].map(() => compactEntities(backend.pool.db, backend.clock)))
    const { series } = await metrics(await idOf('a'), `from=${iso(start)}&to=${iso(start + HOUR)}&points=1000`)
    expect(series.fields.restarts.avg.filter((value: number | null) => value !== null)).toHaveLength(20)
  })
})

describe('the end', () => {
  it('of a server takes its entities along, and past the retention they go by themselves [ENTITY-14]', async () => {
    const now = backend.clock.now()
    await pushed(now, [container('a', {})], { entity_events: [{ at: iso(now), kind: 'container', name: 'a', type: 'died' }] })
    const other = await backend.server(organization)
    await pushed(now, [container('kept', {})], {}, other.as)
    const count = async () =>
      (
        await backend.pool.pg.query(`select count(*)::int as n from entity where name in ('a', 'kept') and first_seen = $1`, [
          now,
        ])
      ).rows[0].n
    expect(await count()).toBe(2)
    await backend.call('DELETE', `/v1/servers/${server.id}`, { as: admin })
    expect(await count()).toBe(1)
    await deleteEntitiesBefore(backend.pool.db, now + 1)
    expect(await count()).toBe(0)
  })

  it('is 50,000 different entities of a server: what is new beyond is not stored, what is known goes on [ENTITY-15]', async () => {
    await pushed(backend.clock.now(), [container('known', { restarts: 1 })])
    await backend.pool.pg.query(
      `insert into entity select organization, server, 1 + n, gen_random_uuid(), 1, 'old ' || n, '{}', 0, 0, $2
       from entity, generate_series(1, 49999) as n where name = 'known' and first_seen = $1`,
      [backend.clock.now(), backend.clock.now()],
    )
    await pushed(backend.clock.now() + 1, [container('known', { restarts: 2 }), container('one too many', {})])
    const now = await list('kind=container&limit=100')
    expect(now.map(({ name, values }: Record<string, unknown>) => [name, values])).toEqual([['known', { restarts: 2 }]])
  })
})
