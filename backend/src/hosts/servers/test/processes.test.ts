import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { parseId } from '../../../platform/ids.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

const iso = (ms: number) => new Date(ms).toISOString()
const named = (...names: string[]) =>
  names.map((name, index) => ({ pid: index + 1, name, cpu_percent: 12.345, memory_bytes: 4_096, args: '--password=x' }))

describe('GET /v1/servers/:id/processes', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let viewer: { authorization: string }
  let server: Awaited<ReturnType<TestBackend['server']>>
  beforeAll(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
  })
  afterAll(() => backend.close())
  beforeEach(async () => {
    // Created for each test, because the clock advances by days and credentials expire.
    viewer = await backend.member(organization, 'viewer')
    server = await backend.server(organization)
  })

  const batch = (atMs: number, state: object) => ({
    batch_id: randomUUID(),
    sent_at: iso(atMs),
    agent_version: '1',
    samples: [{ at: iso(atMs - 10_000) }, { at: iso(atMs) }],
    ...state,
  })
  const push = async (...batches: object[]) => {
    const { status } = await backend.call('POST', '/v1/agent/metrics', { as: server.as, body: { batches } })
    expect(status).toBe(202)
  }
  const getProcesses = async (at?: number) =>
    (await backend.call('GET', `/v1/servers/${server.id}/processes${at === undefined ? '' : `?at=${iso(at)}`}`, { as: viewer }))
      .body
  const details = async () => (await backend.call('GET', `/v1/servers/${server.id}`, { as: viewer })).body
  const stored = async () =>
    (await backend.pool.db.selectFrom('process_list').select('at_ms').where('organization', '=', organization.number).execute())
      .length

  it('returns the list nearest to `at`, the later one on a tie, and the newest without `at` [SERVER-18, AGENT-34]', async () => {
    const now = backend.clock.now()
    for (const minute of [3, 2, 1, 0])
      await push(batch(now - minute * MINUTE, { processes: named(`m${minute}`), host: { uptime_seconds: 60 } }))
    const expected = { server_id: server.id, sampled_at: iso(now), processes: [{ name: 'm0' }] }
    for (const flush of [false, true]) {
      // Before they are stored and after.
      if (flush) await backend.vedette.flush()
      expect(await getProcesses()).toMatchObject(expected)
      expect(await getProcesses(now + HOUR)).toMatchObject(expected)
      expect((await getProcesses(now - 2 * MINUTE + 29_999)).processes[0].name).toBe('m2')
      expect((await getProcesses(now - 2 * MINUTE + 30_000)).processes[0].name).toBe('m1')
      expect((await getProcesses(now - HOUR)).sampled_at).toBe(iso(now - 3 * MINUTE))
    }
    expect((await details()).processes).toEqual([{ pid: 1, name: 'm0', cpu_percent: 12.35, memory_bytes: 4_096 }])
  })

  it('stores only the command names of processes [AGENT-34]', async () => {
    await push(batch(backend.clock.now(), { processes: named('node') }))
    await backend.vedette.flushAll()
    const { rows } = await backend.pool.pg.query<{ processes: Buffer }>('select processes from process_list')
    expect(rows.map(({ processes }) => processes.toString('latin1')).join('\n')).not.toContain('password')
    expect((await getProcesses()).processes).toEqual([{ pid: 1, name: 'node', cpu_percent: 12.35, memory_bytes: 4_096 }])
  })

  it('waits for more lists until there are as many as one flush needs', async () => {
    const before = await stored()
    for (const minute of [1, 0]) {
      await push(batch(backend.clock.now() - minute * MINUTE, { processes: named('node') }))
      await backend.vedette.flush(2)
      expect((await stored()) - before).toBe(minute === 0 ? 2 : 0)
    }
  })

  it('returns names, unknown values and the largest values as they were sent [SERVER-18]', async () => {
    const most = Number.MAX_SAFE_INTEGER
    const processes = [
      { pid: 0, name: 'größer', cpu_percent: null, memory_bytes: null },
      { pid: most, name: 'x', cpu_percent: 0, memory_bytes: most },
      { pid: 7, name: 'y', cpu_percent: 100, memory_bytes: 0 },
      { pid: 8, name: 'z', cpu_percent: 0.07, memory_bytes: null },
    ]
    await push(batch(backend.clock.now(), { processes }))
    await backend.vedette.flush()
    expect(await stored()).toBeGreaterThan(0)
    expect((await getProcesses()).processes).toEqual(processes)
  })

  it('stores one list for each batch of a backlog, also when the backlog is sent twice', async () => {
    const now = backend.clock.now()
    const before = await stored()
    const batches = [0, 1, 2].map((minute) => batch(now - minute * MINUTE, { processes: named(`m${minute}`) }))
    await push(...batches)
    await push(...batches)
    await backend.vedette.flush()
    expect((await stored()) - before).toBe(3)
    await push(...batches)
    await backend.vedette.flush()
    expect((await stored()) - before).toBe(3)
    expect((await getProcesses(now - 2 * MINUTE)).processes[0].name).toBe('m2')
  })

  it('stores a list once that another instance stores in the same moment', async () => {
    const [now, before] = [backend.clock.now(), await stored()]
    const other = await backend.pool.pg.connect()
    await other.query('begin')
    await other.query(
      `insert into process_list (organization, server, at_ms, day, processes)
      select organization, number, $2, $3, '' from server where id = $1`,
      [parseId('server', server.id), now, iso(now).slice(0, 10)],
    )
    await push(batch(now, { processes: named('same') }), batch(now - MINUTE, { processes: named('another') }))
    const flushed = backend.vedette.flush()
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'insert into process_list' and datname = current_database()`
    await expect.poll(async () => (await backend.pool.pg.query(waiting)).rowCount, { timeout: 20_000 }).toBe(1)
    await other.query('commit')
    other.release()
    await flushed
    expect((await stored()) - before).toBe(2)
  })

  it('neither returns nor accepts lists older than 48 hours, and drops them by the day', async () => {
    const start = backend.clock.now()
    await push(batch(start - 48 * HOUR - 1, { processes: named('too old') }))
    expect((await getProcesses()).sampled_at).toBeNull()
    await push(batch(start - 48 * HOUR, { processes: named('just') }))
    await backend.vedette.flush()
    expect((await getProcesses()).processes[0].name).toBe('just')
    backend.clock.advance(1)
    expect(await getProcesses()).toEqual({ server_id: server.id, sampled_at: null, processes: [] })
    for (let day = 0; day < 4; day++) {
      backend.clock.advance(24 * HOUR)
      await backend.jobs.keepPartitions()
    }
    expect(await stored()).toBe(0)
  })

  it('an empty list replaces the displayed one', async () => {
    await push(batch(backend.clock.now(), { processes: named('node') }))
    backend.clock.advance(MINUTE)
    await push(batch(backend.clock.now(), { processes: [] }))
    expect((await details()).processes).toEqual([])
    // A push without processes, such as the last one before a stop, keeps the displayed list.
    await push(batch(backend.clock.now() + 1, { processes: named('again') }))
    await push(batch(backend.clock.now() + 2, { filesystems: [] }))
    expect((await details()).processes).toMatchObject([{ name: 'again' }])
  })

  it('what a push omits stays unchanged, before and after storing, on any instance', async () => {
    const now = backend.clock.now()
    await push(batch(now, { processes: named('kept'), host: { uptime_seconds: 9 } }))
    await backend.vedette.flush()
    // A state is stored every five minutes.
    const later = now + 5 * MINUTE
    backend.clock.advance(5 * MINUTE)
    const filesystems = [{ mount: '/new', fs_type: 'ext4', used_bytes: 1, total_bytes: 2, percent: 50 }]
    await push(batch(later, { filesystems }))
    const expected = { processes: [{ name: 'kept' }], uptime_seconds: 9, filesystems }
    expect(await details()).toMatchObject(expected)
    await backend.vedette.flush()
    expect(await details()).toMatchObject(expected)
    const other = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    const body = { batches: [batch(later + MINUTE, { interfaces: [] })] }
    expect((await other.call('POST', '/v1/agent/metrics', { as: server.as, body })).status).toBe(202)
    for (const isStored of [false, true]) {
      if (isStored) await other.vedette.flushAll()
      const { body: shown } = await other.call('GET', `/v1/servers/${server.id}`, { as: viewer })
      expect(shown).toMatchObject({ ...expected, interfaces: [] })
    }
    await other.close()
  })

  it('deletes the lists together with their server', async () => {
    const admin = await backend.member(organization, 'admin')
    await push(batch(backend.clock.now(), { processes: named('node') }))
    await backend.vedette.flush()
    const before = await stored()
    expect((await backend.call('DELETE', `/v1/servers/${server.id}`, { as: admin })).status).toBe(204)
    expect((await stored()) - before).toBe(-1)
  })

  it('returns 400 naming an invalid `at` or an unknown parameter', async () => {
    for (const [query, path] of [
      ['at=yesterday', 'at'],
      ['at=2026-02-30T00:00:00Z', 'at'],
      ['when=now', 'when'],
    ]) {
      const { status, body } = await backend.call('GET', `/v1/servers/${server.id}/processes?${query}`, { as: viewer })
      expect([status, body.error.details[0].path]).toEqual([400, path])
    }
  })

  it('GET /v1/servers/:id returns the container of the agent with known fields only', async () => {
    expect((await details()).container).toBeNull()
    const container = { runtime: 'docker', cgroup_version: 2, memory_limit_bytes: 5, cpu_limit_cores: null }
    const body = { container: { ...container, image: 'secret' } }
    expect((await backend.call('PUT', '/v1/agent/facts', { as: server.as, body })).status).toBe(204)
    expect((await details()).container).toEqual(container)
  })

  it('GET /v1/servers/:id returns the host state of the newest push, null where nothing is reported', async () => {
    const nothing = {
      uptime_seconds: null,
      logged_in_users: null,
      failed_units: null,
      reboot_required: null,
      missing_processes: null,
      processes: [],
    }
    expect(await details()).toMatchObject(nothing)
    await push(
      batch(backend.clock.now(), { host: { uptime_seconds: 5, failed_units: ['a.service'], missing_processes: [], later: 1 } }),
    )
    const expected = { ...nothing, uptime_seconds: 5, failed_units: ['a.service'], missing_processes: [] }
    expect(await details()).toMatchObject(expected)
    await backend.vedette.flushAll()
    const other = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    const { body } = await other.call('GET', `/v1/servers/${server.id}`, { as: await backend.apiKey(organization, 'read') })
    expect(body).toMatchObject(expected)
    await other.close()
  })
})
