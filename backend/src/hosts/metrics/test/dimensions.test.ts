import { randomUUID } from 'node:crypto'
import { MAX_DIMENSIONS } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isWhole } from '../../../../test/deal.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { compactSamples, keepPartitions } from '../index.ts'
import { parseId } from '../../../platform/ids.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { createBoots } from '../ingest/boots.ts'
import { createDimensions, MAX_WAITING_SAMPLES } from '../ingest/dimensions.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let backend: TestBackend
let second: TestBackend
let organization: TestOrganization
let viewer: Credentials
let server: { id: string; as: Credentials }
beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.parse('2026-11-20T00:40:10.000Z') })
  second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
  organization = await backend.organization()
  viewer = await backend.apiKey(organization, 'read')
})
afterAll(async () => {
  await second.close()
  await backend.close()
})
beforeEach(async () => void (server = await backend.server(organization)))

const iso = (ms: number) => new Date(ms).toISOString()
const disk = (mount: string, used: number) => ({
  mount,
  fs_type: 'ext4',
  used_bytes: used,
  total_bytes: 1_000_000,
  percent: used / 10_000,
})
const nic = (name: string, rx: number | null) => ({ name, rx_bytes_per_sec: rx, tx_bytes_per_sec: 2.5 })

async function push(atMs: number, state: object, on = backend, as = server.as, more = {}) {
  const samples = [atMs - 10_000, atMs].map((at) => ({ at: iso(at), cpu: { percent: 5 }, disk: { usage_percent: 7 } }))
  const head = { batch_id: randomUUID(), sent_at: iso(backend.clock.now()), agent_version: '1' }
  const answer = await on.call('POST', '/v1/agent/metrics', { as, body: { ...head, samples, ...state, ...more } })
  expect(answer.status).toBe(202)
  return answer.body
}

const read = (query: string, as = viewer, id = server.id) => backend.call('GET', `/v1/servers/${id}/metrics?${query}`, { as })
const mounts = async (query = 'period=1h') => (await read(`metrics=disk&by=mount&${query}`)).body

describe('the first pushes of a fleet', () => {
  const HOSTS = isWhole ? 200 : 40
  const state = (host: number) => ({ filesystems: [disk('/', 1), disk(`/srv/${host}`, 2)], interfaces: [nic('eth0', 1)] })

  it('give each host its slots and its boot', async () => {
    const hosts = await Promise.all(Array.from({ length: HOSTS }, () => backend.server(organization)))
    const at = backend.clock.now()
    const answers = await Promise.all(
      hosts.map(({ as }, index) => push(at, state(index), backend, as, { boot_id: `boot ${index}` })),
    )
    expect(answers.every(({ accepted }) => accepted === 2)).toBe(true)
    const { rows } = await backend.pool.pg.query(
      `select count(*)::int as slots, count(distinct server)::int as servers from metric_dimension
       join server on server.organization = metric_dimension.organization and server.number = metric_dimension.server
       where server.boot_id like 'boot %'`,
    )
    expect(rows).toEqual([{ slots: 3 * HOSTS, servers: HOSTS }])
    const last = hosts.at(-1) as (typeof hosts)[number]
    const { body } = await read('metrics=disk&by=mount&period=1h', viewer, last.id)
    expect(body.by_mount.map(({ mount }: { mount: string }) => mount)).toEqual(['/', `/srv/${HOSTS - 1}`])
  })

  it('share transactions', async () => {
    const hosts = await Promise.all(Array.from({ length: HOSTS }, () => backend.server(organization)))
    const { rows } = await backend.pool.pg.query<{ organization: number; id: string }>(
      'select organization, id from server where id = any ($1)',
      [hosts.map(({ id }) => parseId('server', id))],
    )
    const dimensions = createDimensions({ pool: backend.pool, clock: backend.clock, retentionMs: 400 * DAY })
    const boots = createBoots({ db: backend.pool.db, clock: backend.clock })
    let taken = 0
    const count = () => void (taken += 1)
    backend.pool.pg.on('acquire', count)
    const root = [{ kind: 'mount', name: '/' }] as const
    await Promise.all(rows.map(({ organization: number, id }) => dimensions.assignSlots(number, id, root, 2)))
    await Promise.all(
      rows.map(({ organization: number, id }) => boots.claim({ organization: number, serverId: id, bootId: 'b' })),
    )
    backend.pool.pg.off('acquire', count)
    // Of its own for each host: twice as many as hosts.
    expect(taken).toBeLessThan(20)
  })

  it('of two hosts with one token at once: one of them is the clone [ERROR-13]', async () => {
    const { as } = server
    const send = async (bootId: string, ms: number) => {
      const samples = [{ at: iso(backend.clock.now() - ms), cpu: { percent: 5 } }]
      const body = { batch_id: randomUUID(), sent_at: iso(backend.clock.now()), agent_version: '1', samples, boot_id: bootId }
      return (await backend.call('POST', '/v1/agent/metrics', { as, body })).status
    }
    const statuses = await Promise.all(['a', 'b', 'a', 'b', 'a', 'b'].map((boot, index) => send(boot, index * 1_000)))
    const { rows } = await backend.pool.pg.query('select boot_id, former_boot_ids from server where id = $1', [
      parseId('server', server.id),
    ])
    const [{ boot_id: current, former_boot_ids: former }] = rows
    expect(new Set([current, ...former])).toEqual(new Set(['a', 'b']))
    expect(await send(former[0], 10_000)).toBe(409)
    expect(await send(current, 20_000)).toBe(202)
    expect(statuses.filter((status) => status !== 202 && status !== 409)).toEqual([])
  })
})

describe('history of filesystems and interfaces', () => {
  it('contains the values of each push from the first one on [METRIC-28]', async () => {
    const now = backend.clock.now()
    await push(now - 5 * MINUTE, { filesystems: [disk('/', 100_000), disk('/srv', 500_000)], interfaces: [nic('eth0', 10)] })
    await push(now, { filesystems: [disk('/', 300_000)], interfaces: [nic('eth0', 20.125), nic('wg0', null)] })
    const body = await mounts('period=1h&points=60')
    expect(body.by_mount).toMatchObject([
      { mount: '/', used_bytes: 300_000, total_bytes: 1_000_000, percent: 30, avg_percent: 20, max_percent: 30 },
      { mount: '/srv', used_bytes: 500_000, avg_percent: 50, max_percent: 50 },
    ])
    expect(body.others).toBe(0)
    // The groups of samples are unchanged.
    expect(body.metrics).toEqual({ disk: expect.objectContaining({ usage_percent: 7 }) })
    const { percent } = body.by_mount[0].series
    expect(percent.avg).toHaveLength(body.series.points)
    expect(percent.avg.filter((value: number | null) => value !== null)).toEqual([10, 30])
    expect(percent.max.filter((value: number | null) => value !== null)).toEqual([10, 30])

    const { by_interface: interfaces } = (await read('metrics=network&by=interface')).body
    expect(interfaces).toEqual([
      { name: 'eth0', rx_bytes_per_sec: 15.0625, tx_bytes_per_sec: 2.5 },
      { name: 'wg0', rx_bytes_per_sec: null, tx_bytes_per_sec: 2.5 },
    ])
  })

  it('stays the same after it is compacted into hours and days', async () => {
    const now = backend.clock.now()
    const stands: number[] = []
    for (let back = 2 * DAY; back > 0; back -= 7 * HOUR) {
      stands.push(back)
      await push(now - back, { filesystems: [disk('/', back % 1_000_000)] })
      backend.clock.advance(1)
    }
    const length = backend.clock.now() - now
    const queries = ['period=24h', 'period=7d', 'period=7d&points=50', `from=${iso(now - 3 * DAY)}&to=${iso(now)}&points=24`]
    const readAll = async () => Promise.all(queries.map((query) => mounts(query)))
    const before = await readAll()
    expect(before[1].by_mount[0].max_percent).toBe(Math.max(...stands.map((back) => (back % 1_000_000) / 10_000)))
    await compactSamples(backend.pool, backend.clock)
    await compactSamples(backend.pool, backend.clock)
    await backend.pool.pg.query('delete from metric_push where t0 < $1', [now - HOUR])
    expect(await readAll()).toEqual(before)
    expect(length).toBeLessThan(MINUTE)
    // Beyond the samples it is there as means.
    backend.clock.advance(20 * DAY)
    await compactSamples(backend.pool, backend.clock)
    await keepPartitions(backend.pool.db, silentLog, backend.clock.now(), backend.settings.retention)
    expect((await backend.pool.pg.query('select count(*)::int as n from metric_hour')).rows).toEqual([{ n: 0 }])
    const old = await mounts(`from=${iso(now - 3 * DAY)}&to=${iso(now)}`)
    expect(old.by_mount[0]).toMatchObject({ mount: '/', max_percent: before[1].by_mount[0].max_percent })
  })

  it(`is kept of ${MAX_DIMENSIONS} of a kind, the rest is counted, also on two instances at once [METRIC-29]`, async () => {
    const now = backend.clock.now()
    const many = (from: number, count: number) => Array.from({ length: count }, (_, index) => disk(`/m${from + index}`, 10_000))
    await Promise.all([
      push(now - 4 * MINUTE, { filesystems: many(0, 40) }, backend),
      push(now - 3 * MINUTE, { filesystems: many(20, 40) }, second),
    ])
    await push(now - 2 * MINUTE, { filesystems: many(50, 20) }, second)
    await push(now - MINUTE, { filesystems: many(0, 64) }, backend)
    await push(now, { filesystems: many(60, 10) }, backend)
    const { by_mount: reported, others } = await mounts()
    expect(reported).toHaveLength(MAX_DIMENSIONS)
    expect(new Set(reported.map(({ mount }: { mount: string }) => mount)).size).toBe(MAX_DIMENSIONS)
    // Of the ten of the newest push four came before the last slot was given.
    expect(others).toBe(6)
    const { rows } = await backend.pool.pg.query(
      'select count(*)::int as n, count(distinct slot)::int as slots from metric_dimension join server on server.number = server where id = (select id from server order by number desc limit 1)',
    )
    expect(rows).toEqual([{ n: MAX_DIMENSIONS, slots: MAX_DIMENSIONS }])
  })

  it('does not change the identity of a batch: a repeat is a duplicate, regardless of its host state', async () => {
    const now = backend.clock.now()
    await push(now, {})
    expect(await push(now, { filesystems: [disk('/late', 1)] })).toMatchObject({ accepted: 0, duplicates: 2 })
    expect((await mounts()).by_mount).toEqual([])
  })

  it('comes with an API key as well', async () => {
    const as = await backend.apiKey(organization, 'agent')
    await push(backend.clock.now(), { filesystems: [disk('/', 1)] }, second, as, { server_id: server.id })
    expect((await mounts()).by_mount).toHaveLength(1)
  })

  it.each([
    ['by=mount', 'by'],
    ['by=mount&metrics=disk,cpu', 'by'],
    ['by=mount&metrics=network', 'by'],
    ['by=interface&metrics=disk', 'by'],
    ['by=cpu&metrics=disk', 'by'],
  ])('%s is refused by name', async (query, path) => {
    const { status, body } = await read(query)
    expect([status, body.error.details.map((detail: { path: string }) => detail.path)]).toEqual([400, [path]])
  })

  it('is nobody else’s, and goes with its server', async () => {
    await push(backend.clock.now(), { filesystems: [disk('/', 1)] })
    const foreign = await backend.apiKey(await backend.organization('Other'), 'read')
    expect((await read('metrics=disk&by=mount', foreign)).status).toBe(404)
    const number = 'select count(*)::int as n from metric_dimension where server = (select max(number) from server)'
    expect((await backend.pool.pg.query(number)).rows).toEqual([{ n: 1 }])
    const { rows } = await backend.pool.pg.query<{ number: number }>('select max(number) as number from server')
    const owner = await backend.member(organization, 'owner')
    expect((await backend.call('DELETE', `/v1/servers/${server.id}`, { as: owner })).status).toBe(204)
    const left = await backend.pool.pg.query('select from metric_dimension where server = $1', [rows[0]?.number])
    expect(left.rowCount).toBe(0)
  })
})

const SIZE = 1_000

it('too many first samples of new servers at once: some agents get Retry-After, and nothing is lost [PUSH-34]', async () => {
  const stalled = await second.pool.pg.connect()
  await stalled.query('begin')
  await stalled.query('lock table metric_dimension in access exclusive mode')
  const answers: { status: number; after: unknown }[] = []
  const send = async (number: number) => {
    const instants = Array.from({ length: SIZE }, (_, index) => iso(backend.clock.now() - number * SIZE - index))
    const samples = instants.map((at) => ({ at, cpu: { percent: 5 } }))
    const [at] = instants
    const body = { batch_id: randomUUID(), sent_at: at, agent_version: '1', samples, filesystems: [disk('/new', number)] }
    const { status, headers } = await backend.call('POST', '/v1/agent/metrics', { as: server.as, body })
    answers.push({ status, after: headers['retry-after'] })
    return status
  }
  const fitting = MAX_WAITING_SAMPLES / SIZE
  const sent = Array.from({ length: fitting + 7 }, (_, number) => send(number))
  await expect.poll(() => answers.length).toBe(7)
  expect(answers).toEqual(Array.from({ length: 7 }, () => ({ status: 503, after: '10' })))
  await stalled.query('rollback')
  stalled.release()
  const statuses = await Promise.all(sent)
  expect(statuses.filter((status) => status === 202)).toHaveLength(fitting)
  expect(await send(50)).toBe(202)
})
