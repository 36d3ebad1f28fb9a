import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { compactSamples, keepPartitions } from '../../metrics/index.ts'
import { markAlive } from '../../servers/index.ts'
import { newId } from '../../../platform/ids.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let server: { id: string; as: Credentials }
beforeAll(async () => {
  backend = await startTestBackend({ startMs: Date.parse('2026-09-01T00:30:00.000Z') })
  organization = await backend.organization()
  admin = await backend.apiKey(organization, 'admin')
  server = await backend.server(organization)
})
afterAll(() => backend.close())

const disk = (mount: string, percent: number) => ({
  mount,
  fs_type: 'ext4',
  used_bytes: Math.round(percent * 1_000),
  total_bytes: 100_000,
  percent,
})

/** A day with two pushes: at its end the filesystem is fuller. */
async function day(percent: number): Promise<void> {
  for (const [hours, part] of [
    [8, percent - 1],
    [16, percent],
  ] as const) {
    backend.clock.advance(hours * HOUR)
    const at = new Date(backend.clock.now()).toISOString()
    const body = {
      batch_id: randomUUID(),
      sent_at: at,
      agent_version: '1',
      samples: [{ at, cpu: { percent: 1 }, memory: { percent: 40 } }],
      filesystems: [disk('/', part), disk('/boot', 20)],
    }
    const { status } = await backend.call('POST', '/v1/agent/metrics', { as: server.as, body })
    expect(status).toBe(202)
  }
  await keepPartitions(backend.pool.db, silentLog, backend.clock.now())
  await compactSamples(backend.pool, backend.clock)
}
const forecasts = async () =>
  (await backend.call('GET', `/v1/servers/${server.id}/forecast`, { as: admin })).body.forecasts as Record<string, unknown>[]

it('days of stored samples become a forecast, a rule opens, a clean-up resolves it, and the preview shows what it would have opened [FORECAST-01]', async () => {
  await keepPartitions(backend.pool.db, silentLog, backend.clock.now())
  for (let passed = 0; passed < 10; passed++) await day(60 + passed)
  expect((await forecasts()).map(({ silence }) => silence)).toEqual(['too_few_days', 'too_few_days', 'too_few_days'])
  for (let passed = 10; passed < 20; passed++) await day(60 + passed)
  const [root, ...others] = await forecasts()
  expect(root).toMatchObject({
    subject: 'filesystem',
    mount: '/',
    days_until_full: expect.closeTo(21, 0),
    percent_per_day: expect.closeTo(1, 1),
  })
  expect(others.map(({ mount, silence }) => [mount, silence])).toEqual([
    [null, 'not_growing'],
    ['/boot', 'not_growing'],
  ])
  const rule = {
    name: 'disk fills',
    target: { type: 'server', id: server.id },
    condition: { metric: 'filesystem.days_until_full', operator: 'less_than', value: 14 },
  }
  const created = await backend.call('POST', '/v1/alert-rules', { as: admin, body: rule })
  expect(created.body.condition).toEqual({ ...rule.condition, mount: null })
  const summaries = async () => {
    await markAlive(backend.pool.db, { id: newId(), startedAt: new Date(backend.clock.now()) }, new Date(backend.clock.now()))
    await backend.jobs.evaluateServers()
    const { body } = await backend.call('GET', '/v1/incidents', { as: admin })
    const all = body.incidents as { status: string; summary: string }[]
    return all.filter(({ summary }) => /full|fill/.test(summary)).map(({ status, summary }) => `${status}: ${summary}`)
  }
  expect(await summaries()).toEqual([])
  for (let passed = 20; passed < 30; passed++) await day(60 + passed)
  expect(await summaries()).toEqual([
    expect.stringMatching(/^open: web-1: \/ is full in 1[01](\.\d)? days \(.*; threshold: below 14 days\)$/),
  ])
  const preview = await backend.call('POST', '/v1/alert-rules/preview', { as: admin, body: rule })
  expect(preview.body).toMatchObject({ would_open: 1, step_seconds: 86_400 })
  const opened = Date.parse(preview.body.incidents[0].opened_at)
  // Seven days ago the line said 14.
  expect((backend.clock.now() - opened) / DAY).toBeGreaterThan(1)
  expect((backend.clock.now() - opened) / DAY).toBeLessThan(6)
  for (let passed = 30; passed < 34; passed++) await day(60 + passed)
  await backend.vedette.flushAll()
  await summaries()
  const { health } = (await backend.call('GET', `/v1/servers/${server.id}`, { as: admin })).body
  expect(health.findings).toMatchObject([{ code: 'fills_soon', field: '/', limit: 7, value: expect.closeTo(6, -1) }])
  for (let passed = 0; passed < 4; passed++) await day(30)
  await backend.vedette.flushAll()
  // That of the rule, that of the default rule on the finding, and that of its fullness.
  expect(await summaries()).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^resolved/)))
})

it('a disk that was steady and fills within hours has a forecast, and opens a rule [FORECAST-13]', async () => {
  const filling = await backend.server(organization)
  const as = filling.as
  const push = async (percent: number) => {
    backend.clock.advance(HOUR)
    const at = new Date(backend.clock.now()).toISOString()
    const samples = [{ at, cpu: { percent: 1 }, memory: { percent: 40 } }]
    const body = { batch_id: randomUUID(), sent_at: at, agent_version: '1', samples, filesystems: [disk('/var', percent)] }
    expect((await backend.call('POST', '/v1/agent/metrics', { as, body })).status).toBe(202)
  }
  const rule = {
    name: 'disk fills today',
    target: { type: 'server', id: filling.id },
    condition: { metric: 'filesystem.days_until_full', operator: 'less_than', value: 1 },
  }
  expect((await backend.call('POST', '/v1/alert-rules', { as: admin, body: rule })).status).toBe(201)
  await keepPartitions(backend.pool.db, silentLog, backend.clock.now() + 3 * DAY)
  for (let passed = 0; passed < 40; passed += 1) await push(40)
  for (let passed = 1; passed <= 10; passed += 1) await push(40 + 3 * passed)
  const { body } = await backend.call('GET', `/v1/servers/${filling.id}/forecast`, { as: admin })
  expect(body.forecasts[0]).toMatchObject({
    mount: '/var',
    days_until_full: expect.closeTo(10 / 24, 2),
    percent_per_day: expect.closeTo(72, 0),
  })
  await markAlive(backend.pool.db, { id: newId(), startedAt: new Date(backend.clock.now()) }, new Date(backend.clock.now()))
  await backend.jobs.evaluateServers()
  const { incidents } = (await backend.call('GET', '/v1/incidents', { as: admin })).body
  expect(incidents.map(({ summary }: { summary: string }) => summary)).toContainEqual(
    expect.stringMatching(/: \/var is full in 10 hours \(.*; threshold: below 1 day\)$/),
  )
})

it('a forecast is not seen by another organization [FORECAST-02]', async () => {
  const other = await backend.organization()
  const as = await backend.apiKey(other, 'read')
  expect((await backend.call('GET', `/v1/servers/${server.id}/forecast`, { as })).status).toBe(404)
})
