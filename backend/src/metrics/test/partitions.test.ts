import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../test/harness.ts'
import { silentLog } from '../../platform/log.ts'
import { compactSamples, keepPartitions } from '../index.ts'

const DAY = 86_400_000

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

it('several instances that make the partitions of the same days at once do not hinder each other', async () => {
  for (let round = 1; round <= 5; round += 1) {
    const nowMs = backend.clock.now() + round * 6 * DAY
    const kept = Array.from({ length: 6 }, () => keepPartitions(backend.pool.db, silentLog, nowMs))
    expect((await Promise.allSettled(kept)).filter(({ status }) => status === 'rejected')).toEqual([])
  }
})

it('raw samples are kept for eight days and more, and then go with their partition [METRIC-21, METRIC-22]', async () => {
  const { db, pg } = backend.pool
  await keepPartitions(db, silentLog, backend.clock.now())
  const server = await backend.server(await backend.organization())
  const at = new Date(backend.clock.now()).toISOString()
  const body = { batch_id: crypto.randomUUID(), sent_at: at, agent_version: '1', samples: [{ at, cpu: { percent: 1 } }] }
  expect((await backend.call('POST', '/v1/agent/metrics', { as: server.as, body })).status).toBe(202)
  const receivedMs = backend.clock.now()
  const partitionsOf = async (table: string) =>
    (await pg.query<{ name: string }>(`select distinct tableoid::regclass::text as name from ${table}`)).rows.map(
      ({ name }) => name,
    )
  // A job that does not come loses nothing: pushes that are not put together stay, however old.
  await keepPartitions(db, silentLog, receivedMs + 6 * DAY)
  const [pushes] = await partitionsOf('metric_push')
  expect(pushes).toMatch(/^metric_push_/)
  backend.clock.advance(3 * DAY)
  await compactSamples(db, backend.clock)
  await keepPartitions(db, silentLog, backend.clock.now())
  expect(await partitionsOf('metric_push')).toEqual([])
  const [hours] = await partitionsOf('metric_hour')
  expect(hours).toMatch(/^metric_hour_/)
  await keepPartitions(db, silentLog, receivedMs + 8 * DAY)
  expect(await partitionsOf('metric_hour')).toEqual([hours])
  await keepPartitions(db, silentLog, receivedMs + 10 * DAY)
  expect(await partitionsOf('metric_hour')).toEqual([])
  expect((await pg.query('select to_regclass($1) as gone', [hours])).rows).toEqual([{ gone: null }])
})
