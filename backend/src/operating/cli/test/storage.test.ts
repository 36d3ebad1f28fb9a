import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { writeRequest } from '../../../../test/write-request.ts'
import { waitPastBoundary } from '../../../../test/time-boundary.ts'
import { callVedette } from './run-vedette.ts'

const HOUR = 3_600_000

describe('vedette', () => {
  let backend: TestBackend
  let server: { id: string; as: Credentials }
  const folder = mkdtempSync(join(tmpdir(), 'vdt-cli-'))
  beforeAll(async () => {
    // On the real clock of the program.
    backend = await startTestBackend({ startMs: Date.now() })
    server = await backend.server(await backend.organization())
  })
  afterAll(async () => {
    await backend.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = (...args: string[]) =>
    callVedette(args, { DATABASE_URL: backend.databaseUrl, VEDETTE_DATA_DIR: join(folder, 'data') })
  const status = async () => {
    const { code, json } = await run('status', '--json')
    expect(code).toBe(0)
    return json
  }
  async function push(atMs: number): Promise<void> {
    const head = { batch_id: randomUUID(), sent_at: new Date(backend.clock.now()).toISOString(), agent_version: '1' }
    const body = { ...head, samples: [{ at: new Date(atMs).toISOString(), cpu: { percent: 1 } }] }
    expect((await backend.call('POST', '/v1/agent/metrics', { as: server.as, body })).status).toBe(202)
  }

  // An hour is due ten minutes after its end, and each day needs a partition: status must not change within a test.
  beforeEach(async () => {
    await waitPastBoundary(HOUR, 20_000, 600_000)
    await waitPastBoundary(24 * HOUR, 20_000)
  })

  it('compact compacts hours while an instance runs, and status prints the progress [METRIC-27]', async () => {
    await backend.pool.pg.query(`update server set registered_at = now() - interval '2 days'`)
    await push(backend.clock.now() - 5 * HOUR)
    const before = await status()
    expect(before.compaction).toMatchObject({ done_until: null, is_late: true, late_hours: 1 })
    expect(before.compaction.lag_seconds).toBeGreaterThan(40 * 3600)
    expect(before.is_well).toBe(false)

    const done = await run('compact', '--json')
    expect([done.code, done.json]).toMatchObject([0, { late_hours: 0, done_until: expect.stringMatching(/:00:00\.000Z$/) }])
    // From the first sample on; the last hour is due ten minutes after its end.
    expect([4, 5]).toContain(done.json.hours)
    expect([0, 1]).toContain(done.json.days)
    // In the first hours of a day it belongs to the one that has ended.
    const table = done.json.days === 0 ? 'metric_hour' : 'metric_samples'
    const { rows } = await backend.pool.pg.query(`select samples from ${table}`)
    expect(rows).toEqual([{ samples: 1 }])

    // The late sample is in its hour.
    expect((await run('compact', '--json')).json).toMatchObject({ hours: 0, late_hours: 0 })
    const after = await status()
    expect(after.is_well).toBe(true)
    expect(after.compaction).toEqual({
      done_until: done.json.done_until,
      lag_seconds: 0,
      is_late: false,
      late_hours: 0,
      oldest_late_at: null,
    })
  })

  it('compact compacts series and readings of entities too', async () => {
    const at = backend.clock.now() - 2 * HOUR
    const entities = [{ kind: 'container', name: 'web', values: { cpu_percent: 3 } }]
    // The newest readings of a server stay.
    for (const sentAt of [backend.clock.now() - 1_000, backend.clock.now()]) {
      const head = { batch_id: randomUUID(), sent_at: new Date(sentAt).toISOString(), agent_version: '1' }
      const body = { ...head, samples: [{ at: new Date(sentAt).toISOString(), cpu: { percent: 1 } }], entities }
      expect((await backend.call('POST', '/v1/agent/metrics', { as: server.as, body })).status).toBe(202)
    }
    await backend.pool.pg.query('update entity_push set at = at - $1', [2 * HOUR])
    const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
    const series = writeRequest([{ labels: { __name__: 'a' }, samples: [[at, 1]] }])
    const as = await backend.apiKey(await backend.organization(), 'ingest')
    expect((await backend.call('POST', '/v1/prometheus/api/v1/write', { as, headers, body: series })).status).toBe(204)
    expect((await run('compact')).code).toBe(0)
    const count = async (table: string) => (await backend.pool.pg.query(`select from ${table}`)).rowCount
    const tables = ['series_push', 'series_chunk', 'entity_push', 'entity_chunk']
    expect(await Promise.all(tables.map(count))).toEqual([0, 1, 1, 1])
  })

  it('status reports late samples until they are compacted', async () => {
    await push(backend.clock.now() - 6 * HOUR)
    const { compaction } = await status()
    expect(compaction).toMatchObject({
      late_hours: 1,
      is_late: false,
      oldest_late_at: new Date(backend.clock.now()).toISOString(),
    })
    expect((await run('compact', '--json')).json).toMatchObject({ hours: 0, late_hours: 1 })
    expect((await status()).compaction).toMatchObject({ late_hours: 0, oldest_late_at: null })
  })

  it('status shows until when partitions are created, and creates none', async () => {
    const ready = await status()
    expect(ready.partitions.map(({ table }: { table: string }) => table).toSorted()).toEqual([
      'audit_event',
      'check_day',
      'check_hour',
      'check_result',
      'entity_chunk',
      'incident',
      'incident_event',
      'live_event',
      'metric_day',
      'metric_hour',
      'metric_push',
      'metric_samples',
      'ping',
      'process_list',
      'series_chunk',
    ])
    expect(ready.partitions.filter((one: { is_late: boolean }) => one.is_late)).toEqual([])
    const pushesOf = ({ partitions }: { partitions: { table: string; until: string }[] }) =>
      partitions.find(({ table }) => table === 'metric_push')
    const until = Date.parse(pushesOf(ready)?.until ?? '')
    expect(until).toBeGreaterThan(backend.clock.now() + 3 * 24 * HOUR)

    const nameOf = (ms: number) => `metric_push_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`
    for (const days of [1, 2]) await backend.pool.pg.query(`drop table ${nameOf(until - days * 24 * HOUR)}`)
    for (const attempt of [1, 2]) {
      const json = await status()
      expect([attempt, json.is_well, pushesOf(json)]).toMatchObject([
        attempt,
        false,
        { table: 'metric_push', is_late: true, until: new Date(until - 48 * HOUR).toISOString() },
      ])
    }
    expect((await run('status')).stdout).toMatch(/^partitions metric_push: 3, created until .* {2}LATE/m)
    // Every other command makes them.
    await run('org', 'list')
    expect((await status()).is_well).toBe(true)
  })
})
