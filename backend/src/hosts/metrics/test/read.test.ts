import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Ref, ServerList, ServerMetrics } from '@vedette/shared'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { SCHEMAS } from '../../../operating/openapi/index.ts'
import { buildLazySerializer } from '../../../platform/http/lazy-serializer.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

describe('metrics of stored samples', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let viewer: { authorization: string }
  beforeAll(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
    viewer = await backend.member(organization, 'viewer')
  })
  afterAll(() => backend.close())

  const iso = (ms: number) => new Date(ms).toISOString()
  const get = async (url: string) => (await backend.call('GET', url, { as: viewer })).body
  const push = (as: object, samples: object[], more: object = {}) =>
    backend.call('POST', '/v1/agent/metrics', {
      as,
      body: { batch_id: randomUUID(), sent_at: iso(backend.clock.now()), agent_version: '0.1.0', samples, ...more },
    })

  describe('GET /v1/servers/:id/metrics', () => {
    let id: string
    let now: number
    beforeAll(async () => {
      const server = await backend.server(organization)
      id = server.id
      now = backend.clock.now()
      // One sample a minute over three hours; percent is the age in minutes modulo 100.
      for (let age = 179; age >= 0; age -= 10) {
        const ages = Array.from({ length: 10 }, (_, index) => age - index)
        await push(
          server.as,
          ages.map((minutes) => ({
            at: iso(now - minutes * MINUTE),
            cpu: { percent: minutes % 100, cores: 4, load_1: 0.25 },
            memory: { used_bytes: 1000 + minutes, total_bytes: 8_000_000_000_000, percent: 50.5, swap_percent: 0 },
            disk: { read_iops: minutes / 3, usage_percent: 70.07 },
            network: { rx_bytes_per_sec: 1_000.5, tx_bytes_per_sec: 3, active_connections: 9 },
            ...(minutes === 5 ? { tcp: { established: 8, time_wait: 2, retransmits_per_sec: 0.125 } } : {}),
          })),
        )
      }
    })

    it('gives all groups of the last hour by default [METRIC-01, METRIC-03, METRIC-06]', async () => {
      const { metrics, ...head } = await get(`/v1/servers/${id}/metrics`)
      expect(head).toEqual({ server_id: id, period: '1h' })
      expect(Object.keys(metrics).sort()).toEqual(['cpu', 'disk', 'memory', 'network', 'tcp'])
    })

    it('gives the newest, mean and largest percentage of the period [METRIC-07, METRIC-08, METRIC-09]', async () => {
      const { metrics } = await get(`/v1/servers/${id}/metrics`)
      expect(metrics.cpu).toMatchObject({ current_percent: 0, avg_percent: 30, max_percent: 60 })
    })

    it('gives the newest value of gauges and the mean of rates, of disk and network as an integer [METRIC-10, METRIC-11, METRIC-12]', async () => {
      const { cpu, memory, disk, network, tcp } = (await get(`/v1/servers/${id}/metrics`)).metrics
      expect(cpu).toMatchObject({ cores: 4, load_1: 0.25 })
      expect(memory).toMatchObject({ used_bytes: 1000, total_bytes: 8_000_000_000_000, percent: 50.5, swap_percent: 0 })
      expect(disk).toMatchObject({ read_iops: 10, usage_percent: 70.07 })
      expect(network).toMatchObject({ rx_bytes_per_sec: 1001, tx_bytes_per_sec: 3, active_connections: 9 })
      expect(tcp).toMatchObject({ established: 8, time_wait: 2, retransmits_per_sec: 0.125 })
    })

    it('gives null for fields that no sample has [WIRE-19]', async () => {
      const { cpu, memory, disk, tcp } = (await get(`/v1/servers/${id}/metrics`)).metrics
      const absent = [cpu.steal_percent, memory.swap_used_bytes, disk.write_iops, tcp.syn_sent]
      expect(absent).toEqual([null, null, null, null])
    })

    it.each([
      ['15m', 15],
      ['1h', 60],
      ['6h', 179],
      ['24h', 179],
      ['7d', 179],
    ])('%s holds what was measured in it [METRIC-02, METRIC-04, METRIC-08]', async (period, oldest) => {
      const { metrics } = await get(`/v1/servers/${id}/metrics?period=${period}&metrics=cpu`)
      const values = Array.from({ length: oldest + 1 }, (_, minutes) => minutes % 100)
      expect(metrics.cpu.avg_percent).toBe(values.reduce((sum, value) => sum + value, 0) / values.length)
      expect(metrics.cpu.max_percent).toBe(Math.max(...values))
    })

    it('holds the groups that were asked for, and none without a sample in the period [METRIC-04, METRIC-05, METRIC-13]', async () => {
      expect(Object.keys((await get(`/v1/servers/${id}/metrics?metrics=network,cpu`)).metrics).sort()).toEqual(['cpu', 'network'])
      backend.clock.advance(10 * MINUTE)
      expect(Object.keys((await get(`/v1/servers/${id}/metrics?period=15m`)).metrics).sort()).toEqual([
        'cpu',
        'disk',
        'memory',
        'network',
        'tcp',
      ])
      backend.clock.advance(2 * MINUTE)
      expect(Object.keys((await get(`/v1/servers/${id}/metrics?period=15m`)).metrics).sort()).toEqual([
        'cpu',
        'disk',
        'memory',
        'network',
      ])
      backend.clock.advance(HOUR)
      expect((await get(`/v1/servers/${id}/metrics`)).metrics).toEqual({})
      backend.clock.advance(-HOUR - 12 * MINUTE)
    })

    const seriesOf6h = async () => (await get(`/v1/servers/${id}/metrics?period=6h&metrics=cpu&points=80`)).series

    it('adds a series of the smallest step that fits [METRIC-14, METRIC-15, METRIC-17]', async () => {
      const series = await seriesOf6h()
      expect(series).toMatchObject({ step_seconds: 300, points: 72 })
      const { avg, max } = series.cpu.percent
      expect([avg.length, max.length]).toEqual([72, 72])
    })

    it('aligns the series to its step, with gaps as null [METRIC-18, METRIC-19]', async () => {
      const series = await seriesOf6h()
      expect(Date.parse(series.from) % 300_000).toBe(0)
      const { avg, max } = series.cpu.percent
      expect(avg.slice(0, 35)).toEqual(Array(35).fill(null))
      expect(avg.at(-1)).not.toBeNull()
      expect(max.at(-2)).toBeGreaterThan(avg.at(-2))
    })

    it.each([
      ['period=2h', 'period'],
      ['metrics=gpu', 'metrics'],
      ['metrics=', 'metrics'],
      ['points=9', 'points'],
      ['points=1001', 'points'],
      ['points=ten', 'points'],
    ])('refuses %s by name [METRIC-02, METRIC-14]', async (query, path) => {
      const { status, body } = await backend.call('GET', `/v1/servers/${id}/metrics?${query}`, { as: viewer })
      expect([status, body.error.details[0].path]).toEqual([400, path])
    })
  })

  it('counts an instant once: of two values the one received first stands [PUSH-16, PUSH-19, PUSH-20]', async () => {
    const server = await backend.server(organization)
    const now = backend.clock.now()
    const at = (seconds: number, percent: number) => ({ at: iso(now - seconds * 1_000), cpu: { percent } })
    await push(server.as, [at(20, 10), at(10, 20), at(10, 99)])
    backend.clock.advance(1_000)
    await push(server.as, [at(15, 60), at(10, 100), at(0, 30)])
    const { cpu } = (await get(`/v1/servers/${server.id}/metrics?metrics=cpu`)).metrics
    expect(cpu).toMatchObject({ avg_percent: 30, max_percent: 60, current_percent: 30 })
  })

  it('shows the newest sample of a server, also when an older one comes after it [SERVER-04]', async () => {
    const server = await backend.server(organization)
    const now = backend.clock.now()
    await push(server.as, [{ at: iso(now), cpu: { percent: 42, cores: 2 }, network: { rx_bytes_per_sec: 7.6 } }])
    await push(server.as, [{ at: iso(now - HOUR), cpu: { percent: 1 } }])
    const { metrics } = await get(`/v1/servers/${server.id}`)
    expect(metrics).toMatchObject({
      sampled_at: iso(now),
      cpu: { percent: 42, cores: 2, load_1: null },
      network: { rx_bytes_per_sec: 8 },
    })
    expect(Object.keys(metrics).sort()).toEqual(['cpu', 'network', 'sampled_at'])
  })

  it('shows the newest filesystems and interfaces of a server, on every backend [PUSH-06, PUSH-07, PUSH-08]', async () => {
    const server = await backend.server(organization)
    const now = backend.clock.now()
    const filesystems = [{ mount: '/', fs_type: 'ext4', used_bytes: 5, total_bytes: 10, percent: 50 }]
    const interfaces = [{ name: 'eth0', rx_bytes_per_sec: 1.5, tx_bytes_per_sec: null }]
    await push(server.as, [{ at: iso(now), cpu: { percent: 42 } }], { filesystems, interfaces })
    await push(server.as, [{ at: iso(now - HOUR), cpu: { percent: 1 } }], { filesystems: [] })
    const details = await get(`/v1/servers/${server.id}`)
    expect(details).toMatchObject({ filesystems, interfaces, status: 'online', last_seen_at: iso(now) })
    await backend.vedette.flushAll()
    const other = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    const again = await other.call('GET', `/v1/servers/${server.id}`, { as: await backend.apiKey(organization, 'read') })
    expect(again.body).toEqual(details)
    await other.close()
  })

  describe('a list of servers', () => {
    let reader: object
    beforeAll(async () => {
      const fleet = await backend.organization('Fleet')
      reader = await backend.apiKey(fleet, 'read')
      for (const percent of [30, 90, undefined, 60]) {
        const server = await backend.server(fleet)
        if (percent === undefined) continue
        const sample = (at: number) => ({
          at: iso(at),
          cpu: { percent },
          memory: { percent: 100 - percent },
          disk: { usage_percent: percent },
        })
        await push(server.as, [sample(backend.clock.now() - 3 * HOUR), sample(backend.clock.now())])
      }
    })

    it.each([
      ['sort=cpu', [30, 60, 90, undefined]],
      ['sort=-cpu', [90, 60, 30, undefined]],
      ['sort=memory&limit=2', [90, 60]],
      ['sort=-disk&limit=2&page=2', [30, undefined]],
    ])('with %s has the newest samples %j [LIST-14, LIST-16, LIST-17]', async (query, loads) => {
      const { body } = await backend.call('GET', `/v1/servers?include=metrics&${query}`, { as: reader })
      const percents = body.servers.map(({ metrics }: { metrics: { cpu: { percent: number } } | null }) => metrics?.cpu.percent)
      expect(percents).toEqual(loads)
    })

    it('has hourly means of cpu and memory if the query includes sparklines [LIST-18]', async () => {
      const { body } = await backend.call('GET', '/v1/servers?include=sparkline,metrics&sort=cpu&limit=1', { as: reader })
      const { sparkline } = body.servers[0]
      expect(sparkline).toMatchObject({ step_seconds: 3600 })
      expect(sparkline.cpu_percent).toHaveLength(24)
      expect(sparkline.cpu_percent.filter((value: number | null) => value !== null)).toEqual([30, 30])
      expect(sparkline.memory_percent.at(-1)).toBe(70)
    })
  })

  it('answers that are serialized without their schema are what the schema would make of them [LIST-01, WIRE-03]', async () => {
    const schemas = Object.fromEntries(SCHEMAS.map((schema) => [(schema as { $id?: string }).$id, schema]))
    const compile = buildLazySerializer(schemas, {})
    const { id, as } = await backend.server(organization)
    await push(as, [{ at: iso(backend.clock.now()), cpu: { percent: 12.5, cores: 4 }, disk: { usage_percent: 40 } }], {
      filesystems: [{ mount: '/', fs_type: 'ext4', used_bytes: 4, total_bytes: 10, percent: 40 }],
    })
    const page = await get('/v1/servers?include=metrics,sparkline')
    expect(page.servers[0].metrics.cpu).toMatchObject({ percent: 12.5, cores: 4 })
    const byMount = await get(`/v1/servers/${id}/metrics?metrics=disk&by=mount&points=20`)
    for (const [schema, answer] of [
      [ServerList, page],
      [ServerMetrics, await get(`/v1/servers/${id}/metrics?period=24h&points=20`)],
      [ServerMetrics, byMount],
    ] as const)
      expect(JSON.stringify(answer)).toBe(compile({ schema: Ref(schema), method: 'GET', url: '', httpStatus: '200' })(answer))
  })

  describe('the status of a server', () => {
    const statusOf = async (from: TestBackend, id: string, as: object) =>
      (await from.call('GET', `/v1/servers/${id}`, { as })).body.status

    it('is online until three push intervals after the last accepted push, in details, list, filter and total alike [SERVER-02, SERVER-14, SERVER-15]', async () => {
      const own = await backend.organization('Own')
      const reader = await backend.apiKey(own, 'read')
      const server = await backend.server(own)
      const seen = async () => {
        const list = async (status: string) =>
          (await backend.call('GET', `/v1/servers?status=${status}`, { as: reader })).body.total
        return [await statusOf(backend, server.id, reader), await list('online'), await list('offline')]
      }
      expect(await seen()).toEqual(['offline', 0, 1])
      await push(server.as, [{ at: iso(backend.clock.now()), cpu: { percent: 1 } }])
      backend.clock.advance(179_999)
      expect(await seen()).toEqual(['online', 1, 0])
      backend.clock.advance(1)
      expect(await seen()).toEqual(['offline', 0, 1])
      // A push that brings nothing new is a sign of life too.
      await push(server.as, [{ at: iso(backend.clock.now() - 180_000), cpu: { percent: 1 } }])
      await backend.vedette.flush()
      expect(await seen()).toEqual(['online', 1, 0])
    })

    it('does not become offline for the time in which the backend did not run [SERVER-16]', async () => {
      const own = await backend.organization('Away')
      const reader = await backend.apiKey(own, 'read')
      const [silent, lively] = [await backend.server(own), await backend.server(own)]
      await push(silent.as, [{ at: iso(backend.clock.now()), cpu: { percent: 1 } }])
      backend.clock.advance(600_000)
      await push(lively.as, [{ at: iso(backend.clock.now()), cpu: { percent: 1 } }])
      const aliveBeforeMs = backend.clock.now() + 10_000
      backend.clock.advance(3_600_000)
      const uptime = { startedAtMs: backend.clock.now(), aliveBeforeMs }
      const restarted = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock, uptime })
      const both = async () => [await statusOf(restarted, silent.id, reader), await statusOf(restarted, lively.id, reader)]
      expect(await both()).toEqual(['offline', 'online'])
      backend.clock.advance(179_999)
      expect(await both()).toEqual(['offline', 'online'])
      backend.clock.advance(1)
      expect(await both()).toEqual(['offline', 'offline'])
      await restarted.close()
    })
  })
})
