import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Credentials, TestOrganization } from '../../../../test/harness.ts'
import { compactChecks, recountWeek } from '../../checks/index.ts'
import { type Scene, startScene } from './scene.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let scene: Scene
let ids: string[]
beforeAll(async () => {
  scene = await startScene()
  ids = []
  const sites = [
    { name: 'alpha', url: 'https://one.example.com/a_b', tags: ['even', 'n0'] },
    { name: 'Bravo 100%', url: 'https://two.example.com/', tags: ['odd'] },
    { name: 'charlie', url: 'https://THREE.example.com/50%25', tags: ['even', 'n2'] },
    { name: 'delta', url: 'https://one.example.com/axb', tags: ['odd'] },
  ]
  for (const site of sites) {
    scene.backend.clock.advance(1_000)
    ids.push((await scene.make(site)).id)
  }
  await scene.call('POST', `/${ids[1]}/pause`)
  const other = await scene.backend.organization('Other')
  await scene.make({ name: 'alpha' }, await scene.backend.member(other, 'owner'))
})
afterAll(() => scene.backend.close())

const list = async (query = '', as: Credentials = scene.viewer) => (await scene.call('GET', query, undefined, as)).body
const names = async (query: string) => (await list(query)).monitors.map(({ name }: { name: string }) => name)

describe('GET /v1/monitors', () => {
  it('lists the own organization, newest first, with every field [MON-04]', async () => {
    const body = await list()
    expect(body).toMatchObject({ total: 4, page: 1, limit: 20 })
    expect(body.monitors.map(({ id }: { id: string }) => id)).toEqual([...ids].reverse())
    expect(body.monitors[3]).toEqual({
      id: ids[0],
      name: 'alpha',
      type: 'http',
      url: 'https://one.example.com/a_b',
      method: 'GET',
      interval: 60,
      status: 'up',
      regions: ['local'],
      tags: ['even', 'n0'],
      uptime_7d: 100,
      avg_response_ms: 0,
      last_checked_at: null,
      created_at: '2026-11-20T18:07:11.000Z',
      flapping: false,
    })
  })

  it.each([
    ['?q=ALPHA', ['alpha']],
    ['?q=three', ['charlie']],
    ['?q=example.com', ['delta', 'charlie', 'Bravo 100%', 'alpha']],
    ['?q=%25', ['charlie', 'Bravo 100%']],
    ['?q=_', ['alpha']],
    ['?q=a_b', ['alpha']],
    ['?q=100%25', ['Bravo 100%']],
    ['?q=%5C', []],
    ["?q='", []],
    ['?tag=even', ['charlie', 'alpha']],
    ['?tag=even&tag=n2', ['charlie']],
    ['?tag=even&tag=odd', []],
    ['?sort=name', ['alpha', 'Bravo 100%', 'charlie', 'delta']],
    ['?sort=-name', ['delta', 'charlie', 'Bravo 100%', 'alpha']],
    ['?sort=created_at', ['alpha', 'Bravo 100%', 'charlie', 'delta']],
    ['?sort=-created_at&limit=2', ['delta', 'charlie']],
    ['?limit=3&page=2', ['alpha']],
  ])('%s returns %j [LIST-19, LIST-20, LIST-21]', async (query, expected) => expect(await names(query)).toEqual(expected))

  it.each([
    ['?status=paused', ['Bravo 100%']],
    ['?status=up&tag=odd', ['delta']],
    ['?status=down', []],
    ['?status=degraded', []],
  ])('the filter %s returns %j [MON-02]', async (query, expected) => expect(await names(query)).toEqual(expected))

  it('returns the true total of a filter on every page, also past the end', async () => {
    expect(await list('?tag=even&limit=1&page=2')).toMatchObject({ total: 2, page: 2, limit: 1, monitors: [{ name: 'alpha' }] })
    expect(await list('?tag=even&page=1000000&limit=100')).toEqual({ monitors: [], total: 2, page: 1_000_000, limit: 100 })
  })

  it('keeps one order over all pages when names and instants are equal', async () => {
    const own = await scene.backend.organization('Ties')
    const as = await scene.backend.member(own, 'owner')
    const made = await Promise.all(Array.from({ length: 7 }, () => scene.make({ name: 'tie' }, as)))
    const byId = made.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1))
    for (const sort of [
      '',
      ...['name', '-name', 'created_at', '-created_at', 'status', '-status', 'uptime', '-response_ms'].map(
        (each) => `&sort=${each}`,
      ),
    ]) {
      const pages = []
      for (const page of [1, 2, 3]) pages.push(...(await list(`?limit=3&page=${page}${sort}`, as)).monitors)
      expect(
        pages.map(({ id }) => id),
        sort,
      ).toEqual(byId)
    }
  })

  it('puts the worst first, and monitors without checks last in the order of their figures', async () => {
    const own = await scene.backend.organization('Worst')
    const as = await scene.backend.member(own, 'owner')
    const names = ['up', 'slow', 'waiting', 'degraded', 'paused', 'down', 'also down']
    for (const name of names) await scene.make({ name, tags: [name.includes('down') ? 'red' : 'rest'] }, as)
    const { pg } = scene.backend.pool
    const atMs = scene.backend.clock.now()
    for (const [name, status] of [
      ['down', 'down'],
      ['also down', 'down'],
      ['degraded', 'degraded'],
      ['paused', 'paused'],
    ])
      await pg.query(
        `update monitor_status set status = $3 where organization = $1 and monitor in (select number from monitor where organization = $1 and name = $2)`,
        [own.number, name, status],
      )
    await pg.query(
      `update check_schedule set last_checked_at = $2 where organization = $1 and monitor in (select number from monitor where organization = $1 and name <> 'waiting')`,
      [own.number, atMs],
    )
    // Two checks each: one of two failed for those that are down; the slow one takes 100 times longer.
    await pg.query(
      `insert into check_result (organization, monitor, region, at, day, outcome, status_code, response_us)
       select organization, number, (select min(number) from region), $2::bigint - n * 60000, (to_timestamp($2 / 1000.0) at time zone 'UTC')::date,
         case when n = 1 and name like '%down' then 2 else 0 end, 200, case name when 'slow' then 5000000 else 50000 end
       from monitor, generate_series(1, 2) as n where organization = $1 and name in ('up', 'slow', 'down', 'also down')`,
      [own.number, atMs],
    )
    const monitors = await scene.backend.pool.db
      .selectFrom('monitor')
      .select('number')
      .where('organization', '=', own.number)
      .execute()
    await recountWeek(
      scene.backend.pool.db,
      own.number,
      monitors.map(({ number }) => number),
      atMs,
    )
    const sorted = async (query: string) => (await list(query, as)).monitors.map(({ name }: { name: string }) => name)
    const worst = ['also down', 'down', 'degraded', 'waiting', 'slow', 'up', 'paused']
    expect(await sorted('?sort=status')).toEqual(worst)
    expect([...(await sorted('?sort=status&limit=3')), ...(await sorted('?sort=status&limit=3&page=2'))]).toEqual(
      worst.slice(0, 6),
    )
    expect((await sorted('?sort=-status'))[0]).toBe('paused')
    expect(await sorted('?sort=uptime&limit=4')).toEqual(['also down', 'down', 'slow', 'up'])
    expect((await sorted('?sort=-uptime')).slice(0, 4)).toEqual(['slow', 'up', 'also down', 'down'])
    expect((await sorted('?sort=-response_ms'))[0]).toBe('slow')
    expect((await sorted('?sort=response_ms')).slice(3)).toEqual(['slow', 'paused', 'degraded', 'waiting'])
    const counted = await list('?include=counts&status=up&limit=1', as)
    expect(counted.counts).toEqual({ up: 3, down: 2, degraded: 1, paused: 1, idle: 0 })
    expect((await list('?include=counts&tag=red&page=9', as)).counts).toEqual({
      up: 0,
      down: 2,
      degraded: 0,
      paused: 0,
      idle: 0,
    })
    expect(await list('?limit=1', as)).not.toHaveProperty('counts')
    expect(await list('?sort=uptime&tag=none', as)).toMatchObject({ total: 0, monitors: [] })
  })

  it.each([
    'status=broken',
    'status=up&status=down',
    'page=0',
    'page=1000001',
    'limit=0',
    'limit=101',
    'limit=x',
    'q=',
    'sort=state',
    'include=counts,counts,counts,counts,counts',
    'sort=--name',
    'include=metrics',
    'include=uptime,metrics',
    'include=uptime,',
    'tag=',
    'tags=even',
    'name=alpha',
  ])('?%s is a 400 that names the parameter', async (query) => {
    const { status, body } = await scene.call('GET', `?${query}`)
    expect([status, body.error.details[0].path.split('.')[0]]).toEqual([400, query.split('=')[0]])
  })

  it('requires credentials with permission to read', async () => {
    const { backend, organization } = scene
    expect((await scene.call('GET', '', undefined, {})).status).toBe(401)
    for (const scope of ['agent', 'write'] as const)
      expect((await scene.call('GET', '', undefined, await backend.apiKey(organization, scope))).status).toBe(403)
    for (const scope of ['read', 'admin'] as const)
      expect((await scene.call('GET', '', undefined, await backend.apiKey(organization, scope))).status).toBe(200)
  })
})

describe('the figures of a list', () => {
  let own: TestOrganization
  let as: Credentials
  beforeAll(async () => {
    own = await scene.backend.organization('Figures')
    as = await scene.backend.member(own, 'owner')
  })
  const now = () => scene.backend.clock.now()

  it('cover the conclusive checks of seven days and match the details [MON-03]', async () => {
    const { id } = await scene.make({ name: 'counted' }, as)
    await scene.keep(
      id,
      { at: now(), responseUs: 10_000 },
      { at: now() - 60_000, responseUs: 20_001, outcome: 1 },
      { at: now() - 120_000, responseUs: null, outcome: 2, error: { code: 'timeout', message: 'no answer' } },
      { at: now() - 180_000, responseUs: 99_999_999, outcome: 3 },
      { at: now() - 7 * DAY + 1, responseUs: 30_000, region: 'eu-1' },
      { at: now() - 7 * DAY, responseUs: 70_000_000, outcome: 2 },
    )
    const [item] = (await list('?q=counted', as)).monitors
    expect(item).toMatchObject({ uptime_7d: 75, avg_response_ms: 20 })
    expect((await scene.call('GET', `/${id}`, undefined, as)).body).toMatchObject({ uptime_7d: 75, avg_response_ms: 20 })
  })

  it('are never 100 while one check failed', async () => {
    const { id } = await scene.make({ name: 'nearly' }, as)
    const checks = Array.from({ length: 2_000 }, (_, index) => ({ at: now() - index * 1_000 }))
    await scene.keep(id, ...checks, { at: now() - 2_500_000, outcome: 2 })
    const [item] = (await list('?q=nearly', as)).monitors
    expect(item.uptime_7d).toBe(99.95)
  })

  it('reach back as far as the plan allows', async () => {
    const small = await scene.backend.organization('Small')
    const boss = await scene.backend.member(small, 'owner')
    const { id } = await scene.make({ name: 'short' }, boss)
    await scene.keep(id, { at: now() - HOUR }, { at: now() - 4 * DAY, outcome: 2 })
    const uptime = async () => (await list('', boss)).monitors[0].uptime_7d
    expect(await uptime()).toBe(50)
    await scene.backend.pool.db.updateTable('organization').set({ plan: 'free' }).where('number', '=', small.number).execute()
    expect(await uptime()).toBe(100)
  })

  it('contain the time of the last check of any region', async () => {
    const { id } = await scene.make({ name: 'dated', regions: ['local', 'eu-1', 'us-1'] }, as)
    const seen = async (region: string, set: object) =>
      scene.backend.pool.db
        .updateTable('check_schedule')
        .set(set)
        .where('monitor', '=', await scene.numberOf(id))
        .where('region', '=', (eb) => eb.selectFrom('region').select('number').where('id', '=', region))
        .execute()
    await seen('eu-1', { last_checked_at: now() - 5_000, certificate_expires_at: now() + 80 * DAY })
    await seen('us-1', { last_checked_at: now() - 65_000, certificate_expires_at: now() + 20 * DAY })
    const [item] = (await list('?q=dated', as)).monitors
    expect(item.last_checked_at).toBe(new Date(now() - 5_000).toISOString())
    expect((await scene.call('GET', `/${id}`, undefined, as)).body).toMatchObject({
      last_checked_at: item.last_checked_at,
      certificate_expires_at: new Date(now() + 20 * DAY).toISOString(),
    })
  })

  it('include 24 hourly mean response times with include=sparkline [LIST-22]', async () => {
    const { id } = await scene.make({ name: 'sparkling' }, as)
    const hour = Math.floor(now() / HOUR) * HOUR
    await scene.keep(
      id,
      { at: hour, responseUs: 10_000 },
      { at: hour + 1_000, responseUs: 20_000 },
      { at: hour + 2_000, responseUs: null, outcome: 2 },
      { at: hour + 3_000, responseUs: 90_000, outcome: 3 },
      { at: hour - 23 * HOUR, responseUs: 7_000, region: 'eu-1' },
      { at: hour - 23 * HOUR - 1, responseUs: 900_000 },
      { at: hour - 2 * HOUR, responseUs: null, outcome: 2 },
    )
    const [item] = (await list('?q=sparkling&include=sparkline', as)).monitors
    const means = Array.from({ length: 24 }, () => null as number | null)
    means[0] = 7
    means[23] = 15
    expect(item.sparkline).toEqual({
      from: new Date(hour - 23 * HOUR).toISOString(),
      step_seconds: 3_600,
      avg_response_ms: means,
    })
    expect((await list('?q=sparkling', as)).monitors[0]).not.toHaveProperty('sparkline')
  })

  it('include 90 daily values, the 95th percentile and the state of each region with include=uptime [LIST-23]', async () => {
    const { id } = await scene.make({ name: 'barred', regions: ['local', 'eu-1', 'us-1'] }, as)
    const today = Math.floor(now() / DAY) * DAY
    await scene.keep(
      id,
      ...Array.from({ length: 19 }, (_, index) => ({ at: today + index, responseUs: 10_000 })),
      { at: today + 19, responseUs: null, outcome: 2 },
      { at: today + 20, responseUs: 99_000_000, outcome: 3 },
      { at: today - 2 * DAY, responseUs: 20_000, region: 'eu-1' },
      { at: today - 1 * DAY - 1, responseUs: 20_000, outcome: 2 },
      { at: today - 1 * DAY - 2, responseUs: null, outcome: 2 },
      { at: today - 6 * DAY, responseUs: 30_000, outcome: 1 },
      ...Array.from({ length: 9 }, (_, index) => ({ at: today - 6 * DAY - 1 - index, responseUs: 70_000_000 })),
    )
    const seen = async (region: string, state: 'up' | 'down' | 'degraded' | null, ago: number) =>
      scene.backend.pool.db
        .updateTable('check_schedule')
        .set({ state, last_conclusive_at: now() - ago })
        .where('monitor', '=', await scene.numberOf(id))
        .where('region', '=', (eb) => eb.selectFrom('region').select('number').where('id', '=', region))
        .execute()
    await seen('local', 'up', 0)
    await seen('eu-1', 'degraded', 180_000)
    await seen('us-1', 'down', 180_001)
    const item = async () => (await list('?q=barred&include=uptime', as)).monitors[0]
    const days = Array.from({ length: 90 }, (): number | null => null)
    days[82] = 100
    days[83] = 100
    days[87] = 33.3333
    days[89] = 95
    const barred = await item()
    expect(barred.uptime).toEqual({ from: new Date(today - 89 * DAY).toISOString(), step_seconds: 86_400, uptime_percent: days })
    // The 21st of 22 times, nearest rank.
    expect(Math.abs(barred.p95_response_ms - 20)).toBeLessThan(0.2)
    expect(barred.status_by_region).toEqual({ local: 'up', 'eu-1': 'degraded', 'us-1': null })
    await scene.call('POST', `/${id}/pause`, undefined, as)
    expect((await item()).status_by_region).toEqual({ local: null, 'eu-1': null, 'us-1': null })
    const plain = (await list('?q=barred', as)).monitors[0]
    for (const name of ['uptime', 'p95_response_ms', 'status_by_region', 'sparkline']) expect(plain).not.toHaveProperty(name)
    const both = (await list('?q=barred&include=uptime,sparkline', as)).monitors[0]
    expect([both.uptime, both.sparkline.step_seconds]).toEqual([barred.uptime, 3_600])
  })

  it('include what the newest check found, the end of the certificate and the next ping with include=facts', async () => {
    const { id } = await scene.make({ name: 'factual', url: 'icmp://192.0.2.1', type: 'icmp' }, as)
    const number = await scene.numberOf(id)
    const item = async (name: string) => (await list(`?q=${name}&include=facts`, as)).monitors[0]
    expect(await item('factual')).toMatchObject({ facts: {}, certificate_expires_at: null, next_ping: null })
    await scene.keep(id, { at: now() - 2_000, responseUs: 1_000 }, { at: now() - 1_000, responseUs: 1_000 })
    const { db } = scene.backend.pool
    for (const [at, loss] of [
      [now() - 2_000, 100],
      [now() - 1_000, 0],
    ] as const)
      await db
        .updateTable('check_result')
        .set({ facts: JSON.stringify({ packet_loss: loss }) })
        .where('monitor', '=', number)
        .where('at', '=', at)
        .execute()
    await db
      .updateTable('check_schedule')
      .set({ certificate_expires_at: now() + 86_400_000 })
      .where('monitor', '=', number)
      .execute()
    expect(await item('factual')).toMatchObject({
      facts: { packet_loss: 0 },
      certificate_expires_at: new Date(now() + 86_400_000).toISOString(),
      next_ping: null,
    })
    const options = { schedule: { period_seconds: 3_600, grace_seconds: 60 } }
    const beat = await scene.make(
      { name: 'beating', type: 'heartbeat', url: 'heartbeat://beating', options, method: undefined },
      as,
    )
    await scene.backend.call('POST', new URL(beat.ping_url).pathname)
    const { next_ping: next } = (await scene.call('GET', `/${beat.id}`, undefined, as)).body
    expect([(await item('beating')).next_ping, Date.parse(next.expected_at) > now()]).toEqual([next, true])
    expect((await list('?q=factual', as)).monitors[0]).not.toHaveProperty('facts')
  })

  it('have no uptime for a monitor without checks', async () => {
    await scene.make({ name: 'fresh' }, as)
    const [item] = (await list('?q=fresh&include=uptime', as)).monitors
    expect(item.uptime.uptime_percent).toEqual(Array.from({ length: 90 }, () => null))
    expect([item.p95_response_ms, item.status_by_region]).toEqual([null, { local: null }])
  })

  // The last one: checks that are stored after compaction are late.
  it('match the stats of seven days to the last digit, also after compaction', async () => {
    const start = now()
    for (let site = 0; site < 3; site += 1) {
      const { id } = await scene.make({ name: `equal ${site}`, regions: ['local', 'eu-1'] }, as)
      // Uneven on purpose: thirds and sevenths do not end in a few digits.
      const checks = Array.from({ length: 400 + site }, (_, index) => ({
        at: start - index * 1_500_007 - site,
        region: index % 2 === 0 ? 'local' : 'eu-1',
        outcome: index % 7 === 0 ? (2 as const) : index % 11 === 0 ? (3 as const) : (0 as const),
        responseUs: index % 13 === 0 ? null : 1_000 + index * 37,
      }))
      await scene.keep(id, ...checks.filter(({ at }) => at > start - 6.9 * DAY))
    }
    const bars = async () => (await list('?q=equal&sort=name&include=uptime', as)).monitors
    const raw = await bars()
    for (const compact of [false, true]) {
      if (compact) await compactChecks(scene.backend.pool.db, scene.backend.clock)
      expect(await bars()).toEqual(raw)
      for (const item of (await list('?q=equal', as)).monitors) {
        const { body: stats } = await scene.call('GET', `/${item.id}/stats?period=7d`, undefined, as)
        expect(stats.total_checks).toBeGreaterThan(300)
        expect([item.uptime_7d, item.avg_response_ms]).toEqual([stats.uptime_percent, stats.avg_response_ms])
        expect(item.uptime_7d).toBeLessThan(90)
      }
    }
    expect(raw[0].uptime.uptime_percent.filter((value: number | null) => value !== null)).toHaveLength(8)
    expect(raw[0].p95_response_ms).toBeGreaterThan(10)

    // Only days are left of those months; late checks are read one by one until their day is compacted again.
    const { db } = scene.backend.pool
    const monitor = await scene.numberOf(raw[0].id)
    const local = (await db.selectFrom('region').select('number').where('id', '=', 'local').executeTakeFirstOrThrow()).number
    const key = { organization: own.number, monitor }
    const old = { checks: 8, failed: 1, answered: 7, response_sum_us: 7, sketch: Buffer.of(1) }
    const day = Math.floor(start / DAY)
    const dateOf = (since: number) => new Date(since * DAY).toISOString().slice(0, 10)
    await db
      .insertInto('check_day')
      .values({ ...key, ...old, region: local, day: dateOf(day - 40) })
      .execute()
    const late = (day - 1) * DAY + 5
    await scene.keep(raw[0].id, ...Array.from({ length: 1_000 }, (_, index) => ({ at: late + index, responseUs: 7_000_000 })))
    await db
      .insertInto('check_hour_stale')
      .values({ ...key, hour: Math.floor(late / HOUR) })
      .execute()
    const [mended] = await bars()
    const expected = [...raw[0].uptime.uptime_percent]
    expected[49] = 87.5
    expected[88] = expect.any(Number)
    expect(mended.uptime.uptime_percent).toEqual(expected)
    expect(mended.uptime.uptime_percent[88]).toBeGreaterThan(99)
    expect(Math.abs(mended.p95_response_ms - 7_000)).toBeLessThan(70)
    await db.updateTable('organization').set({ plan: 'free' }).where('number', '=', own.number).execute()
    expect((await bars())[0].uptime.uptime_percent[49]).toBeNull()
    expect((await bars())[0].uptime.uptime_percent.at(-1)).toBe(raw[0].uptime.uptime_percent.at(-1))
  })
})
