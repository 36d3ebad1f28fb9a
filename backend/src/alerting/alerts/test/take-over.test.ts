import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { announcements } from '../../../../test/changes.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { ALL_SLICES, type Slices } from '../../../platform/db/index.ts'
import { createCheckEvaluator } from '../evaluation/checks.ts'
import { createServerEvaluator } from '../evaluation/servers.ts'
import { measure, startBeating } from '../../../../test/measured-server.ts'
import { incidentsOf, watch } from '../../../../test/watched-monitor.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
  await removeRules(backend, organization)
})

const call = async (method: string, url: string, body?: unknown) => (await backend.call(method, url, { as: admin, body })).body
const above = (metric: string, value: number) => ({ metric, operator: 'greater_than', value })
const ruleOf = (type: string, condition: object) =>
  call('POST', '/v1/alert-rules', { name: 'rule', target: { type }, condition, clear_value: 50 })
const statusesOf = async (uuid: string) => (await incidentsOf(backend, uuid)).map(({ status }) => status)

const NONE: Slices = { ids: [], has: () => false }

/** An evaluating process, which has no slices at first. */
function evaluating() {
  const { changes, announce } = announcements()
  const { clock, pool } = backend
  let slices = NONE
  const deps = { db: pool.db, clock, changes, slices: () => slices }
  const [servers, checks] = [createServerEvaluator({ ...deps, pushIntervalSeconds: 60 }), createCheckEvaluator(deps)]
  return {
    servers,
    checks,
    owns: (own: Slices) => (slices = own),
    /** The push is evaluated at once. */
    evaluate: async (uuid: string) => {
      announce('metric_push', uuid)
      await servers.evaluate()
    },
  }
}

describe('a server that passes to another process', () => {
  it('opens no second incident for what the first process has evaluated', async () => {
    await ruleOf('server', above('cpu.percent', 90))
    const { uuid, sends } = await measure(backend, organization)
    await startBeating(backend).beat()
    const [one, other] = [evaluating(), evaluating()]
    one.owns(ALL_SLICES)
    for (const percent of [10, 99, 10]) {
      await sends({ 'cpu.percent': [percent] })
      await one.evaluate(uuid)
      backend.clock.advance(4_000)
    }
    expect(await statusesOf(uuid)).toEqual(['resolved'])
    one.owns(NONE)
    other.owns(ALL_SLICES)
    await other.servers.evaluate()
    expect(await statusesOf(uuid)).toEqual(['resolved'])
    // It is the same server for what comes next.
    await sends({ 'cpu.percent': [99] })
    await one.evaluate(uuid)
    expect(await statusesOf(uuid)).toEqual(['resolved'])
    await other.evaluate(uuid)
    expect(await statusesOf(uuid)).toEqual(['resolved', 'open'])
  })

  it('has no incident that its newest samples end, also where older ones are repeated', async () => {
    await ruleOf('server', above('cpu.percent', 90))
    const { uuid, sends } = await measure(backend, organization)
    await startBeating(backend).beat()
    const [one, other] = [evaluating(), evaluating()]
    one.owns(ALL_SLICES)
    await sends({ 'cpu.percent': [99] })
    await one.evaluate(uuid)
    backend.clock.advance(4_000)
    await sends({ 'cpu.percent': [10] })
    other.owns(ALL_SLICES)
    await other.servers.evaluate()
    expect(await statusesOf(uuid)).toEqual(['resolved'])
  })

  it('opens and resolves an incident for what the first process did not live to evaluate', async () => {
    await ruleOf('server', above('cpu.percent', 90))
    const { uuid, sends } = await measure(backend, organization)
    await startBeating(backend).beat()
    const [one, other] = [evaluating(), evaluating()]
    one.owns(ALL_SLICES)
    await sends({ 'cpu.percent': [10] })
    await one.evaluate(uuid)
    for (const percent of [99, 10]) {
      backend.clock.advance(4_000)
      await sends({ 'cpu.percent': [percent] })
    }
    other.owns(ALL_SLICES)
    await other.servers.evaluate()
    expect(await statusesOf(uuid)).toEqual(['resolved'])
  })
})

describe('a process', () => {
  it('evaluates the servers and monitors of its slices alone, and at once those that it takes over', async () => {
    await ruleOf('server', above('cpu.percent', 90))
    await ruleOf('monitor', above('response_ms', 1_000))
    const { uuid, sends } = await measure(backend, organization)
    const monitor = await watch(backend, admin)
    await startBeating(backend).beat()
    const [one, other] = [evaluating(), evaluating()]
    const { rows } = await backend.pool.pg.query('select number from server where id = $1', [uuid])
    const { rows: monitors } = await backend.pool.pg.query('select number from monitor where id = $1', [monitor.uuid])
    const own = [rows[0].number as number, monitors[0].number as number]
    const ids = [...new Set(own.map((number) => number % ALL_SLICES.ids.length))].sort((less, more) => less - more)
    const mine: Slices = { ids, has: (number) => ids.includes(number % ALL_SLICES.ids.length) }
    const rest = ALL_SLICES.ids.filter((id) => !ids.includes(id))
    const others: Slices = { ids: rest, has: (number) => !mine.has(number) }
    one.owns(mine)
    other.owns(others)
    await monitor.bring('up', { response_ms: 2_000 })
    await sends({ 'cpu.percent': [99] })
    const both = async () => [await statusesOf(uuid), await statusesOf(monitor.uuid)]
    await other.servers.evaluate()
    await other.checks.evaluate()
    expect(await both()).toEqual([[], []])
    other.owns(ALL_SLICES)
    expect([other.servers.isDue(), other.checks.isDue()]).toEqual([true, true])
    await other.servers.evaluate()
    await other.checks.evaluate()
    expect(await both()).toEqual([['open'], ['open']])
    await one.servers.evaluate()
    await one.checks.evaluate()
    expect(await both()).toEqual([['open'], ['open']])
  })
})
