import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NO_ANNOUNCEMENTS } from '../../../../test/changes.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { incidentsOf } from '../../../../test/watched-monitor.ts'
import { ALL_SLICES, createPool } from '../../../platform/db/index.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { createServerEvaluator } from '../evaluation/servers.ts'
import { measure, startBeating } from '../../../../test/measured-server.ts'

// What is evaluated together, or by an evaluation that starts over, gives the same incidents as one push after the other.

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
let instance: ReturnType<typeof startBeating>
beforeAll(async () => {
  backend = await startTestBackend()
  instance = startBeating(backend)
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  await removeRules(backend, organization)
})

const call = async (method: string, url: string, body?: unknown) => (await backend.call(method, url, { as: admin, body })).body
const above = (metric: string, value: number) => ({ metric, operator: 'greater_than', value })
const ruleOf = (condition: object, own: object = {}) =>
  call('POST', '/v1/alert-rules', { name: 'rule', target: { type: 'server' }, condition, ...own })
const statusesOf = async (uuid: string) => (await incidentsOf(backend, uuid)).map(({ status }) => status)
const evaluate = () => backend.jobs.evaluateServers()
const evaluator = (db = backend.pool.db) =>
  createServerEvaluator({
    db,
    clock: backend.clock,
    changes: NO_ANNOUNCEMENTS,
    pushIntervalSeconds: 60,
    slices: () => ALL_SLICES,
  })

async function pass(seconds: number, run = evaluate): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 2) {
    backend.clock.advance(2_000)
    if (passed % 10 === 0) await instance.beat()
    await run()
  }
}

/** A server whose first push is evaluated, by a rule that opens above 90 and recovers at 80. */
async function watched(first = 50) {
  await ruleOf(above('cpu.percent', 90), { clear_value: 80 })
  const server = await measure(backend, organization)
  await instance.beat()
  // Listed first.
  await pass(16)
  await server.sends({ 'cpu.percent': [first] })
  await pass(64)
  return { ...server, says: (percent: number) => server.sends({ 'cpu.percent': [percent] }) }
}

describe('pushes that are evaluated together', () => {
  it('resolve an incident by a recovery after a push between both thresholds', async () => {
    const { uuid, says } = await watched(95)
    expect(await statusesOf(uuid)).toEqual(['open'])
    await says(85)
    backend.clock.advance(3_000)
    await says(70)
    await pass(35)
    expect(await statusesOf(uuid)).toEqual(['resolved'])
  })

  it('open and resolve an incident for a value that came and went, with both in its timeline', async () => {
    const { uuid, says } = await watched()
    for (const percent of [95, 70, 85]) {
      await says(percent)
      backend.clock.advance(2_000)
    }
    await pass(62)
    expect(await statusesOf(uuid)).toEqual(['resolved'])
    const { incidents } = await call('GET', '/v1/incidents')
    const { timeline, summary } = await call('GET', `/v1/incidents/${incidents[0].id}`)
    expect(summary).toBe('web-1: CPU 95 % (threshold 90 %)')
    expect(timeline.map(({ type }: { type: string }) => type)).toEqual(['opened', 'resolved'])
    expect(timeline.at(-1).message).toBe('web-1: CPU 70 % (threshold 90 %)')
  })
})

describe('an evaluation that starts over', () => {
  it('opens what came before an unrelated rule was created, and went before it', async () => {
    const { uuid, says } = await watched()
    await says(95)
    backend.clock.advance(3_000)
    await says(50)
    await ruleOf(above('memory.percent', 99))
    await pass(2)
    expect(await statusesOf(uuid)).toEqual(['resolved'])
  })

  it('repeats nothing after a rule was created, changed or deleted', async () => {
    const { uuid, says } = await watched(95)
    await says(50)
    await pass(62)
    expect(await statusesOf(uuid)).toEqual(['resolved'])
    const { id } = await ruleOf(above('memory.percent', 99))
    await pass(2)
    await call('PATCH', `/v1/alert-rules/${id}`, { condition: above('memory.percent', 98) })
    await pass(2)
    await call('DELETE', `/v1/alert-rules/${id}`)
    await pass(2)
    expect(await statusesOf(uuid)).toEqual(['resolved'])
  })

  it('compares a new rule with the newest push alone', async () => {
    const { uuid, says } = await watched(10)
    await says(85)
    backend.clock.advance(3_000)
    await says(10)
    await ruleOf(above('cpu.percent', 60))
    await pass(8)
    expect(await statusesOf(uuid)).toEqual([])
  })

  it.each([10, 3_600])('opens what came and went before the clock stepped back by %i s', async (seconds) => {
    const { uuid, says } = await watched()
    await says(95)
    backend.clock.advance(3_000)
    await says(50)
    backend.clock.advance(-seconds * 1_000)
    admin = await backend.member(organization, 'admin')
    await pass(5)
    expect(await statusesOf(uuid)).toEqual(['resolved'])
  })

  it.each([10, 3_600])(
    'repeats nothing, and misses nothing that comes later, where the clock stepped back by %i s',
    async (seconds) => {
      const { uuid, says } = await watched(95)
      await says(50)
      await pass(62)
      expect(await statusesOf(uuid)).toEqual(['resolved'])
      backend.clock.advance(-seconds * 1_000)
      admin = await backend.member(organization, 'admin')
      await pass(2)
      expect(await statusesOf(uuid)).toEqual(['resolved'])
      await says(95)
      backend.clock.advance(2_000)
      await says(50)
      await pass(70)
      expect(await statusesOf(uuid)).toEqual(['resolved', 'resolved'])
    },
  )

  it('opens what came and went while no process evaluated, minutes ago as well', async () => {
    const { uuid, says } = await watched()
    for (const percent of [95, 50, 50, 50]) {
      await says(percent)
      backend.clock.advance(40_000)
    }
    const restarted = evaluator()
    await pass(2, restarted.evaluate)
    expect(await statusesOf(uuid)).toEqual(['resolved'])
  })

  it('repeats nothing of what another process has evaluated', async () => {
    const { uuid, says } = await watched(95)
    await says(50)
    await pass(62)
    await says(95)
    await pass(62)
    expect(await statusesOf(uuid)).toEqual(['resolved', 'open'])
    const restarted = evaluator()
    await pass(2, restarted.evaluate)
    expect(await statusesOf(uuid)).toEqual(['resolved', 'open'])
  })
})

it('servers are evaluated after a statement failed before the first of them', async () => {
  await ruleOf(above('cpu.percent', 90))
  const server = await measure(backend, organization)
  await instance.beat()
  await server.sends({ 'cpu.percent': [95] })
  backend.clock.advance(2_000)
  let isAway = true
  class Client extends pg.Client {
    // The first statement of an evaluation that asks whether the tables are distributed.
    override query = ((given: pg.QueryConfig, ...more: []) =>
      isAway && JSON.stringify(given).includes('pg_extension')
        ? Promise.reject(new Error('no answer'))
        : super.query(given, ...more)) as pg.Client['query']
  }
  const pool = createPool({ url: backend.databaseUrl, clock: backend.clock, log: silentLog, Client })
  const own = evaluator(pool.db)
  await expect(own.evaluate()).rejects.toThrow('no answer')
  isAway = false
  await own.evaluate()
  expect(await statusesOf(server.uuid)).toEqual(['open'])
  await pool.end()
})
