import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../test/harness.ts'
import { silentLog } from '../../platform/log.ts'
import { keepPartitions } from '../index.ts'

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
  const partitionOf = async () =>
    (await pg.query<{ name: string }>('select tableoid::regclass::text as name from metric_push')).rows.map(({ name }) => name)
  const [partition] = await partitionOf()
  expect(partition).toMatch(/^metric_push_/)
  await keepPartitions(db, silentLog, receivedMs + 8 * DAY)
  expect(await partitionOf()).toEqual([partition])
  await keepPartitions(db, silentLog, receivedMs + 11 * DAY)
  expect(await partitionOf()).toEqual([])
  expect((await pg.query('select to_regclass($1) as gone', [partition])).rows).toEqual([{ gone: null }])
})
