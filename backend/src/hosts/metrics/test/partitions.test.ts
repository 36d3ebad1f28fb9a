import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOptions } from '../../../../test/harness.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { compactSamples, keepPartitions } from '../index.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let backend: TestBackend
let server: { id: string; as: Credentials }
const logged: [object, string][] = []
async function start(options: TestOptions = {}): Promise<void> {
  const log = { ...silentLog, error: (facts: object, message: string) => void logged.push([facts, message]) }
  backend = await startTestBackend({ log, ...options })
  server = await backend.server(await backend.organization())
}
beforeEach(() => void (logged.length = 0))
afterEach(() => backend.close())

const keep = (nowMs = backend.clock.now()) => keepPartitions(backend.pool.db, silentLog, nowMs, backend.settings.retention)
const compact = () => compactSamples(backend.pool, backend.clock)
const iso = (ms: number) => new Date(ms).toISOString()

async function push(...ats: number[]) {
  const samples = ats.map((at) => ({ at: iso(at), cpu: { percent: 40 } }))
  const body = { batch_id: crypto.randomUUID(), sent_at: iso(backend.clock.now()), agent_version: '1', samples }
  const answer = await backend.call('POST', '/v1/agent/metrics', { as: server.as, body })
  expect(answer.status).toBe(202)
  return answer.body
}

async function read(query: string) {
  const as = await backend.apiKey({ number: 1, id: '', name: '' }, 'read')
  return (await backend.call('GET', `/v1/servers/${server.id}/metrics?${query}`, { as })).body
}

/** The partitions that hold a row. */
const partitionsOf = async (table: string): Promise<string[]> =>
  (await backend.pool.pg.query<{ name: string }>(`select distinct tableoid::regclass::text as name from ${table}`)).rows.map(
    // Nodes return the names of their shards.
    ({ name }) => /^[a-z_]+\d+/.exec(name)?.[0] ?? name,
  )
const partitionNames = async (table: string): Promise<string[]> =>
  (
    await backend.pool.pg.query<{ name: string }>(
      `select relname as name from pg_inherits join pg_class on oid = inhrelid where inhparent = '${table}'::regclass order by 1`,
    )
  ).rows.map(({ name }) => name)

it('several instances that make the partitions of the same days at once do not hinder each other', async () => {
  await start()
  for (let round = 1; round <= 5; round += 1) {
    const nowMs = backend.clock.now() + round * 6 * DAY
    const kept = Array.from({ length: 6 }, () => keep(nowMs))
    expect((await Promise.allSettled(kept)).filter(({ status }) => status === 'rejected')).toEqual([])
  }
})

it('pushes, which are dropped after two days, are not vacuumed for what is inserted', async () => {
  await start()
  const optionsOf = async (table: string) => {
    const { rows } = await backend.pool.pg.query<{ options: string[] | null }>(
      'select distinct reloptions as options from pg_inherits join pg_class on oid = inhrelid where inhparent = $1::regclass',
      [table],
    )
    return rows.map(({ options }) => options)
  }
  expect(await optionsOf('metric_push')).toEqual([['autovacuum_vacuum_insert_threshold=-1']])
  expect(await optionsOf('metric_hour')).toEqual([null])
})

it('a run after another changes nothing', async () => {
  await start()
  await keep()
  const before = await backend.pool.pg.query('select oid from pg_class order by 1')
  await keep()
  expect((await backend.pool.pg.query('select oid from pg_class order by 1')).rows).toEqual(before.rows)
})

it('raw samples are kept for eight days and more, and then go with their partition [METRIC-21, METRIC-22]', async () => {
  await start()
  const receivedMs = backend.clock.now()
  await push(receivedMs)
  // A job that does not run loses nothing: pushes that are not compacted stay, however old.
  await keep(receivedMs + 6 * DAY)
  const [pushes] = await partitionsOf('metric_push')
  expect(pushes).toMatch(/^metric_push_/)
  backend.clock.advance(3 * DAY)
  await compact()
  await keep()
  expect(await partitionsOf('metric_push')).toEqual([])
  // The day has its samples.
  expect(await partitionsOf('metric_hour')).toEqual([])
  const [samples] = await partitionsOf('metric_samples')
  expect(samples).toMatch(/^metric_samples_/)
  await keep(receivedMs + 8 * DAY)
  expect(await partitionsOf('metric_samples')).toEqual([samples])
  await keep(receivedMs + 11 * DAY)
  expect(await partitionsOf('metric_samples')).toEqual([])
  expect((await backend.pool.pg.query('select to_regclass($1) as gone', [samples])).rows).toEqual([{ gone: null }])
})

describe('the retention', () => {
  it('is a setting for samples: what is older is refused, what is not stays [METRIC-26]', async () => {
    await start({ environment: { VEDETTE_RAW_RETENTION_DAYS: '20' } })
    await keep()
    const now = backend.clock.now()
    expect(await push(now - 20 * DAY - 1, now - 20 * DAY + 1000)).toMatchObject({ accepted: 1, rejected: [{ index: 0 }] })
    await push(now)
    await compact()
    await compact()
    backend.clock.advance(15 * DAY)
    await compact()
    await keep()
    const { metrics } = await read(`from=${iso(now - 60_000)}&to=${iso(now + 60_000)}&points=10&metrics=cpu`)
    expect(metrics.cpu.avg_percent).toBe(40)
    expect(await partitionsOf('metric_samples')).toHaveLength(1)
    backend.clock.advance(7 * DAY)
    await keep()
    expect(await partitionsOf('metric_samples')).toEqual([])
  })

  it('is a setting for means [METRIC-24]', async () => {
    await start({ environment: { VEDETTE_ROLLUP_RETENTION_DAYS: '40' } })
    await push(backend.clock.now())
    backend.clock.advance(3 * DAY)
    await compact()
    expect(await partitionsOf('metric_day')).toEqual(['metric_day_202611'])
    backend.clock.advance(36 * DAY)
    await compact()
    await keep()
    expect(await partitionsOf('metric_day')).toHaveLength(1)
    backend.clock.advance(33 * DAY)
    await compact()
    await keep()
    expect(await partitionsOf('metric_day')).toEqual([])
  })

  it('is left to who knows it: a command drops no hours and no days', async () => {
    await start()
    await push(backend.clock.now())
    backend.clock.advance(3 * DAY)
    await compact()
    await keepPartitions(backend.pool.db, silentLog, backend.clock.now() + 900 * DAY)
    expect([await partitionsOf('metric_samples'), await partitionsOf('metric_day')]).toMatchObject(
      [[/./], [/./]].map(() => [expect.any(String)]),
    )
  })
})

it('an installation that was off for weeks keeps the means of its last day', async () => {
  await start()
  const now = backend.clock.now()
  await push(now - 2 * HOUR, now)
  await compact()
  backend.clock.advance(30 * DAY)
  await keep()
  await push(backend.clock.now())
  await compact()
  await keep()
  await compact()
  const day = Math.floor(now / DAY) * DAY
  const { metrics } = await read(`from=${iso(day)}&to=${iso(day + DAY)}&metrics=cpu&points=1000`)
  expect(metrics.cpu).toMatchObject({ avg_percent: 40, current_percent: 40 })
  expect((await backend.pool.pg.query('select from metric_day')).rowCount).toBe(1)
  // And in time its hours and pushes go as all others.
  expect(await partitionsOf('metric_push')).toHaveLength(1)
  expect(await partitionsOf('metric_hour')).toHaveLength(0)
  expect(await partitionsOf('metric_samples')).toHaveLength(0)
  expect(await partitionNames('metric_samples')).toHaveLength(9 + 1 + 1)
})

it('late samples find their hour even where the job comes days later', async () => {
  await start()
  await compact()
  const atMs = backend.clock.now() - 8 * DAY + 1000
  await push(atMs)
  backend.clock.advance(5 * DAY)
  await keep()
  expect(await compact()).toMatchObject({ late: 1 })
  const { rows } = await backend.pool.pg.query('select samples from metric_samples')
  expect(rows).toEqual([{ samples: 1 }])
})

it('the job that creates partitions logs an error for a table with too few future partitions, and continues with the others', async () => {
  await start()
  await backend.jobs.keepPartitions()
  expect(logged).toEqual([])
  // A table in the way: the partition of that day cannot be made.
  const now = backend.clock.now()
  const inTheWay = `metric_push_${iso(now + 4 * DAY)
    .slice(0, 10)
    .replaceAll('-', '')}`
  await backend.pool.pg.query(`create table ${inTheWay} (n int)`)
  backend.clock.advance(2 * DAY)
  await expect(backend.jobs.keepPartitions()).rejects.toThrow(/already exists/)
  expect(logged).toContainEqual([
    { table: 'metric_push', until: `${iso(now + 4 * DAY).slice(0, 10)}T00:00:00.000Z` },
    'partitions are missing: rows from `until` on will be refused',
  ])
  const late = logged.map(([facts]) => (facts as { table?: string }).table)
  expect(late).not.toContain('metric_hour')
  await backend.pool.pg.query(`drop table ${inTheWay}`)
  logged.length = 0
  await backend.jobs.keepPartitions()
  expect(logged.filter(([, message]) => message.startsWith('partitions'))).toEqual([])
})
