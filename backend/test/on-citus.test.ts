import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exportInstallation, importInstallation } from '../src/operating/archive/index.ts'
import { keepAllPartitions } from '../src/partitions.ts'
import { createPool, distribute, DISTRIBUTED, isDistributed, migrate, type Pool } from '../src/platform/db/index.ts'
import { decodeId } from '../src/platform/ids.ts'
import { silentLog } from '../src/platform/logging/log.ts'
import { findServerNumber } from '../src/hosts/servers/index.ts'
import { type Credentials, startTestBackend, type TestBackend } from './harness.ts'
import { contentsOf, fillInstallation, HOUR, makeDatabase, readAll, type FilledInstallation } from './filled-installation.ts'

// By `npm run test:citus` alone: on a coordinator with nodes, where the clones that backends get have their tables distributed.

const DAY = 24 * HOUR
const folder = mkdtempSync(join(tmpdir(), 'vdt-citus-'))
const databases: { drop(): Promise<void> }[] = []
let backend: TestBackend
let scene: FilledInstallation
beforeAll(async () => {
  backend = await startTestBackend()
  scene = await fillInstallation(backend)
}, 240_000)
afterAll(async () => {
  await backend.close()
  for (const { drop } of databases) await drop()
  rmSync(folder, { recursive: true, force: true })
})

async function newPool(spread: boolean): Promise<{ url: string; pool: Pool }> {
  const database = await makeDatabase({ spread })
  databases.push(database)
  return { url: database.url, pool: createPool({ url: database.url, clock: backend.clock, log: silentLog, max: 4 }) }
}

const iso = (ms: number) => new Date(ms).toISOString()

function push(as: Credentials, atMs: number, headers: Record<string, string> = {}) {
  const head = { batch_id: randomUUID(), sent_at: iso(backend.clock.now()), agent_version: '1' }
  const body = { ...head, samples: [{ at: iso(atMs), cpu: { percent: 12.5 } }] }
  return backend.call('POST', '/v1/agent/metrics', { as, body, headers })
}

describe('the distribution over nodes', { timeout: 240_000 }, () => {
  let pool: Pool
  beforeAll(async () => {
    ;({ pool } = await newPool(true))
    await migrate(pool.db, silentLog)
    await keepAllPartitions(pool.db, silentLog, backend.clock.now())
    await pool.pg.query(
      `insert into metric_push (t0, digest, t_last, received_at, organization, server, received_day, samples, data)
      select $1, n, $1, $1, n, n, $2::date, 1, '\\x00' from generate_series(1, 40) as n`,
      [backend.clock.now(), iso(backend.clock.now()).slice(0, 10)],
    )
  })
  afterAll(() => pool.end())

  it('spreads what grows by organization, with its rows, and again changes nothing', async () => {
    expect(await distribute(pool.db, silentLog)).toEqual([...DISTRIBUTED])
    const { rows } = await pool.pg.query(
      `select (select count(*)::int from metric_push) as pushes,
        (select count(distinct nodename || nodeport)::int from citus_shards where table_name = 'metric_push'::regclass) as nodes,
        (select count(distinct colocation_id)::int from citus_tables where citus_table_type = 'distributed') as groups,
        (select array_agg(table_name::text order by 1) from citus_tables
          where table_name::text !~ '[0-9]{6}$' and citus_table_type <> 'distributed') as others`,
    )
    expect(rows).toEqual([{ pushes: 40, nodes: 2, groups: 1, others: null }])
    expect(await distribute(pool.db, silentLog)).toEqual([])
  })

  it('refuses a database whose other tables lie on nodes', async () => {
    await pool.pg.query(`select create_distributed_table('metric_late', 'organization')`)
    await expect(distribute(pool.db, silentLog)).rejects.toThrow(/on the coordinator alone: metric_late\. Undistribute each/)
  })
})

describe('an installation on nodes', { timeout: 240_000 }, () => {
  it('answers every request as one on a plain PostgreSQL does, and moves there by an export', async () => {
    expect(await isDistributed(backend.pool.db)).toBe(true)
    const file = join(folder, 'from-nodes.vedette')
    await exportInstallation(
      { pool: backend.pool, clock: backend.clock, version: '0.1.0', reportProgress: () => undefined },
      file,
    )
    // Nothing but the database is known to it, as after a restart.
    const restarted = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    const there = await readAll(restarted, scene.urls, scene.owner)
    await restarted.close()
    const { url, pool } = await newPool(false)
    const deps = { pool, direct: pool, clock: backend.clock, log: silentLog, reportProgress: () => undefined }
    expect((await importInstallation(deps, file)).how).toBe('imported')
    expect(await isDistributed(pool.db)).toBe(false)
    expect(await contentsOf(pool.pg)).toEqual(await contentsOf(backend.pool.pg))
    await pool.end()
    const plain = await startTestBackend({ databaseUrl: url, clock: backend.clock })
    const here = await readAll(plain, scene.urls, scene.owner)
    await plain.close()
    expect(scene.urls.filter((_, index) => here[index] !== there[index])).toEqual([])
  })

  it('takes an export in, on nodes from the start', async () => {
    const file = join(folder, 'to-nodes.vedette')
    await exportInstallation(
      { pool: backend.pool, clock: backend.clock, version: '0.1.0', reportProgress: () => undefined },
      file,
    )
    const { pool } = await newPool(true)
    await migrate(pool.db, silentLog)
    await distribute(pool.db, silentLog)
    const deps = { pool, direct: pool, clock: backend.clock, log: silentLog, reportProgress: () => undefined }
    expect((await importInstallation(deps, file)).how).toBe('imported')
    expect(await contentsOf(pool.pg)).toEqual(await contentsOf(backend.pool.pg))
    await pool.end()
  })

  it('stores a push once, returns it at once, and compacts its late samples', async () => {
    const server = await backend.server(scene.organization)
    const now = backend.clock.now()
    const body = {
      batch_id: randomUUID(),
      sent_at: iso(now),
      agent_version: '1',
      samples: [now - 1_000, now - 5 * HOUR].map((at) => ({ at: iso(at), cpu: { percent: 77.5 } })),
    }
    const send = async () => (await backend.call('POST', '/v1/agent/metrics', { as: server.as, body })).body
    expect(await send()).toMatchObject({ accepted: 2, duplicates: 0 })
    expect(await send()).toMatchObject({ accepted: 0, duplicates: 2 })
    const shown = (await backend.call('GET', `/v1/servers/${server.id}`, { as: scene.owner })).body
    expect(shown).toMatchObject({ status: 'online', metrics: { cpu: { percent: 77.5 } } })
    const online = (await backend.call('GET', '/v1/servers?status=online&sort=-last_seen_at', { as: scene.owner })).body
    expect(online.servers[0]).toMatchObject({ id: server.id })
    // Late samples settle first.
    backend.clock.advance(6 * 60_000)
    await backend.jobs.compactSamples()
    const { rows } = await backend.pool.pg.query(
      `select (select count(*)::int from metric_late where server = $1) as late,
        (select count(*)::int from metric_hour where server = $1) + (select count(*)::int from metric_samples where server = $1) > 0 as stored`,
      [await numberOf(server.id)],
    )
    expect(rows).toEqual([{ late: 0, stored: true }])
  })

  const numberOf = (id: string) => findServerNumber(backend.pool.db, scene.organization.number, decodeId('server', id))

  it('lets a token be replaced once the pushes under way with it are through, and none after', async () => {
    const server = await backend.server(scene.organization)
    const hold = await backend.pool.pg.connect()
    const at = backend.clock.now() - 7 * HOUR
    // A push with late samples of this hour waits for its lock.
    await hold.query('begin')
    await hold.query(`select pg_advisory_xact_lock(730530, $1)`, [Math.floor(at / HOUR)])
    const underWay = push(server.as, at)
    await untilWaiting(1)
    const replaced = backend.call('POST', `/v1/servers/${server.id}/regenerate-token`, { as: scene.owner })
    await untilWaiting(2)
    await hold.query('rollback')
    hold.release()
    expect([(await underWay).status, (await replaced).status]).toEqual([202, 200])
    expect((await push(server.as, at + 1)).status).toBe(401)
  })

  async function untilWaiting(many: number): Promise<void> {
    for (;;) {
      const { rows } = await backend.pool.pg.query<{ many: number }>(
        `select count(*)::int as many from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      if ((rows[0]?.many ?? 0) >= many) return
    }
  }

  it('goes on for those whose node is there while another is away', async () => {
    const organizations = await Promise.all(Array.from({ length: 8 }, (_, index) => backend.organization(`O${index}`)))
    const servers = await Promise.all(organizations.map((organization) => backend.server(organization)))
    const pushAll = async () => {
      const answers = await Promise.all(servers.map(({ as }) => push(as, backend.clock.now() - 1_000)))
      return answers.map(({ status }) => status)
    }
    const all = servers.map(() => 202)
    expect(await pushAll()).toEqual(all)
    // Nobody listens there.
    const { rows } = await backend.pool.pg.query<{ port: number }>(
      `select nodeport as port from pg_dist_node where groupid > 0 order by nodeid limit 1`,
    )
    const move = (from: unknown, to: unknown) =>
      backend.pool.pg.query('update pg_dist_node set nodeport = $2 where nodeport = $1', [from, to])
    await move(rows[0]?.port, 1)
    backend.clock.advance(10_000)
    const there = await pushAll()
    expect(new Set(there)).toEqual(new Set([202, 503]))
    await move(1, rows[0]?.port)
    // The node rests first.
    backend.clock.advance(10_000)
    expect(await pushAll()).toEqual(all)
  })

  it('drops what is past its retention, and goes on', async () => {
    const oldest = async () =>
      (await backend.pool.pg.query<{ day: string }>('select min(day)::text as day from metric_hour')).rows[0]?.day ?? ''
    const before = await oldest()
    backend.clock.advance(60 * DAY)
    // The first run puts the last hours together, the second takes in what came late to them.
    for (const _ of [1, 2]) await backend.jobs.compactSamples()
    await backend.jobs.compactChecks()
    await keepAllPartitions(backend.pool.db, silentLog, backend.clock.now(), backend.settings.retention)
    expect(before < iso(backend.clock.now() - 60 * DAY)).toBe(true)
    const { rows } = await backend.pool.pg.query(
      `select (select count(*)::int from metric_hour) as hours, (select count(*)::int from check_result) as checks,
        (select count(*)::int from metric_day) > 0 as "hasDays"`,
    )
    expect(rows).toEqual([{ hours: 0, checks: 0, hasDays: true }])
    const server = await backend.server(scene.organization)
    expect((await push(server.as, backend.clock.now() - 1_000)).status).toBe(202)
  })
})
