import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { seedChecks, seedMonitor, seedRegion } from '../../../../test/seed-checks.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let backend: TestBackend
let organization: TestOrganization
let monitor: { id: string; number: number }
let as: Credentials
let region: number
beforeAll(async () => {
  backend = await startTestBackend()
  region = await seedRegion(backend, 'ams')
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  monitor = await seedMonitor(backend, organization, 3_600)
  as = await backend.member(organization, 'member')
})

const iso = (ms: number) => new Date(backend.clock.now() + ms).toISOString()
const path = (id = monitor.id) => `/v1/monitors/${id}/reclassifications`
const bodyOf = (own: object = {}) => ({ from: iso(-HOUR), to: iso(0), as: 'maintenance', comment: 'announced', ...own })
const create = (own: object = {}, by = as, id = monitor.id) => backend.call('POST', path(id), { as: by, body: bodyOf(own) })

describe('/v1/monitors/:id/reclassifications', () => {
  it('creates, lists and takes back intervals, and audits each', async () => {
    const made = await create({ as: 'excluded', comment: ' as announced' })
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^rcl_/),
        monitor_id: monitor.id,
        from: iso(-HOUR),
        to: iso(0),
        as: 'excluded',
        comment: ' as announced',
        created_by: { type: 'user', id: expect.stringMatching(/^usr_/), name: null, email: expect.stringContaining('@') },
        created_at: iso(0),
      },
    ])
    const before = await create({ from: iso(-3 * HOUR), to: iso(-HOUR), as: 'counted' })
    const { body } = await backend.call('GET', path(), { as: await backend.member(organization, 'viewer') })
    expect(body).toEqual({ reclassifications: [made.body, before.body], total: 2, page: 1, limit: 20 })
    const { status } = await backend.call('DELETE', `${path()}/${made.body.id}`, { as })
    expect(status).toBe(204)
    expect((await backend.call('GET', path(), { as })).body.reclassifications).toEqual([before.body])
    expect((await backend.call('DELETE', `${path()}/${made.body.id}`, { as })).status).toBe(404)
    const owner = await backend.member(organization, 'owner')
    const log = await backend.call('GET', '/v1/audit-events', { as: owner })
    const events = log.body.audit_events.filter(({ action }: { action: string }) => action.startsWith('reclassification.'))
    expect(events).toMatchObject([
      { action: 'reclassification.deleted', target: { id: monitor.id }, details: { reclassification: made.body.id } },
      { action: 'reclassification.created', details: { as: 'counted' } },
      { action: 'reclassification.created', details: { comment: ' as announced', as: 'excluded' } },
    ])
  })

  it('names who did it in stats, the report in each format, and the objective', async () => {
    const own = { organization: organization.number, monitor: monitor.number }
    const status = { status: 'down', since: new Date(0), before_pause: null } as const
    await backend.pool.db
      .insertInto('monitor_status')
      .values({ ...own, ...status })
      .execute()
    const at = (minutes: number) => backend.clock.now() - minutes * 60_000
    const checks = [10, 20, 90, 100].map((minutes) => ({
      region,
      atMs: at(minutes),
      outcome: minutes < 60 ? 2 : 0,
      responseUs: minutes < 60 ? null : 1_000,
    }))
    await seedChecks(backend, organization, monitor.number, checks)
    const slo = { name: 'Shop', target: { id: monitor.id }, objective: 90 }
    const { body: objective } = await backend.call('POST', '/v1/slos', { as, body: slo })
    expect(objective.status).toMatchObject({ good: 2, total: 4 })
    expect(objective.status.budget_left_percent).toBeLessThan(0)
    const key = await backend.apiKey(organization, 'write')
    const { body: said } = await create({}, key)
    const reclassified = [said]
    expect(said.created_by).toMatchObject({ type: 'api_key' })
    const stats = await backend.call('GET', `/v1/monitors/${monitor.id}/stats?period=24h&points=24`, { as })
    expect(stats.body).toMatchObject({ uptime_percent: 100, total_checks: 2, failed_checks: 0, reclassified })
    // Response times stay.
    expect(stats.body.avg_response_ms).toBe(1)
    const after = await backend.call('GET', `/v1/slos/${objective.id}`, { as })
    expect(after.body.status).toMatchObject({ good: 2, total: 2, budget_left_percent: 100, reclassified })
    const query = `/v1/reports/uptime?from=${iso(-3 * HOUR)}&to=${iso(0)}&monitor=${monitor.id}`
    const report = await backend.call('GET', query, { as })
    expect(report.body.reclassified).toEqual(reclassified)
    expect(report.body.monitors[0]).toMatchObject({
      uptime_percent: 100,
      excluded: { maintenance_checks: 2, maintenance_failed_checks: 2, maintenance_seconds: 3_600 },
      downtimes: [{ excluded_seconds: 3_600 }],
    })
    const by = said.created_by.name
    const line = `1 interval reclassified by ${by} on ${iso(0).slice(0, 10)}`
    const html = await backend.call('GET', `${query}&format=html`, { as })
    expect(html.body).toContain(line)
    const csv = await backend.call('GET', `${query}&format=csv`, { as })
    expect(csv.body.split('\r\n')[0]).toMatch(/,reclassified_checks,.*,reclassified$/)
    expect(csv.body.split(line)).toHaveLength(3)
  })

  it.each([
    ['an end before the begin', () => ({ to: iso(-HOUR) }), 'to'],
    ['an end in the future', () => ({ to: iso(1) }), 'to'],
    ['a begin more than 90 days ago', () => ({ from: iso(-91 * DAY) }), 'from'],
    ['part of a day without single checks', () => ({ from: iso(-50 * DAY) }), 'from'],
    ['no instant', () => ({ from: 'yesterday' }), 'from'],
    ['another class', () => ({ as: 'up' }), 'as'],
    ['no comment', () => ({ comment: ' ' }), 'comment'],
  ])('refuses %s', async (_title, own, field) => {
    const { status, body } = await create(own())
    expect([status, body.error.details[0].path]).toEqual([400, field])
  })

  it('refuses an interval that overlaps another one, and names it', async () => {
    const { body: other } = await create()
    const { status, body } = await create({ from: iso(-2 * HOUR), to: iso(-HOUR + 1) })
    expect([status, body.error.details[0].message]).toEqual([
      400,
      `overlaps ${other.id}, ${other.from} to ${other.to}: take that back first`,
    ])
    expect((await create({ from: iso(-2 * HOUR), to: iso(-HOUR) })).status).toBe(201)
  })

  it('lets one of two overlapping ones at the same moment through', async () => {
    const answers = await Promise.all([create(), create({ from: iso(-2 * HOUR) })])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 400]))
  })

  it('refuses more than 100 of a monitor', async () => {
    const { number } = organization
    await backend.pool.pg.query(
      `insert into reclassification select ${number}, gen_random_uuid(), ${monitor.number}, at, at + interval '1 second',
        'excluded', 'x', 'system', null, at from generate_series(1, 100) as n, lateral (select to_timestamp(n * 10) as at) as begin`,
    )
    expect((await create()).status).toBe(409)
  })

  it('needs the permission to change monitors, and a monitor of the organization', async () => {
    expect((await create({}, await backend.member(organization, 'viewer'))).status).toBe(403)
    const foreign = await backend.member(await backend.organization(), 'owner')
    expect((await create({}, foreign)).status).toBe(404)
    expect((await backend.call('GET', path(), { as: foreign })).status).toBe(404)
    const { body } = await create()
    expect((await backend.call('DELETE', `${path()}/${body.id}`, { as: foreign })).status).toBe(404)
    const other = await seedMonitor(backend, organization)
    expect((await backend.call('DELETE', `${path(other.id)}/${body.id}`, { as })).status).toBe(404)
  })

  it('deletes those that ended more than 400 days ago', async () => {
    const early = await backend.organization()
    const old = await seedMonitor(backend, early)
    const by = await backend.member(early, 'member')
    await create({}, by, old.id)
    const rows = () =>
      backend.pool.db.selectFrom('reclassification').select('id').where('organization', '=', early.number).execute()
    backend.clock.advance(400 * DAY)
    await backend.jobs.deleteExpired()
    expect(await rows()).toHaveLength(1)
    backend.clock.advance(1)
    await backend.jobs.deleteExpired()
    expect(await rows()).toEqual([])
  })
})
