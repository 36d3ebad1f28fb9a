import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Credentials, TestBackend, TestOrganization } from '../../../../test/harness.ts'
import { compactEntities } from '../../../hosts/entities/index.ts'
import { compactSeries } from '../../../hosts/series/index.ts'
import { createExport, push, readAll, SETTLED_MS, startReceiver, startScene, stateOf, write } from './scene.ts'

const HOUR = 3_600_000

let backend: TestBackend
let other: TestBackend
let port: number
beforeAll(async () => {
  backend = await startScene()
  other = await startScene({ databaseUrl: backend.databaseUrl, clock: backend.clock })
  port = await backend.listen()
})
afterAll(async () => {
  await other.close()
  await backend.close()
})

let organization: TestOrganization
let target: TestOrganization
let as: Credentials
let sender: Credentials
let agent: { id: string; as: Credentials }
beforeEach(async () => {
  // Those of other tests.
  await backend.pool.pg.query('delete from metric_export')
  organization = await backend.organization()
  target = await backend.organization()
  as = await backend.member(organization, 'owner')
  sender = await backend.apiKey(organization, 'ingest')
  agent = await backend.server(organization)
})

const send = async (by = backend) => {
  backend.clock.advance(SETTLED_MS)
  await by.jobs.sendExports()
}
const to = async (receiver: TestOrganization, more: object = {}, by = as) =>
  createExport(backend, by, {
    url: `http://127.0.0.1:${port}/v1/prometheus/api/v1/write`,
    headers: await backend.apiKey(receiver, 'ingest'),
    ...more,
  })
const read = async (path: string, by: TestOrganization, parameters: Record<string, string> = {}) => {
  const search = new URLSearchParams(parameters).toString()
  return (await backend.call('GET', `/v1/prometheus/api/v1/${path}?${search}`, { as: await backend.apiKey(by, 'read') })).body
    .data
}
const ENTITIES = [
  {
    kind: 'container',
    name: 'web',
    attributes: { image: 'nginx:1.27', project: 'shop' },
    values: { cpu_percent: 3.5, memory_bytes: 123_456_789, running: 1 },
  },
  { kind: 'disk', name: '/dev/sda', attributes: { model: 'x' }, values: { temperature_celsius: 41, power_on_hours: 12 } },
  { kind: 'metric', name: 'queue_length{queue="mail"}', values: { value: 17.25 } },
]
const requests = (values: readonly (number | undefined)[], code = '200') => ({
  labels: { __name__: 'http_requests_total', job: 'shop/api', instance: 'a:1', code, zone: 'wéb' },
  samples: values.map((value, index) => [backend.clock.now() - (values.length - index) * 1_000, value] as const),
})
const COUNTER = { name: 'http_requests_total', type: 'counter', unit: '', help: 'Requests.' }

describe('an export of all samples', () => {
  it('by remote write brings entities and own metrics of hosts as the source has them', async () => {
    const id = await to(target)
    await push(backend, agent.as, 1, 1, ENTITIES)
    backend.clock.advance(60_000)
    await push(backend, agent.as, 1, 2, ENTITIES)
    await send()
    expect(await stateOf(backend, as, id)).toMatchObject({ last_error: null, samples_dropped: 0, samples_skipped: 0 })
    const source = await readAll(backend, organization, `{server_id="${agent.id}"}`)
    const names = Object.keys(source).join()
    for (const name of ['container_memory_working_set_bytes', 'vedette_disk_power_on_seconds', 'queue_length', 'nginx:1.27'])
      expect(names).toContain(name)
    expect(await readAll(backend, target, `{server_id="${agent.id}"}`)).toEqual(source)
  })

  it('by remote write brings received series as they came, with what is known of their names, and where they end', async () => {
    const id = await to(target, { samples: ['series'] })
    await push(backend, agent.as)
    await write(backend, sender, [requests([1, 2.5, 1e-9]), requests([4, undefined], '500')], { families: [COUNTER] })
    await send()
    const selector = '{__name__="http_requests_total"}'
    const source = await readAll(backend, organization, selector)
    expect(Object.values(source).map((own) => own.map(([, value]) => value))).toEqual([['1', '2.5', '1e-09'], ['4']])
    expect(await readAll(backend, target, selector)).toEqual(source)
    expect((await stateOf(backend, as, id)).samples_sent).toBe(5)
    expect(await read('metadata', target)).toMatchObject({ http_requests_total: [{ type: 'counter', help: 'Requests.' }] })
    // Without the marker the last value would stand for five minutes.
    const now = { query: selector, time: String(backend.clock.now() / 1_000) }
    for (const own of [organization, target])
      expect((await read('query', own, now)).result.map(({ metric }: { metric: { code: string } }) => metric.code)).toEqual([
        '200',
      ])
    expect(await readAll(backend, target, '{server_id!=""}')).toEqual({})
  })

  it('by OTLP brings the same series, with job and instance as those of a resource', async () => {
    const url = `http://127.0.0.1:${port}/v1/otlp/v1/metrics`
    const id = await to(target, { kind: 'otlp', url })
    const parts = ['bucket', 'sum', 'count'].map((part) => ({
      labels: { __name__: `wait_seconds_${part}`, job: 'shop/api', instance: 'a:1', ...(part === 'bucket' && { le: '0.5' }) },
      samples: [[backend.clock.now() - 2_000, 3] as const],
    }))
    const families = [COUNTER, { ...COUNTER, name: 'wait_seconds', type: 'histogram' }]
    await write(backend, sender, [requests([1, 2.5]), requests([4, undefined], '500'), ...parts], { families })
    await push(backend, agent.as, 1, 1, ENTITIES)
    await send()
    expect(await stateOf(backend, as, id)).toMatchObject({ last_error: null, samples_dropped: 0 })
    const source = await readAll(backend, organization, '{job="shop/api"}')
    expect(Object.keys(source)).toHaveLength(5)
    expect(await readAll(backend, target, '{job="shop/api"}')).toEqual(source)
    const now = { query: 'http_requests_total', time: String(backend.clock.now() / 1_000) }
    expect((await read('query', target, now)).result.map(({ metric }: { metric: { code: string } }) => metric.code)).toEqual([
      '200',
    ])
    expect(await read('metadata', target)).toMatchObject({ http_requests_total: [{ type: 'counter' }] })
    const valuesOf = async (selector: string) =>
      Object.values(await readAll(backend, target, selector))
        .flat()
        .map(([, value]) => value)
    const ofHost = `job="vedette",instance="${agent.id}"`
    expect(await valuesOf(`vedette_container_memory_bytes{${ofHost},name="web",image="nginx:1.27"}`)).toEqual(['123456789'])
    expect(await valuesOf(`vedette_disk_power_on_hours{${ofHost},name="/dev/sda"}`)).toEqual(['12'])
    expect(await valuesOf(`queue_length{${ofHost},queue="mail"}`)).toEqual(['17.25'])
  })
})

describe('what an export sends', () => {
  const selector = '{__name__=~"vedette_cpu_percent|container_memory_working_set_bytes|http_requests_total"}'
  const namesAtTarget = async () =>
    Object.keys(await readAll(backend, target, selector))
      .map((key) => (JSON.parse(key) as [string, string][]).find(([label]) => label === '__name__')?.[1] ?? '')
      .toSorted()
  const everything = async (value: number) => {
    await push(backend, agent.as, 1, value, ENTITIES)
    await write(backend, sender, [requests([value])])
  }

  it.each([
    [['hosts'], ['vedette_cpu_percent']],
    [['entities'], ['container_memory_working_set_bytes']],
    [
      ['series', 'hosts'],
      ['http_requests_total', 'vedette_cpu_percent'],
    ],
  ])('is chosen: %j', async (samples, names) => {
    const id = await to(target, { samples })
    await everything(1)
    await send()
    expect(await namesAtTarget()).toEqual(names)
    expect((await backend.call('GET', `/v1/exports/${id}`, { as })).body.samples).toEqual(samples.toSorted())
  })

  it('begins when it is chosen, and ends when it is not', async () => {
    const id = await to(target, { samples: ['hosts'] })
    await everything(1)
    await send()
    const choose = (samples: readonly string[]) => backend.call('PATCH', `/v1/exports/${id}`, { as, body: { samples } })
    expect((await choose(['series'])).body.samples).toEqual(['series'])
    await send()
    expect(await namesAtTarget()).toEqual(['vedette_cpu_percent'])
    await everything(2)
    await send()
    expect(await namesAtTarget()).toEqual(['http_requests_total', 'vedette_cpu_percent'])
    expect(Object.values(await readAll(backend, target, 'http_requests_total')).flat()).toHaveLength(1)
    expect(Object.values(await readAll(backend, target, 'vedette_cpu_percent')).flat()).toHaveLength(1)
    for (const samples of [[], ['all'], ['hosts', 'hosts']]) expect((await choose(samples)).status).toBe(400)
  })

  it('does not go round: what an own export has sent is stored, and sent no further', async () => {
    const back = await to(organization, {}, await backend.member(target, 'owner'))
    const id = await to(target)
    await everything(1)
    await send()
    const own = (await stateOf(backend, as, id)).samples_sent
    for (let round = 0; round < 3; round++) await send()
    const sent = (await stateOf(backend, as, id)).samples_sent
    const returned = (await stateOf(backend, await backend.member(target, 'owner'), back)).samples_sent
    // All of it has come back once, and there it ends.
    expect([sent, returned]).toEqual([own, own])
    expect(sent).toBeGreaterThan(10)
    const { rows } = await backend.pool.pg.query(
      'select export_path from series_push where organization = $1 order by received_at',
      [organization.number],
    )
    expect(new Set(rows.map(({ export_path: path }: { export_path: string }) => path.split(',').length))).toEqual(new Set([1, 2]))
  })

  it('goes on through another organization to a third', async () => {
    const third = await backend.organization()
    await to(third, {}, await backend.member(target, 'owner'))
    await to(target)
    await everything(1)
    for (let round = 0; round < 2; round++) await send()
    const source = await readAll(backend, organization, 'http_requests_total')
    expect(Object.keys(source)).toHaveLength(1)
    expect(await readAll(backend, third, 'http_requests_total')).toEqual(source)
  })
})

describe('what a receiver missed', () => {
  const compacted = async (table: string) => {
    const { rows } = await backend.pool.pg.query(
      `select count(*)::int as count from ${table} where organization = $1 and is_compacted`,
      [organization.number],
    )
    return rows[0].count
  }
  const compact = async () => {
    await compactSeries(backend.pool.db, backend.clock)
    await compactEntities(backend.pool.db, backend.clock)
  }

  it('is sent after its compaction too, and kept no longer than it is needed', async () => {
    const receiver = await startReceiver()
    const id = await createExport(backend, as, { url: receiver.url })
    receiver.answer.status = 503
    await push(backend, agent.as, 1, 1, ENTITIES)
    await write(backend, sender, [requests([1, 2])])
    await send()
    backend.clock.advance(3 * HOUR)
    // The newest reading of a host is not compacted.
    await push(backend, agent.as, 1, 2, ENTITIES)
    await compact()
    expect([await compacted('series_push'), await compacted('entity_push')]).toEqual([1, 1])
    const selector = '{__name__=~"http_requests_total|queue_length"}[6h]'
    const counts = async () => {
      const { result } = await read('query', organization, { query: selector, time: String(backend.clock.now() / 1_000) })
      return result.map(({ values }: { values: unknown[] }) => values.length)
    }
    expect(await counts()).toEqual([2, 2])
    receiver.answer.status = 204
    receiver.received.length = 0
    for (let times = 0; times < 3; times++) await send()
    const bodies = receiver.received.map(({ body }) => body.toString('latin1')).join('')
    expect([bodies.split('http_requests_total').length - 1, bodies.includes('queue_length')]).toEqual([1, true])
    expect(await stateOf(backend, as, id)).toMatchObject({ last_error: null, samples_skipped: 0 })
    await compact()
    expect([await compacted('series_push'), await compacted('entity_push')]).toEqual([0, 0])
    expect(await counts()).toEqual([2, 2])
    await receiver.close()
  })

  it('is given up after two days, and it is said so', async () => {
    const receiver = await startReceiver()
    const id = await createExport(backend, as, { url: receiver.url, samples: ['series'] })
    receiver.answer.status = 503
    await write(backend, sender, [requests([1, 2, 3])])
    await send()
    await backend.pool.pg.query('update metric_export set series_cursor_received_at = series_cursor_received_at - $1', [
      72 * HOUR,
    ])
    await backend.pool.pg.query('update series_push set received_at = received_at - $1', [72 * HOUR])
    backend.clock.advance(3 * HOUR)
    await compact()
    await compact()
    expect(await compacted('series_push')).toBe(0)
    receiver.answer.status = 204
    await send()
    const state = await stateOf(backend, as, id)
    expect(state.last_error).toMatch(/^what was received from .* to .* is not sent: about \d+ samples of series$/)
    expect(state.samples_sent).toBe(0)
    await receiver.close()
  })

  it('is counted value by value while it is given up, and what comes next does not take the words away', async () => {
    const receiver = await startReceiver()
    const id = await createExport(backend, as, { url: receiver.url, samples: ['entities', 'series'] })
    receiver.answer.status = 503
    // Of another organization, what has come back, and two that wait.
    await write(backend, await backend.apiKey(target, 'ingest'), [requests([1])])
    await write(backend, sender, [requests([9])], { exportPath: organization.id })
    await write(backend, sender, [requests([1, 2, 3])])
    await push(backend, agent.as, 1, 1, ENTITIES)
    backend.clock.advance(20 * 60_000)
    await write(backend, sender, [requests([4, 5])])
    await send()
    const startMs = backend.clock.now()
    const words = (from: string, to: string, count: string) =>
      `what was received from ${from} to ${to} was no longer stored push by push, and is not sent: ${count}`
    // At 48 h the first is given up and the second is not, then both are.
    backend.clock.advance(48 * HOUR - 10 * 60_000)
    await send()
    // Sessions end meanwhile.
    as = await backend.member(organization, 'owner')
    const first = await stateOf(backend, as, id)
    expect(first.samples_skipped).toBeGreaterThan(3)
    expect(first.last_error).toMatch(/: 3 samples of series; the receiver answered 503; it is sent again$/)
    backend.clock.advance(20 * 60_000)
    await compact()
    await send()
    const both = await stateOf(backend, as, id)
    expect(both.samples_skipped - first.samples_skipped).toBe(2)
    receiver.answer.status = 204
    await write(backend, sender, [requests([6])])
    await send()
    const sent = await stateOf(backend, as, id)
    const [series] = sent.last_error.match(/what was received from [^;]* samples of series$/)
    const [from, to] = series.match(/\d{4}-\S+Z/g)
    expect(series).toBe(words(from, to, '5 samples of series'))
    expect(Date.parse(from)).toBeLessThan(startMs - 20 * 60_000)
    expect(sent.last_error).toMatch(/and is not sent: [1-9]\d* values of entities; what was/)
    expect(sent).toMatchObject({ samples_sent: 1, samples_skipped: both.samples_skipped })
    // A change of the export may have mended it: the words go, the count stays.
    await backend.call('PATCH', `/v1/exports/${id}`, { as, body: { name: 'mended' } })
    expect(await stateOf(backend, as, id)).toMatchObject({ last_error: null, samples_skipped: both.samples_skipped })
    await receiver.close()
  })

  it('goes on within a push in another process, each value once', async () => {
    const receiver = await startReceiver()
    await createExport(backend, as, { url: receiver.url, samples: ['series'] })
    const names = Array.from({ length: 50 }, (_, index) => `many_${index}`)
    const at = backend.clock.now() - 200_000
    const samples = Array.from({ length: 100 }, (_, index) => [at + index * 1_000, index] as const)
    await write(
      backend,
      sender,
      names.map((name) => ({ labels: { __name__: name, job: 'many' }, samples })),
    )
    backend.clock.advance(SETTLED_MS)
    const sendThrough = async (by: TestBackend, posts: number) => {
      // The rest of the run is refused.
      receiver.answer.status = 204
      const before = receiver.received.length
      receiver.onReceived = () => {
        if (receiver.received.length - before >= posts) receiver.answer.status = 503
      }
      await by.jobs.sendExports()
    }
    await sendThrough(backend, 1)
    const { rows } = await backend.pool.pg.query('select series_cursor_values as values from metric_export')
    expect(rows).toEqual([{ values: 2_000 }])
    await sendThrough(other, 100)
    const { rows: after } = await backend.pool.pg.query(
      'select series_cursor_values as values, samples_sent::int as sent from metric_export',
    )
    expect(after).toEqual([{ values: 0, sent: 5_000 }])
    await receiver.close()
  })
})
