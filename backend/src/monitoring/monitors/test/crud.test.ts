import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { parseId } from '../../../platform/ids.ts'
import { holdBy } from '../../../../test/database-locks.ts'
import { type Scene, startScene, UNKNOWN } from './scene.ts'

let scene: Scene
let second: TestBackend
beforeAll(async () => {
  scene = await startScene()
  second = await startTestBackend({ databaseUrl: scene.backend.databaseUrl, clock: scene.backend.clock })
})
afterAll(async () => {
  await second.close()
  await scene.backend.close()
})

const now = () => scene.backend.clock.now()
const iso = (ms = now()) => new Date(ms).toISOString()

const LEAST = {
  type: 'http',
  method: 'GET',
  options: {},
  credentials: {},
  body: null,
  interval: 60,
  timeout: 10,
  regions: ['local'],
  headers: {},
  assertions: [],
  tags: [],
  server_id: null,
  depends_on: [],
  active_hours: [],
  description: null,
  runbook_url: null,
  responsible: null,
  links: [],
  flapping: false,
  follow_redirects: true,
  verify_tls: true,
  confirmations: 2,
}

const audited = async (id: string) =>
  scene.backend.pool.db
    .selectFrom('audit_event')
    .select(['action', 'actor_id', 'ip', 'details'])
    .where('target_id', '=', parseId('monitor', id) as string)
    .orderBy('id')
    .execute()

describe('POST /v1/monitors', () => {
  it('fills every field that was left out [MON-01, MON-33, MON-34]', async () => {
    const { body } = await scene.call('POST', '', { name: 'Shop', url: 'https://shop.example.com/health?a=1' })
    expect(body).toEqual({
      ...LEAST,
      id: expect.stringMatching(/^mon_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      name: 'Shop',
      url: 'https://shop.example.com/health?a=1',
      status: 'up',
      uptime_7d: 100,
      avg_response_ms: 0,
      last_checked_at: null,
      managed: null,
      created_at: iso(),
      updated_at: iso(),
      status_since: iso(),
      certificate_expires_at: null,
      alert_rules: [expect.objectContaining({ name: 'Monitor down', target: { type: 'monitor', id: null, tag: null } })],
      recent_checks: [],
    })
  })

  it('creates a monitor that is up and due at once [MON-08, CHECK-18]', async () => {
    const { status, body, headers } = await scene.call('POST', '', { name: 'Shop', url: 'https://shop.example.com/' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ status: 'up', last_checked_at: null })
    expect(headers['location']).toBe(`/v1/monitors/${body.id}`)
    expect((await scene.call('GET', `/${body.id}`)).body).toEqual(body)
    expect(await scene.scheduleOf(body.id)).toMatchObject({
      local: { due_at: now(), interval_seconds: 60, last_checked_at: null },
    })
    expect(await audited(body.id)).toMatchObject([
      { action: 'monitor.created', actor_id: scene.admin.userId, ip: '192.0.2.1', details: { name: 'Shop', url: body.url } },
    ])
  })

  it('accepts every field and returns what was sent [MON-05, MON-16]', async () => {
    const server = await scene.backend.server(scene.organization)
    const sent = {
      name: 'x'.repeat(200),
      type: 'http',
      url: 'http://192.0.2.1:8080/',
      method: 'POST',
      body: '{"ping":"ü"}',
      interval: 86_400,
      timeout: 60,
      regions: ['us-1', 'local', 'eu-1'],
      headers: { Authorization: 'Bearer abc', Host: 'inner.example.com', 'X-Empty': '' },
      assertions: [
        { type: 'status_code', operator: 'equals', value: 204 },
        { type: 'header', operator: 'exists', property: 'etag' },
        { type: 'json_path', operator: 'equals', property: '$.status', value: 'ok' },
      ],
      tags: ['prod', 'shop'],
      server_id: server.id,
      follow_redirects: false,
      verify_tls: false,
      confirmations: 10,
    }
    const { status, body } = await scene.call('POST', '', sent)
    expect([status, body]).toEqual([201, expect.objectContaining(sent)])
    expect((await scene.call('GET', `/${body.id}`)).body).toEqual(body)
    expect(Object.keys(await scene.scheduleOf(body.id)).toSorted()).toEqual(['eu-1', 'local', 'us-1'])
  })

  it('uses a default timeout that is not longer than the interval', async () => {
    expect((await scene.make({ interval: 10 })).timeout).toBe(10)
    expect((await scene.make({ interval: 3_600 })).timeout).toBe(10)
  })

  it('creates one monitor for two requests under one Idempotency-Key, with the same response', async () => {
    const send = () =>
      scene.backend.call('POST', '/v1/monitors', {
        as: scene.admin,
        headers: { 'idempotency-key': 'one' },
        body: { name: 'once', url: 'https://once.example.com/', headers: { 'X-Token': 'hunter22' } },
      })
    const [first, again] = [await send(), await send()]
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true'])
    expect(again.body).toEqual(first.body)
    expect((await scene.call('GET', '?q=once.example')).body.total).toBe(1)
  })

  it('is allowed for members and write keys, and for nobody with fewer permissions', async () => {
    const { backend, organization } = scene
    const body = { name: 'x', url: 'https://example.com/' }
    for (const as of [await backend.member(organization, 'member'), await backend.apiKey(organization, 'write')])
      expect((await scene.call('POST', '', body, as)).status).toBe(201)
    const refused = [scene.viewer, await backend.apiKey(organization, 'read', 'agent'), (await backend.server(organization)).as]
    for (const as of refused) expect((await scene.call('POST', '', { wrong: 1 }, as)).status).toBe(403)
    expect((await scene.call('POST', '', { wrong: 1 }, {})).status).toBe(401)
  })
})

describe('PATCH /v1/monitors/:id', () => {
  it('changes only the given fields [MON-09]', async () => {
    const before = await scene.make({ tags: ['a'], method: 'PUT', body: 'x', headers: { A: '1' } })
    scene.backend.clock.advance(1_000)
    const { status, body } = await scene.call('PATCH', `/${before.id}`, { name: 'Renamed', confirmations: 3, tags: [] })
    expect([status, body]).toEqual([200, { ...before, name: 'Renamed', confirmations: 3, tags: [], updated_at: iso() }])
    expect((await scene.call('GET', `/${before.id}`)).body).toEqual(body)
    expect((await audited(before.id)).at(-1)).toMatchObject({
      action: 'monitor.updated',
      details: { name: 'Renamed', changed: ['confirmations', 'name', 'tags'] },
    })
  })

  it('accepts null for optional fields', async () => {
    const server = await scene.backend.server(scene.organization)
    const { id } = await scene.make({ method: 'POST', body: 'x', server_id: server.id })
    const { status, body } = await scene.call('PATCH', `/${id}`, { body: null, server_id: null })
    expect([status, body.body, body.server_id]).toEqual([200, null, null])
  })

  it('without a change has no effect', async () => {
    const before = await scene.make({ headers: { A: '1' } })
    const schedule = await scene.scheduleOf(before.id)
    scene.backend.clock.advance(1_000)
    const { status, body } = await scene.call('PATCH', `/${before.id}`, {
      name: before.name,
      headers: { A: '1' },
      url: before.url,
    })
    expect([status, body]).toEqual([200, before])
    expect(await audited(before.id)).toHaveLength(1)
    expect(await scene.scheduleOf(before.id)).toEqual(schedule)
  })

  const setChecked = async (id: string, set: object) =>
    scene.backend.pool.db
      .updateTable('check_schedule')
      .set({ state: 'down', failures: 3, last_checked_at: now(), lease_until: now() + 5_000, ...set })
      .where('monitor', '=', await scene.numberOf(id))
      .execute()

  it.each([
    ['url', { url: 'https://example.com/other' }],
    ['method', { method: 'HEAD' }],
    ['headers', { headers: { A: '2' } }],
    ['assertions', { assertions: [{ type: 'status_code', operator: 'equals', value: 200 }] }],
    ['regions', { regions: ['eu-1'] }],
  ])('resets the state of the regions and checks at once when %s changes [CHECK-16]', async (_field, patch) => {
    const made = await scene.make({ headers: { A: '1' } })
    await setChecked(made.id, { fence: now() + 7 })
    const { body } = await scene.call('PATCH', `/${made.id}`, patch)
    expect(body).toMatchObject({ ...patch, status: 'up', status_since: made.status_since, last_checked_at: null })
    const schedule = await scene.scheduleOf(made.id)
    expect(Object.keys(schedule)).toEqual(body.regions)
    expect(schedule[body.regions[0]]).toMatchObject({ state: null, failures: 0, due_at: now(), lease_until: 0, fence: now() + 8 })
  })

  it.each([
    ['the name', { name: 'x' }],
    ['the order of regions', { regions: ['eu-1', 'local'] }],
    ['the timeout', { timeout: 5 }],
    ['the confirmations', { confirmations: 1 }],
  ])('keeps the state of the regions when %s changes', async (_what, patch) => {
    const { id } = await scene.make({ regions: ['local', 'eu-1'] })
    await setChecked(id, {})
    const before = await scene.scheduleOf(id)
    expect((await scene.call('PATCH', `/${id}`, patch)).status).toBe(200)
    expect(await scene.scheduleOf(id)).toEqual(before)
  })

  it('counts a changed interval from the last check and invalidates a running one [CHECK-17]', async () => {
    const { id } = await scene.make({ regions: ['local', 'eu-1'] })
    await setChecked(id, { last_checked_at: now() - 20_000 })
    const before = await scene.scheduleOf(id)
    const { body } = await scene.call('PATCH', `/${id}`, { interval: 300 })
    expect([body.interval, body.timeout]).toEqual([300, 10])
    const { local } = await scene.scheduleOf(id)
    expect(local).toMatchObject({ due_at: now() + 280_000, interval_seconds: 300, state: 'down', failures: 3, lease_until: 0 })
    expect(local?.['fence']).toBe((before['local']?.['fence'] as number) + 1)
  })

  it('leaves a paused monitor paused', async () => {
    const { id } = await scene.make()
    await scene.call('POST', `/${id}/pause`)
    const { body } = await scene.call('PATCH', `/${id}`, { url: 'https://example.com/new', interval: 30 })
    expect([body.status, body.url]).toEqual(['paused', 'https://example.com/new'])
    expect(await scene.scheduleOf(id)).toMatchObject({ local: { due_at: null, interval_seconds: 30 } })
    expect((await scene.call('POST', `/${id}/resume`)).body.status).toBe('up')
    expect(await scene.scheduleOf(id)).toMatchObject({ local: { due_at: now() } })
  })

  it('applies all parallel changes of different fields on two instances', async () => {
    const { id } = await scene.make()
    const patches = [{ name: 'A' }, { tags: ['t'] }, { url: 'https://a.example.com/' }, { regions: ['eu-1'] }, { interval: 120 }]
    const answers = await Promise.all(
      patches.map((body, index) =>
        (index % 2 === 0 ? scene.backend : second).call('PATCH', `/v1/monitors/${id}`, { as: scene.admin, body }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(patches.map(() => 200))
    expect((await scene.call('GET', `/${id}`)).body).toMatchObject(Object.assign({}, ...patches))
    expect(await scene.scheduleOf(id)).toMatchObject({ 'eu-1': { interval_seconds: 120 } })
  })
})

describe('DELETE /v1/monitors/:id', () => {
  it('deletes the monitor, 30 days later with all its data, and nothing of others [MON-10]', async () => {
    const { pool } = scene.backend
    const [gone, kept] = [await scene.make(), await scene.make()]
    for (const { id } of [gone, kept]) {
      await scene.keep(id, { at: now() - 1_000 }, { at: now() - 61_000 })
      await scene.call('POST', `/${id}/pause`)
      const row = {
        organization: scene.organization.number,
        monitor: await scene.numberOf(id),
        region: 1,
        day: iso().slice(0, 10),
      }
      const sums = { checks: 1, failed: 0, answered: 1, response_sum_us: 1 }
      await pool.db
        .insertInto('check_hour')
        .values({ ...row, ...sums, hour: 1, data: Buffer.alloc(1) })
        .execute()
      await pool.db
        .insertInto('check_day')
        .values({ ...row, ...sums, sketch: Buffer.alloc(1) })
        .execute()
      await pool.db
        .insertInto('check_answer')
        .values({
          organization: row.organization,
          monitor: row.monitor,
          region: row.region,
          at: 1,
          status_line: 'HTTP/1.1 500',
          body: '',
        })
        .execute()
      await pool.db
        .insertInto('check_hour_stale')
        .values({ organization: row.organization, monitor: row.monitor, hour: 1 })
        .execute()
    }
    const number = await scene.numberOf(gone.id)
    const { status, body } = await scene.call('DELETE', `/${gone.id}`)
    expect([status, body]).toEqual([204, undefined])
    expect((await scene.call('GET', `/${gone.id}`)).status).toBe(404)
    await pool.pg.query(`update monitor set deleted_at = deleted_at - interval '30 days 1 second' where number = $1`, [number])
    await scene.backend.jobs.deleteExpired()
    const tables = [
      'check_schedule',
      'monitor_status',
      'monitor_transition',
      'check_result',
      'check_hour',
      'check_hour_stale',
      'check_answer',
      'check_day',
    ] as const
    const other = await scene.numberOf(kept.id)
    for (const table of tables) {
      const rows = await pool.db.selectFrom(table).select('monitor').where('monitor', 'in', [number, other]).execute()
      expect(new Set(rows.map(({ monitor }) => monitor)), table).toEqual(new Set([other]))
    }
    expect((await audited(gone.id)).at(-1)).toMatchObject({ action: 'monitor.deleted', details: { name: 'site' } })
  })

  it('is forbidden for members', async () => {
    const { id } = await scene.make()
    for (const as of [
      await scene.backend.member(scene.organization, 'member'),
      await scene.backend.apiKey(scene.organization, 'write', 'read'),
    ])
      expect((await scene.call('DELETE', `/${id}`, undefined, as)).status).toBe(403)
    expect((await scene.call('GET', `/${id}`)).status).toBe(200)
  })

  it('twice at once succeeds once and is not_found once', async () => {
    const { id } = await scene.make()
    const answers = await Promise.all(
      [scene.backend, second].map((on) => on.call('DELETE', `/v1/monitors/${id}`, { as: scene.admin })),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404])
  })
})

describe('one monitor', () => {
  const routes: [string, string, unknown?][] = [
    ['GET', ''],
    ['PATCH', '', { name: 'x' }],
    ['DELETE', ''],
    ['POST', '/pause'],
    ['POST', '/resume'],
    ['GET', '/checks'],
    ['GET', '/transitions'],
  ]

  it.each(routes)('%s %s is one and the same 404 for whatever is not theirs', async (method, path, body) => {
    const other = await scene.backend.organization('Other')
    const foreign = await scene.make({}, await scene.backend.member(other, 'owner'))
    const gone = await scene.make()
    await scene.call('DELETE', `/${gone.id}`)
    const answers = new Set<string>()
    for (const id of [UNKNOWN, 'nonsense', UNKNOWN.toUpperCase(), UNKNOWN.replace('mon', 'srv'), foreign.id, gone.id]) {
      const { status, body: answer } = await scene.call(method, `/${id}${path}`, body)
      answers.add(`${status} ${answer.error.code} ${answer.error.message}`)
    }
    expect([...answers]).toEqual(['404 not_found There is nothing here under this name.'])
    const owner = await scene.backend.member(other, 'owner')
    expect((await scene.call('GET', `/${foreign.id}`, undefined, owner)).body).toEqual(foreign)
  })

  it.each(routes)('%s %s checks credentials, then permissions, then the body', async (method, path, body) => {
    const { id } = await scene.make()
    const wrong = body === undefined ? undefined : { wrong: 1 }
    expect((await scene.call(method, `/${id}${path}`, wrong, {})).status).toBe(401)
    const lesser: Credentials[] = [(await scene.backend.server(scene.organization)).as]
    if (method !== 'GET') lesser.push(scene.viewer, await scene.backend.apiKey(scene.organization, 'read', 'agent'))
    for (const as of lesser) expect((await scene.call(method, `/${id}${path}`, wrong, as)).status).toBe(403)
    expect((await scene.call(method, `/${UNKNOWN}${path}`, wrong)).status).toBe(wrong ? 400 : 404)
  })
})

describe('a server that a monitor references', () => {
  it('is removed from the monitor when it is deleted', async () => {
    const server = await scene.backend.server(scene.organization)
    const { id } = await scene.make({ server_id: server.id })
    await scene.backend.call('DELETE', `/v1/servers/${server.id}`, { as: scene.admin })
    expect((await scene.call('GET', `/${id}`)).body.server_id).toBeNull()
    expect((await scene.call('PATCH', `/${id}`, { name: 'still' })).status).toBe(200)
  })

  it('is never a deleted one, however the two requests interleave', async () => {
    const server = await scene.backend.server(scene.organization)
    const { id } = await scene.make()
    const hold = await holdBy(scene.backend.databaseUrl, `select from monitor where id = '${parseId('monitor', id)}' for update`)
    const patched = scene.call('PATCH', `/${id}`, { server_id: server.id })
    await hold.untilWaiting(1)
    // The server was found by now, and is not yet named.
    const deleted = second.call('DELETE', `/v1/servers/${server.id}`, { as: scene.admin })
    await hold.untilWaiting(2, deleted)
    await hold.release()
    expect([(await patched).status, (await deleted).status]).toEqual([200, 204])
    expect((await scene.call('GET', `/${id}`)).body.server_id).toBeNull()
  })
})

describe('the organization', () => {
  it('counts its monitors and deletes them all with it [ORG-10]', async () => {
    const { backend } = scene
    const shop = await backend.organization('Shop')
    const owner = await backend.member(shop, 'owner')
    const made = [await scene.make({}, owner), await scene.make({ regions: ['local', 'eu-1'] }, owner)]
    for (const { id } of made) await scene.keep(id, { at: now() - 1_000 })
    await scene.call('POST', `/${made[0].id}/pause`, undefined, owner)
    expect((await backend.call('GET', `/v1/organizations/${shop.id}`, { as: owner })).body.monitor_count).toBe(2)
    const gone = await backend.call('DELETE', `/v1/organizations/${shop.id}`, { as: owner, body: { name: 'Shop' } })
    expect(gone.status).toBe(204)
    const tables = ['monitor', 'monitor_status', 'monitor_transition', 'check_schedule', 'check_result', 'alert_signal'] as const
    for (const table of tables) {
      const rows = await backend.pool.db
        .selectFrom(table)
        .select('organization')
        .where('organization', '=', shop.number)
        .execute()
      expect(rows, table).toEqual([])
    }
  })

  it('answers requests that run during its deletion with 404 or their result, never with an error', async () => {
    const { backend } = scene
    const shop = await backend.organization('Shop')
    const owner = await backend.member(shop, 'owner')
    const made = await Promise.all([scene.make({}, owner), scene.make({}, owner), scene.make({}, owner)])
    const [deleted, ...others] = await Promise.all([
      backend.call('DELETE', `/v1/organizations/${shop.id}`, { as: owner, body: { name: 'Shop' } }),
      second.call('PATCH', `/v1/monitors/${made[0].id}`, { as: owner, body: { url: 'https://other.example.com/' } }),
      second.call('POST', `/v1/monitors/${made[1].id}/pause`, { as: owner }),
      second.call('DELETE', `/v1/monitors/${made[2].id}`, { as: owner }),
      second.call('POST', '/v1/monitors', { as: owner, body: { name: 'late', url: 'https://late.example.com/' } }),
    ])
    expect(deleted.status).toBe(204)
    for (const { status } of others) expect([200, 201, 204, 403, 404]).toContain(status)
    const rows = await backend.pool.db
      .selectFrom('check_schedule')
      .select('fence')
      .where('organization', '=', shop.number)
      .execute()
    expect(rows).toEqual([])
  })
})
