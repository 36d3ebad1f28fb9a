import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { compactSamples, keepPartitions } from '../index.ts'
import { randomFrom } from '../../../../test/random.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const PERIODS = { '15m': 15 * MINUTE, '1h': HOUR, '6h': 6 * HOUR, '24h': DAY, '7d': 7 * DAY }

interface Sample {
  atMs: number
  percent: number
  usedBytes: number
}

let backend: TestBackend
let organization: TestOrganization
let viewer: Credentials
beforeAll(async () => {
  // In the first hour of a day, so that whole days lie before.
  backend = await startTestBackend({ startMs: Date.parse('2026-11-20T00:40:10.000Z') })
  organization = await backend.organization()
})
afterAll(() => backend.close())

interface Host {
  id: string
  as: Credentials
  /** What was accepted, by instant: the first value stands. */
  stands: Map<number, Sample>
}

async function push(host: Host, samples: readonly Sample[]): Promise<void> {
  // Of two values for one instant the one received first stands: no two pushes come at the same millisecond here.
  backend.clock.advance(1)
  const { status, body } = await backend.call('POST', '/v1/agent/metrics', {
    as: host.as,
    body: {
      batch_id: randomUUID(),
      sent_at: new Date(backend.clock.now()).toISOString(),
      agent_version: '0.1.0',
      samples: samples.map(({ atMs, percent, usedBytes }) => ({
        at: new Date(atMs).toISOString(),
        cpu: { percent, cores: 4 },
        memory: { used_bytes: usedBytes, total_bytes: 2 ** 45 },
      })),
    },
  })
  expect([status, body.rejected]).toEqual([202, []])
  for (const sample of samples) if (!host.stands.has(sample.atMs)) host.stands.set(sample.atMs, sample)
}

/** `length` of samples each `everyMs` until `endMs`, in pushes of up to 200. */
async function fill(host: Host, random: () => number, endMs: number, length: number, everyMs: number): Promise<void> {
  const samples: Sample[] = []
  for (let atMs = endMs - length; atMs <= endMs; atMs += everyMs) {
    // Sums over a day pass 2^53.
    samples.push({ atMs, percent: Math.round(random() * 10_000) / 100, usedBytes: Math.floor(random() * 2 ** 45) })
  }
  for (let from = 0; from < samples.length; from += 200) await push(host, samples.slice(from, from + 200))
}

/** As the document says: the mean, the maximum and the newest of what stands in the period. */
function expected({ stands }: Host, fromMs: number, toMs: number) {
  const own = [...stands.values()].filter(({ atMs }) => atMs >= fromMs && atMs <= toMs).sort((a, b) => a.atMs - b.atMs)
  const hundredths = own.reduce((sum, { percent }) => sum + Math.round(percent * 100), 0)
  const bytes = own.reduce((sum, { usedBytes }) => sum + BigInt(usedBytes), 0n)
  return {
    count: own.length,
    current: own.at(-1)?.percent,
    avg: hundredths / (own.length * 100),
    max: Math.max(...own.map(({ percent }) => percent)),
    used: own.at(-1)?.usedBytes,
    meanBytes: own.length === 0 ? 0 : Number(bytes / BigInt(own.length)),
  }
}

async function metrics(host: Host, query: string) {
  const { status, body } = await backend.call('GET', `/v1/servers/${host.id}/metrics?${query}`, { as: viewer })
  expect([status, body]).toEqual([200, body])
  return body
}

/** Every period, and series of several steps, against what stands. */
async function agrees(host: Host): Promise<void> {
  const now = backend.clock.now()
  for (const [period, length] of Object.entries(PERIODS)) {
    const wanted = expected(host, now - length, now)
    const { cpu, memory } = (await metrics(host, `period=${period}&metrics=cpu,memory`)).metrics
    expect([period, cpu?.avg_percent, cpu?.max_percent, cpu?.current_percent, memory?.used_bytes]).toEqual([
      period,
      wanted.count === 0 ? undefined : wanted.avg,
      wanted.count === 0 ? undefined : wanted.max,
      wanted.current,
      wanted.used,
    ])
  }
  for (const [period, points] of [
    ['6h', 100],
    ['24h', 200],
    ['24h', 24],
    ['7d', 336],
    ['7d', 1000],
    ['7d', 10],
  ] as const) {
    const { series } = await metrics(host, `period=${period}&metrics=cpu,memory&points=${points}`)
    const start = Date.parse(series.from)
    const step = series.step_seconds * SECOND
    for (const [index, avg] of (series.cpu?.percent.avg ?? []).entries()) {
      const wanted = expected(host, start + index * step, Math.min(start + (index + 1) * step - 1, now))
      const found = [avg, series.cpu.percent.max[index]]
      expect([period, points, index, ...found]).toEqual([
        period,
        points,
        index,
        ...(wanted.count === 0 ? [null, null] : [wanted.avg, wanted.max]),
      ])
    }
  }
}

/** All rows of a table. */
const rowsOf = async (table: string) => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(backend.pool.db)
  return rows[0]?.count ?? 0
}

describe('compacted samples', () => {
  let host: Host
  const random = randomFrom(5)
  beforeAll(async () => {
    viewer = await backend.apiKey(organization, 'read')
    const { id, as } = await backend.server(organization)
    host = { id, as, stands: new Map() }
    const now = backend.clock.now()
    await fill(host, random, now - 3 * MINUTE, 3 * DAY, 2 * MINUTE)
    await fill(host, random, now, 2 * HOUR, 10 * SECOND)
  })

  it('answer as the pushes did [METRIC-23]', async () => {
    await agrees(host)
    const done = await compactSamples(backend.pool, backend.clock)
    expect(done.hours).toBeGreaterThan(70)
    expect(await rowsOf('metric_hour')).toBeGreaterThan(70)
    expect([await rowsOf('metric_day'), await rowsOf('metric_samples'), await rowsOf('metric_late')]).toEqual([3, 3, 0])
    await agrees(host)
  })

  it('do not need their pushes any more', async () => {
    const before = await rowsOf('metric_push')
    await sql`delete from metric_push where t0 < ${backend.clock.now() - 2 * HOUR}`.execute(backend.pool.db)
    expect(await rowsOf('metric_push')).toBeLessThan(before)
    await agrees(host)
  })

  const moveDays = (by: number) =>
    sql`update metric_progress set done = done + ${by}::int where name = 'day'`.execute(backend.pool.db)

  it('are read by their hours while the days are not compacted', async () => {
    expect(await moveDays(-9)).toMatchObject({ numAffectedRows: 1n })
    await agrees(host)
    await moveDays(9)
  })

  it('of a day are not written again when another process has written them', async () => {
    const versions = async () => (await sql`select xmin::text from metric_samples order by day`.execute(backend.pool.db)).rows
    const before = await versions()
    await moveDays(-1)
    expect(await compactSamples(backend.pool, backend.clock)).toMatchObject({ days: 1 })
    expect([before.length, await versions()]).toEqual([3, before])
  })

  it('take late samples in, and what stood first stands', async () => {
    const now = backend.clock.now()
    const late = Array.from({ length: 300 }, (_, index) => ({
      atMs: now - 50 * HOUR + index * 61_123,
      percent: 1.5,
      usedBytes: 7,
    }))
    await push(host, late)
    const known = [...host.stands.values()].filter(({ atMs }) => atMs < now - 3 * HOUR).slice(0, 50)
    await push(
      host,
      known.map(({ atMs }) => ({ atMs, percent: 99.99, usedBytes: 1 })),
    )
    expect(await rowsOf('metric_late')).toBeGreaterThan(3)
    await agrees(host)
    expect((await compactSamples(backend.pool, backend.clock)).late).toBeGreaterThan(3)
    expect(await rowsOf('metric_late')).toBe(0)
    await agrees(host)
    expect((await compactSamples(backend.pool, backend.clock)).late).toBe(0)
  })

  it('take late samples in when no more came for some minutes', async () => {
    await push(host, [{ atMs: backend.clock.now() - 60 * HOUR, percent: 4, usedBytes: 4 }])
    const compactSettled = () => compactSamples(backend.pool, backend.clock, { lateSettlesMs: 5 * MINUTE })
    expect((await compactSettled()).late).toBe(0)
    await agrees(host)
    backend.clock.advance(5 * MINUTE)
    expect((await compactSettled()).late).toBe(1)
    await agrees(host)
  })

  it('keep a mark that is set again while the job takes it away', async () => {
    const hour = Math.floor((backend.clock.now() - 5 * HOUR) / HOUR)
    const atMs = hour * HOUR + 1_777
    const blocked = await backend.pool.pg.connect()
    await blocked.query('begin')
    // A statement that stores late samples holds its mark until its commit.
    await blocked.query(
      `insert into metric_late (marked_at, hour, organization, server) select $1, $2, organization, number from server
       on conflict (hour, organization, server) do update set marked_at = metric_late.marked_at`,
      [backend.clock.now(), hour],
    )
    await push({ ...host, stands: host.stands }, [{ atMs: atMs + HOUR, percent: 3, usedBytes: 3 }])
    const job = compactSamples(backend.pool, backend.clock)
    await blocked.query('commit')
    blocked.release()
    await job
    await push(host, [{ atMs, percent: 2, usedBytes: 2 }])
    await agrees(host)
    await compactSamples(backend.pool, backend.clock)
    expect(await rowsOf('metric_late')).toBe(0)
    await agrees(host)
  })

  it('count once while several jobs and readers are at it', async () => {
    for (let round = 0; round < 4; round += 1) {
      backend.clock.advance(HOUR)
      await fill(host, random, backend.clock.now(), HOUR - 10 * SECOND, 20 * SECOND)
      const jobs = Array.from({ length: 3 }, () => compactSamples(backend.pool, backend.clock))
      const readers = Array.from({ length: 6 }, async () => {
        const now = backend.clock.now()
        const { cpu } = (await metrics(host, 'period=24h&metrics=cpu')).metrics
        expect(cpu.avg_percent).toBe(expected(host, now - DAY, now).avg)
      })
      await Promise.all([...jobs, ...readers])
    }
    await agrees(host)
  })

  it('let the pushes of a day go when nothing of it is open [METRIC-22]', async () => {
    const partitions = async () => {
      const { rows } = await sql<{ name: string }>`select relname as name from pg_inherits
        join pg_class on oid = inhrelid where inhparent = 'metric_push'::regclass order by 1`.execute(backend.pool.db)
      return rows.map(({ name }) => name)
    }
    const first = 'metric_push_20261120'
    backend.clock.advance(2 * DAY)
    await keepPartitions(backend.pool.db, silentLog, backend.clock.now(), backend.settings.retention)
    expect(await partitions()).toContain(first)
    await compactSamples(backend.pool, backend.clock)
    await keepPartitions(backend.pool.db, silentLog, backend.clock.now(), backend.settings.retention)
    expect(await partitions()).not.toContain(first)
    await agrees(host)
  })

  it('still show the newest sample of a server that is silent', async () => {
    backend.clock.advance(2 * DAY)
    await compactSamples(backend.pool, backend.clock)
    await keepPartitions(backend.pool.db, silentLog, backend.clock.now(), backend.settings.retention)
    const { body } = await backend.call('GET', `/v1/servers/${host.id}`, { as: viewer })
    const newest = Math.max(...host.stands.keys())
    expect(body.metrics).toMatchObject({ sampled_at: new Date(newest).toISOString() })
    expect(body.metrics.cpu.percent).toBe(host.stands.get(newest)?.percent)
  })

  describe('over a range', () => {
    const iso = (ms: number) => new Date(ms).toISOString()
    const range = (from: number, to: number) => `from=${iso(from)}&to=${iso(to)}`

    it('are what lies in it, the end not included [METRIC-25]', async () => {
      const newest = Math.max(...host.stands.keys())
      for (const [from, to] of [
        [newest - 5 * HOUR - 12_345, newest - HOUR],
        [newest - 30 * HOUR, newest + MINUTE],
        [newest - MINUTE, newest],
      ] as const) {
        const body = await metrics(host, `${range(from, to)}&metrics=cpu&points=50`)
        const wanted = expected(host, from, to - 1)
        expect(body.period).toBe(`${iso(from)}/${iso(to)}`)
        expect([body.metrics.cpu.avg_percent, body.metrics.cpu.max_percent]).toEqual([wanted.avg, wanted.max])
        expect(body.series.points).toBeLessThanOrEqual(50)
      }
    })

    it('are there as means when they are no longer kept one by one', async () => {
      backend.clock.advance(20 * DAY)
      await compactSamples(backend.pool, backend.clock)
      await keepPartitions(backend.pool.db, silentLog, backend.clock.now(), backend.settings.retention)
      expect([await rowsOf('metric_hour'), await rowsOf('metric_samples')]).toEqual([0, 0])
      const days = [...host.stands.keys()].map((atMs) => Math.floor(atMs / DAY) * DAY)
      const [first, last] = [Math.min(...days), Math.max(...days) + DAY]
      for (const [from, to] of [
        [first, last],
        [first + HOUR, last - HOUR],
        [last - DAY - 1, last - 1],
        [first - 300 * DAY, first + DAY + 1],
      ] as const) {
        const [wholeFrom, wholeTo] = [Math.floor(from / DAY) * DAY, Math.ceil(to / DAY) * DAY]
        const { cpu, memory } = (await metrics(host, range(from, to))).metrics
        const wanted = expected(host, wholeFrom, wholeTo - 1)
        expect([cpu.avg_percent, cpu.max_percent, cpu.current_percent]).toEqual([wanted.avg, wanted.max, wanted.current])
        expect(memory.used_bytes).toBe(wanted.used)
      }
    })

    it.each([
      [300, 1000],
      [3_600, 96],
      [86_400, 10],
    ])('have series of steps of %d s from what is kept', async (step, points) => {
      const first = Math.min(...host.stands.keys())
      const from = Math.floor(first / DAY) * DAY
      const to = from + (step === 300 ? 3 : 4) * DAY
      const { series } = await metrics(host, `${range(from, to)}&metrics=cpu&points=${points}`)
      expect([series.step_seconds, series.from]).toEqual([step, iso(from)])
      const found = series.cpu.percent.avg.map((avg: number | null, index: number) => [avg, series.cpu.percent.max[index]])
      expect(found).toEqual(
        found.map((_: unknown, index: number) => {
          const wanted = expected(host, from + index * step * SECOND, from + (index + 1) * step * SECOND - 1)
          return wanted.count === 0 ? [null, null] : [wanted.avg, wanted.max]
        }),
      )
    })

    it.each([
      ['from=2026-11-01T00:00:00.000Z', 'to'],
      ['to=2026-11-01T00:00:00.000Z', 'from'],
      ['period=1h&from=2026-11-01T00:00:00.000Z&to=2026-11-02T00:00:00.000Z', 'period'],
      ['from=2026-11-02T00:00:00.000Z&to=2026-11-02T00:00:00.000Z', 'to'],
      ['from=2025-01-01T00:00:00.000Z&to=2026-11-02T00:00:00.000Z', 'to'],
      ['from=2026-02-30T00:00:00.000Z&to=2026-11-02T00:00:00.000Z', 'from'],
    ])('%s is refused by name', async (query, path) => {
      const { status, body } = await backend.call('GET', `/v1/servers/${host.id}/metrics?${query}`, { as: viewer })
      expect([status, body.error.details.map((detail: { path: string }) => detail.path)]).toEqual([400, [path]])
    })
  })

  it('go with their server', async () => {
    const owner = await backend.member(organization, 'owner')
    expect((await backend.call('DELETE', `/v1/servers/${host.id}`, { as: owner })).status).toBe(204)
    for (const table of ['metric_push', 'metric_hour', 'metric_samples', 'metric_day', 'metric_late'])
      expect([table, await rowsOf(table)]).toEqual([table, 0])
  })
})

it('all samples of a new installation are compacted even if its job is stopped before the first day [METRIC-23]', async () => {
  viewer = await backend.apiKey(organization, 'read')
  const { id, as } = await backend.server(organization)
  const host: Host = { id, as, stands: new Map() }
  const now = backend.clock.now()
  await sql`delete from metric_progress`.execute(backend.pool.db)
  await keepPartitions(backend.pool.db, silentLog, now, backend.settings.retention)
  await fill(host, randomFrom(7), now - 3 * MINUTE, 49 * HOUR, 7 * MINUTE)
  let hours = 0
  const { pg } = backend.pool
  const connect = () => {
    hours += 1
    if (hours > 30) throw new Error('stopped')
    return pg.connect()
  }
  const stopping = { ...backend.pool, pg: { connect } as unknown as typeof pg }
  await expect(compactSamples(stopping, backend.clock)).rejects.toThrow('stopped')
  await compactSamples(backend.pool, backend.clock)
  await sql`delete from metric_push where t0 < ${now - 2 * HOUR}`.execute(backend.pool.db)
  await agrees(host)
})
