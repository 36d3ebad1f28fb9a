import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
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
})

const send = (method: string, url: string, body?: unknown) => backend.call(method, url, { as: admin, body })
const iso = (ms: number) => new Date(ms).toISOString()
const minutes = (count: number) => backend.clock.advance(count * 60_000)
/** From now on, for ten minutes. */
const windowOf = (own: object = {}) => ({
  name: 'updates',
  target: { type: 'monitor' },
  starts_at: iso(backend.clock.now()),
  ends_at: iso(backend.clock.now() + 600_000),
  ...own,
})
const make = (own: object = {}) => send('POST', '/v1/maintenance-windows', windowOf(own))
const evaluateSignals = () => backend.jobs.evaluateSignals()
const reviewSuppressions = () => backend.jobs.reviewSuppressions()
const silenceOf = async (uuid: string) => (await incidentsOf(backend, uuid)).map(({ silenced, status }) => [silenced, status])

describe('maintenance windows', () => {
  it('are created, shown, listed, updated and deleted [WINDOW-01, WINDOW-02]', async () => {
    const repeat = 'FREQ=WEEKLY;BYDAY=SU'
    const { status, body, headers } = await make({ repeat, time_zone: 'Europe/Berlin', target: { type: 'server', tag: 'db' } })
    expect([status, headers['location']]).toEqual([201, `/v1/maintenance-windows/${body.id}`])
    expect(body).toMatchObject({ repeat, time_zone: 'Europe/Berlin', target: { type: 'server', id: null, tag: 'db' } })
    expect((await send('GET', `/v1/maintenance-windows/${body.id}`)).body).toEqual(body)
    expect((await send('GET', '/v1/maintenance-windows')).body).toEqual({
      maintenance_windows: [body],
      total: 1,
      page: 1,
      limit: 20,
    })
    const changed = await send('PATCH', `/v1/maintenance-windows/${body.id}`, { repeat: null })
    expect(changed.body).toEqual({ ...body, repeat: null, next_starts_at: null, updated_at: changed.body.updated_at })
    expect((await send('DELETE', `/v1/maintenance-windows/${body.id}`)).status).toBe(204)
    expect((await send('GET', `/v1/maintenance-windows/${body.id}`)).status).toBe(404)
  })

  it('have the end of the current and the start of the next occurrence [WINDOW-05]', async () => {
    const repeat = 'FREQ=DAILY;COUNT=2'
    const nowMs = backend.clock.now()
    const yesterday = { starts_at: iso(nowMs - 86_400_000), ends_at: iso(nowMs - 86_400_000 + 600_000) }
    const ids = [(await make({ repeat })).body.id, (await make({ repeat, ...yesterday })).body.id]
    const turns = async (id: string) => {
      const { under_way_until: until, next_starts_at: next } = (await send('GET', `/v1/maintenance-windows/${id}`)).body
      return [until, next].map((at) => at && (Date.parse(at) - nowMs) / 60_000)
    }
    expect(await Promise.all(ids.map(turns))).toEqual([
      [10, 1_440],
      [10, null],
    ])
    minutes(10)
    expect(await Promise.all(ids.map(turns))).toEqual([
      [null, 1_440],
      [null, null],
    ])
  })

  it.each([
    ['ends_at', { ends_at: '2026-11-20T00:00:00.000Z' }],
    ['ends_at', { ends_at: '2027-11-20T00:00:00.000Z' }],
    ['starts_at', { starts_at: 'tomorrow' }],
    ['repeat', { repeat: 'FREQ=SECONDLY' }],
    ['time_zone', { time_zone: 'Mars/Olympus' }],
    ['target.id', { target: { type: 'monitor', id: 'mon_nothing' } }],
    ['target.tag', { target: { type: 'monitor', id: 'mon_nothing', tag: 'both' } }],
  ] as const)('with a wrong %s are refused by name', async (path, own) => {
    const { status, body } = await make(own)
    expect([status, body.error.details.map((detail: { path: string }) => detail.path)]).toEqual([400, [path]])
  })

  it('of one monitor are deleted with it', async () => {
    const { id } = await watch(backend, admin)
    await make({ target: { type: 'monitor', id } })
    await send('DELETE', `/v1/monitors/${id}`)
    expect((await send('GET', '/v1/maintenance-windows')).body.total).toBe(0)
  })
})

describe('an incident that opens in a window', () => {
  it('is suppressed, and notified when the window ends if it is still open [WINDOW-03, WINDOW-04]', async () => {
    const [stays, ends] = [await watch(backend, admin), await watch(backend, admin)]
    await make({ target: { type: 'monitor', id: stays.id } })
    await make({ target: { type: 'monitor', id: ends.id } })
    for (const one of [stays, ends]) await one.goes('down')
    await evaluateSignals()
    await ends.goes('up')
    await evaluateSignals()
    expect([await silenceOf(stays.uuid), await silenceOf(ends.uuid)]).toEqual([[[true, 'open']], [[true, 'resolved']]])
    await reviewSuppressions()
    expect(await silenceOf(stays.uuid)).toEqual([[true, 'open']])
    minutes(10)
    await reviewSuppressions()
    expect([await silenceOf(stays.uuid), await silenceOf(ends.uuid)]).toEqual([[[false, 'open']], [[true, 'resolved']]])
    const [incident] = await incidentsOf(backend, stays.uuid)
    expect(incident?.timeline.map(({ type }) => type)).toEqual(['opened', 'silenced', 'unsilenced'])
  })

  it('is suppressed by tag, at each occurrence, and notified once the window is deleted [WINDOW-03, WINDOW-04]', async () => {
    const { uuid, goes } = await watch(backend, admin, { tags: ['shop'] })
    const other = await watch(backend, admin)
    const startsMs = backend.clock.now() - 5 * 86_400_000
    const times = { starts_at: iso(startsMs), ends_at: iso(startsMs + 600_000) }
    const { body } = await make({ ...times, target: { type: 'monitor', tag: 'shop' }, repeat: 'FREQ=DAILY' })
    await goes('down')
    await other.goes('down')
    await evaluateSignals()
    expect([await silenceOf(uuid), await silenceOf(other.uuid)]).toEqual([[[true, 'open']], [[false, 'open']]])
    await send('DELETE', `/v1/maintenance-windows/${body.id}`)
    await reviewSuppressions()
    expect(await silenceOf(uuid)).toEqual([[false, 'open']])
  })

  it('is suppressed for the server that a monitor runs on', async () => {
    const { id } = await backend.server(organization)
    const { uuid, goes } = await watch(backend, admin, { server_id: id })
    await make({ target: { type: 'server', id } })
    await goes('down')
    await evaluateSignals()
    expect(await silenceOf(uuid)).toEqual([[true, 'open']])
  })
})

it('an offline host suppresses the incidents of its monitors, not its own; monitors that stay down are notified later', async () => {
  const instance = startBeating(backend)
  await instance.beat()
  const host = await measure(backend, organization)
  await host.sends({ 'cpu.percent': [1] })
  const { uuid, goes } = await watch(backend, admin, { server_id: host.id })
  const pass = async (count: number) => {
    for (let step = 0; step < count * 6; step += 1) {
      backend.clock.advance(10_000)
      await instance.beat()
      await backend.jobs.evaluateServers()
      await reviewSuppressions()
    }
  }
  await pass(4)
  expect(await silenceOf(host.uuid)).toEqual([[false, 'open']])
  await goes('down')
  await evaluateSignals()
  await reviewSuppressions()
  const [incident] = await incidentsOf(backend, uuid)
  expect(incident?.timeline.at(-1)).toMatchObject({ type: 'silenced', message: expect.stringContaining('web-1 is offline') })
  await host.sends({ 'cpu.percent': [1] })
  await pass(1)
  expect([await silenceOf(host.uuid), await silenceOf(uuid)]).toEqual([[[false, 'resolved']], [[true, 'open']]])
  await host.sends({ 'cpu.percent': [1] })
  await pass(3)
  expect(await silenceOf(uuid)).toEqual([[false, 'open']])
})

it('a suppressed incident is notified although hundreds before it stay suppressed', async () => {
  const [stays, ends] = [await watch(backend, admin), await watch(backend, admin)]
  await make({ target: { type: 'monitor', id: stays.id }, ends_at: iso(backend.clock.now() + 86_400_000) })
  await make({ target: { type: 'monitor', id: ends.id } })
  await stays.goes('down')
  await evaluateSignals()
  const { db } = backend.pool
  await sql`
    with rules as (
      insert into alert_rule
      select (jsonb_populate_record(rule, jsonb_build_object('id', gen_random_uuid(), 'enabled', false))).*
      from alert_rule as rule, generate_series(1, 300)
      where id = (select rule_id from open_incident where target_id = ${stays.uuid} limit 1)
      returning id
    )
    insert into open_incident
    select (jsonb_populate_record(open, jsonb_build_object('rule_id', rules.id, 'incident_id', gen_random_uuid()))).*
    from open_incident as open, rules where target_id = ${stays.uuid}`.execute(db)
  minutes(1)
  await ends.goes('down')
  await evaluateSignals()
  minutes(10)
  for (let review = 0; review < 2; review += 1) await reviewSuppressions()
  expect(await silenceOf(ends.uuid)).toEqual([[false, 'open']])
  expect(await silenceOf(stays.uuid)).toEqual([[true, 'open']])
})
