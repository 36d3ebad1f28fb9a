import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'

const DAY_MS = 86_400_000

let backend: TestBackend
let organization: TestOrganization
let as: Credentials
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  as = await backend.member(organization, 'owner')
})
afterAll(() => backend.close())

const call = async (method: string, path: string, body?: object, by = as) =>
  backend.call(method, `/v1${path}`, { as: by, ...(body && { body }) })
const make = async (name: string, more: object = {}): Promise<string> =>
  (await call('POST', '/monitors', { name, url: 'https://shop.example.com/', headers: { 'X-Team': 'shop' }, ...more })).body.id
const remove = async (id: string) => expect((await call('DELETE', `/monitors/${id}`)).status).toBe(204)
const restore = (id: string, by = as) => call('POST', `/monitors/${id}/restore`, undefined, by)
const rowsOf = async (table: string): Promise<number> =>
  Number((await backend.pool.pg.query(`select count(*) from ${table}`)).rows[0].count)

describe('a deleted monitor', () => {
  it('is nowhere but in the list of deleted ones', async () => {
    const id = await make('Gone')
    const { body: before } = await call('GET', `/organizations/${organization.id}`)
    await remove(id)
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['GET', '/stats?period=24h'],
      ['GET', '/checks'],
      ['GET', '/transitions'],
    ] as const)
      expect([path, (await call(method, `/monitors/${id}${path}`, body)).status]).toEqual([path, 404])
    const rule = {
      name: 'r',
      target: { type: 'monitor', id },
      condition: { metric: 'status', operator: 'equals', value: 'down' },
    }
    expect((await call('POST', '/alert-rules', rule)).status).toBe(400)
    expect((await call('GET', '/monitors')).body.total).toBe(0)
    expect((await call('GET', '/overview')).body.monitors.total).toBe(0)
    expect((await call('GET', '/overview/states')).body.monitors_total).toBe(0)
    expect((await call('GET', `/organizations/${organization.id}`)).body.monitor_count).toBe(before.monitor_count - 1)
    const { body } = await call('GET', '/monitors/deleted')
    expect(body).toMatchObject({ total: 1, monitors: [{ id, name: 'Gone', url: 'https://shop.example.com/', tags: [] }] })
    const [{ deleted_at, removed_at }] = body.monitors
    expect(Date.parse(removed_at) - Date.parse(deleted_at)).toBe(30 * DAY_MS)
    await restore(id)
  })

  it('comes back with its definition, its history, and a check at once', async () => {
    const id = await make('Back', { tags: ['prod'], interval: 300 })
    const { body: before } = await call('GET', `/monitors/${id}`)
    await call('POST', `/monitors/${id}/pause`)
    await call('POST', `/monitors/${id}/resume`)
    const history = (await call('GET', `/monitors/${id}/transitions`)).body
    expect(history.total).toBeGreaterThan(0)
    await remove(id)
    const { status, body } = await restore(id)
    expect(status).toBe(200)
    const { status_since: _since, ...definition } = before
    expect(body).toMatchObject({ ...definition, updated_at: expect.any(String), headers: { 'X-Team': 'shop' }, status: 'up' })
    expect((await call('GET', `/monitors/${id}/transitions`)).body).toEqual(history)
    const { rows } = await backend.pool.pg.query(
      'select s.due_at from check_schedule s join monitor m on m.number = s.monitor where m.name = $1',
      ['Back'],
    )
    expect(rows.map(({ due_at: at }) => Number(at) <= backend.clock.now() + 300_000)).toEqual([true])
    const { audit_events: events } = (await call('GET', '/audit-events?action=monitor.restored')).body
    expect(events[0]).toMatchObject({ details: { name: 'Back' } })
    expect((await restore(id)).status).toBe(200)
    expect((await call('GET', '/audit-events?action=monitor.restored')).body.audit_events).toEqual(events)
  })

  it('is paused again if it was', async () => {
    const id = await make('Paused')
    await call('POST', `/monitors/${id}/pause`)
    await remove(id)
    expect((await restore(id)).body.status).toBe('paused')
    expect((await call('POST', `/monitors/${id}/resume`)).body.status).toBe('up')
  })

  it('comes back with its own rules and windows, without a channel that was deleted meanwhile', async () => {
    const id = await make('With a rule')
    const channel = async (name: string): Promise<string> =>
      (await call('POST', '/channels', { name, type: 'webhook', config: { url: 'https://hooks.example.com/' } })).body.id
    const [kept, dropped] = [await channel('kept'), await channel('dropped')]
    const target = { type: 'monitor', id, tag: null }
    const rule = {
      name: 'Slow',
      target,
      condition: { metric: 'response_ms', operator: 'greater_than', value: 500.5 },
      clear_value: 400,
      for_seconds: 60,
      channel_ids: [kept, dropped],
    }
    const window = { name: 'Nightly', target, starts_at: '2026-01-01T01:00:00.000Z', ends_at: '2026-01-01T02:00:00.000Z' }
    const { body: made } = await call('POST', '/alert-rules', rule)
    const { body: planned } = await call('POST', '/maintenance-windows', { ...window, repeat: 'FREQ=DAILY' })
    await remove(id)
    expect((await call('GET', `/alert-rules/${made.id}`)).status).toBe(404)
    expect((await call('DELETE', `/channels/${dropped}`)).status).toBe(204)
    await restore(id)
    expect((await call('GET', `/alert-rules/${made.id}`)).body).toEqual({
      ...made,
      channel_ids: [kept],
      updated_at: expect.any(String),
    })
    expect((await call('GET', `/maintenance-windows/${planned.id}`)).body).toEqual(planned)
    // Nothing is left that a second deletion could bring back.
    expect((await call('DELETE', `/alert-rules/${made.id}`)).status).toBe(204)
    await remove(id)
    await restore(id)
    expect((await call('GET', `/alert-rules/${made.id}`)).status).toBe(404)
  })

  it('has lost a server that was deleted meanwhile', async () => {
    const server = await backend.server(organization)
    const id = await make('On a server', { server_id: server.id })
    await remove(id)
    expect((await call('DELETE', `/servers/${server.id}`)).status).toBe(204)
    expect((await restore(id)).body.server_id).toBeNull()
  })

  it('counts for the plan when it comes back, and stays deleted where the plan is full', async () => {
    const small = await backend.organization('Small')
    const owner = await backend.member(small, 'owner')
    await backend.pool.pg.query("update organization set plan = 'free' where number = $1", [small.number])
    const make = async (name: string) =>
      backend.call('POST', '/v1/monitors', { as: owner, body: { name, url: 'https://example.com/', interval: 300 } })
    const { body: first } = await make('first')
    await backend.call('DELETE', `/v1/monitors/${first.id}`, { as: owner })
    for (let count = 0; (await make(`more ${count}`)).status === 201; ) count += 1
    expect((await restore(first.id, owner)).status).toBe(402)
    expect((await backend.call('GET', '/v1/monitors/deleted', { as: owner })).body.total).toBe(1)
  })

  it('is refused to a member, and unknown to other organizations', async () => {
    const id = await make('Theirs')
    await remove(id)
    expect((await restore(id, await backend.member(organization, 'member'))).status).toBe(403)
    expect((await restore(id, await backend.member(await backend.organization('Other'), 'owner'))).status).toBe(404)
    await restore(id)
  })

  it('is removed for good with its history after 30 days', async () => {
    const id = await make('Old')
    await call('POST', `/monitors/${id}/pause`)
    const transitions = await rowsOf('monitor_transition')
    await remove(id)
    backend.clock.advance(30 * DAY_MS - 60_000)
    await backend.jobs.deleteExpired()
    expect(await rowsOf("monitor where name = 'Old'")).toBe(1)
    backend.clock.advance(60_001)
    await backend.jobs.deleteExpired()
    expect([await rowsOf("monitor where name = 'Old'"), await rowsOf('monitor_transition')]).toEqual([0, transitions - 1])
  })
})
