import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { inTransaction } from '../../../platform/db/index.ts'
import { newId, parseId } from '../../../platform/ids.ts'
import { openIncident } from '../../incidents/index.ts'
import { leaseJobs } from '../../../platform/queue/index.ts'
import { SIGNALS, takeSignals } from '../signals/store.ts'
import { incidentsOf as readIncidents, watch } from '../../../../test/watched-monitor.ts'

let backend: TestBackend
let organization: TestOrganization
let admin: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  admin = await backend.member(organization, 'admin')
})
afterAll(() => backend.close())

const db = () => backend.pool.db
const call = async (method: string, url: string, body?: unknown) => (await backend.call(method, url, { as: admin, body })).body
const down = { metric: 'status', operator: 'equals', value: 'down' }
const ruleOf = (target: object, own: object = {}) =>
  call('POST', '/v1/alert-rules', { name: 'rule', target: { type: 'monitor', ...target }, condition: down, ...own })

const watched = (own: object = {}) => watch(backend, admin, own)
const incidentsOf = (targetId: string) => readIncidents(backend, targetId)
const statusesOf = async (targetId: string) => (await incidentsOf(targetId)).map(({ status }) => status)
const evaluate = () => backend.jobs.evaluateSignals()
const waiting = async () => (await db().selectFrom('alert_signal').select('id').execute()).length

describe('a monitor that goes down', () => {
  it('opens one incident with its cause, which is resolved once it is up [ALERT-12, INCIDENT-02]', async () => {
    const { uuid, goes } = await watched()
    await goes('down')
    expect(await statusesOf(uuid)).toEqual([])
    await evaluate()
    const [opened, ...others] = await incidentsOf(uuid)
    expect(others).toEqual([])
    expect(opened).toMatchObject({
      target_type: 'monitor',
      target_name: 'Shop',
      status: 'open',
      severity: 'critical',
      summary: expect.stringMatching(/^Shop is down: .*the target refused the connection/),
      resolved_at: null,
      timeline: [{ type: 'opened' }],
    })
    await goes('up')
    await evaluate()
    const [resolved, ...more] = await incidentsOf(uuid)
    expect(more).toEqual([])
    expect(resolved).toMatchObject({ status: 'resolved', timeline: [{ type: 'opened' }, { type: 'resolved' }] })
    expect(resolved?.resolved_at?.getTime()).toBeGreaterThan(opened?.at.getTime() ?? Number.POSITIVE_INFINITY)
    expect(await waiting()).toBe(0)
  })

  it('and up and down again before the evaluation has each change evaluated in order', async () => {
    const { uuid, goes } = await watched()
    for (const status of ['down', 'up', 'down'] as const) await goes(status)
    expect(await waiting()).toBe(3)
    await evaluate()
    expect(await statusesOf(uuid)).toEqual(['resolved', 'open'])
  })

  it('opens one incident for each rule that applies', async () => {
    const { id, uuid, goes } = await watched({ tags: ['prod'] })
    const other = await watched()
    const rules = [await ruleOf({ id }), await ruleOf({ tag: 'prod' }, { severity: 'warning' })]
    await ruleOf({ id: other.id })
    await ruleOf({ id }, { enabled: false })
    await ruleOf({ id }, { condition: { ...down, value: 'degraded' } })
    await goes('down')
    await evaluate()
    const ids = (await incidentsOf(uuid)).map(({ rule_id }) => rule_id)
    expect(ids).toHaveLength(3)
    expect(ids).toEqual(expect.arrayContaining(rules.map((rule) => parseId('alertRule', rule.id))))
    for (const rule of rules) await call('DELETE', `/v1/alert-rules/${rule.id}`)
  })

  it('is evaluated once by two processes at the same moment [ALERT-12]', async () => {
    const second = await startTestBackend({ databaseUrl: backend.databaseUrl, clock: backend.clock })
    const several = await Promise.all(Array.from({ length: 5 }, () => watched()))
    for (const one of several) for (const status of ['down', 'up', 'down'] as const) await one.goes(status)
    await Promise.all([evaluate(), second.jobs.evaluateSignals(), evaluate()])
    for (const { uuid } of several) expect(await statusesOf(uuid)).toEqual(['resolved', 'open'])
    expect(await waiting()).toBe(0)
    await second.close()
  })

  it('and comes up during the evaluation is resolved after the incident has opened', async () => {
    const { uuid, goes } = await watched()
    await goes('down')
    const at = new Date(backend.clock.now())
    const lease = { at, until: new Date(at.getTime() + 30_000), limit: 1, isOrdered: false }
    const [job] = await leaseJobs(db(), SIGNALS.table, lease)
    const signalled = { organization: organization.number, monitor: Number(job?.key) }
    const { id: rule_id } = await db()
      .selectFrom('alert_rule')
      .select('id')
      .where('organization', '=', organization.number)
      .where('name', '=', 'Monitor down')
      .executeTakeFirstOrThrow()
    const incident = { id: newId(), rule_id, target_type: 'monitor', target_id: uuid, target_name: 'Shop' } as const
    const rest = { severity: 'critical', summary: 'down', silenced: false, evidence: {} } as const
    const second: { evaluation?: Promise<unknown>; isOver: boolean } = { isOver: false }
    await inTransaction(db(), async (first) => {
      expect(await takeSignals(first, signalled)).toHaveLength(1)
      await goes('up')
      second.evaluation = evaluate().finally(() => (second.isOver = true))
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      while (!second.isOver && (await backend.pool.pg.query(waiting)).rowCount === 0);
      await openIncident(first, organization.number, { ...incident, ...rest }, at)
    })
    await second.evaluation
    expect(await statusesOf(uuid)).toEqual(['resolved'])
  })

  it('is evaluated after the lease of a process that died', async () => {
    const { uuid, goes } = await watched()
    await goes('down')
    await db()
      .updateTable('alert_signal')
      .set({ next_attempt_at: new Date(backend.clock.now() + 30_000) })
      .execute()
    await evaluate()
    expect(await statusesOf(uuid)).toEqual([])
    backend.clock.advance(30_000)
    await evaluate()
    expect(await statusesOf(uuid)).toEqual(['open'])
  })
})

describe('an open incident is resolved', () => {
  it('when its monitor is paused, and another opens once it is resumed [INCIDENT-06]', async () => {
    const { id, uuid, goes } = await watched()
    await goes('down')
    await evaluate()
    await call('POST', `/v1/monitors/${id}/pause`)
    await evaluate()
    const [incident] = await incidentsOf(uuid)
    expect([incident?.status, incident?.timeline.at(-1)?.message]).toEqual(['resolved', 'the monitor was paused'])
    await call('POST', `/v1/monitors/${id}/resume`)
    await evaluate()
    expect(await statusesOf(uuid)).toEqual(['resolved', 'open'])
  })

  it('with the deletion of its monitor, also where a change waits for evaluation [INCIDENT-06]', async () => {
    const { id, uuid, goes } = await watched()
    await goes('down')
    await evaluate()
    await goes('up')
    await call('DELETE', `/v1/monitors/${id}`)
    await evaluate()
    const [incident] = await incidentsOf(uuid)
    expect([incident?.status, incident?.timeline.at(-1)?.message]).toEqual(['resolved', 'the monitor was deleted'])
    expect(await waiting()).toBe(0)
  })

  it('when its rule is deleted, disabled or redefined, and not when it is renamed', async () => {
    const { id, uuid, goes } = await watched()
    const made = await ruleOf({ id })
    const own = async () =>
      (await incidentsOf(uuid)).filter(({ rule_id }) => rule_id === parseId('alertRule', made.id)).map(({ status }) => status)
    await goes('down')
    await evaluate()
    await call('PATCH', `/v1/alert-rules/${made.id}`, { name: 'other', severity: 'info' })
    expect(await own()).toEqual(['open'])
    await call('PATCH', `/v1/alert-rules/${made.id}`, { enabled: false })
    expect(await own()).toEqual(['resolved'])
    const second = await ruleOf({ id })
    await goes('up')
    await goes('down')
    await evaluate()
    const open = () => db().selectFrom('open_incident').select('rule_id').where('target_id', '=', uuid).execute()
    expect(await open()).toHaveLength(2)
    await call('DELETE', `/v1/alert-rules/${second.id}`)
    expect(await open()).toHaveLength(1)
  })
})
