import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Answer } from '../../../../test/answer.ts'
import { isWhole } from '../../../../test/deal.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { compactChecks } from '../../checks/index.ts'
import { seedChecks, type SeededCheck, seedMonitor, seedRegion } from '../../../../test/seed-checks.ts'
import { parseId } from '../../../platform/ids.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { evaluateSlos } from '../index.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Longer than the longest window; else just longer than single checks are kept. */
const HISTORY_DAYS = isWhole ? 95 : 42

// Weeks of checks are inserted and compacted; a busy machine takes long for it.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let backend: TestBackend
let organization: TestOrganization
let owner: Credentials
let region: number
beforeAll(async () => {
  backend = await startTestBackend()
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
  region = await seedRegion(backend, 'ams')
})
afterAll(() => backend.close())

const create = (body: object, as = owner) =>
  backend.call('POST', '/v1/slos', { as, body: { name: 'Shop', objective: 99, ...body } })
const read = async (id: string) => (await backend.call('GET', `/v1/slos/${id}`, { as: owner })).body
const iso = (ms: number) => new Date(ms).toISOString()
/** The incidents of an SLO. */
const incidentsOf = (id: string) =>
  backend.pool.db.selectFrom('incident').selectAll().where('target_id', '=', id).orderBy('at').execute()
const evaluate = () => evaluateSlos({ db: backend.pool.db, clock: backend.clock, log: silentLog })

describe('/v1/slos', () => {
  it('creates, reads, lists, changes and deletes an SLO, and audits each [SLO-05]', async () => {
    const made = await create({ target: { tag: 'prod' } })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      id: expect.stringMatching(/^slo_/),
      target: { id: null, tag: 'prod' },
      kind: 'availability',
      threshold_ms: null,
      objective: 99,
      window: '30d',
      time_zone: 'UTC',
      channel_ids: [],
      burn_alerts: ['1h', '6h', '3d'],
      status: { good: 0, bad: 0, total: 0, good_percent: null, budget_left_percent: null },
    })
    const { id } = made.body
    const { body: listed } = await backend.call('GET', '/v1/slos', { as: owner })
    const { status: _status, ...item } = made.body
    expect(listed.slos).toEqual([item])
    const got = await backend.call('GET', `/v1/slos/${id}`, { as: owner })
    const tag = String(got.headers['etag'])
    const ifMatch = { 'if-match': tag }
    backend.clock.advance(1_000)
    // Time alone makes no other version.
    const again = await backend.call('GET', `/v1/slos/${id}`, { as: owner, headers: { 'if-none-match': tag } })
    expect([again.status, again.headers['etag']]).toEqual([304, tag])
    const patch = { kind: 'latency', threshold_ms: 300, burn_alerts: ['3d'], window: 'month', time_zone: 'Europe/Berlin' }
    const changed = await backend.call('PATCH', `/v1/slos/${id}`, { as: owner, body: patch, headers: ifMatch })
    expect([changed.status, changed.body]).toMatchObject([200, patch])
    const late = await backend.call('PATCH', `/v1/slos/${id}`, { as: owner, body: { name: 'x' }, headers: ifMatch })
    expect(late.status).toBe(412)
    // Everything as it was read may be sent back.
    const { status } = await backend.call('PATCH', `/v1/slos/${id}`, { as: owner, body: changed.body })
    expect(status).toBe(200)
    expect((await backend.call('DELETE', `/v1/slos/${id}`, { as: owner })).status).toBe(204)
    expect((await backend.call('GET', `/v1/slos/${id}`, { as: owner })).status).toBe(404)
    const { body: log } = await backend.call('GET', '/v1/audit-events?limit=3', { as: owner })
    expect(log.audit_events.map(({ action }: { action: string }) => action)).toEqual([
      'slo.deleted',
      'slo.updated',
      'slo.created',
    ])
    const alerts = backend.pool.db.selectFrom('alert_rule').select('id').where('target_type', '=', 'slo')
    expect(await alerts.where('deleted_at', 'is', null).execute()).toEqual([])
  })

  it('keeps its alerts out of the list of alert rules [SLO-06]', async () => {
    const { body } = await create({ target: { tag: 'hidden' } })
    const rules = await backend.pool.db
      .selectFrom('alert_rule')
      .select('id')
      .where('target_id', '=', parseId('slo', body.id) as string)
      .execute()
    expect(rules).toHaveLength(3)
    const { body: list } = await backend.call('GET', '/v1/alert-rules?limit=100', { as: owner })
    expect(list.alert_rules.filter(({ name }: { name: string }) => name === 'Shop')).toEqual([])
  })

  it.each([
    [{ target: {} }, 'target'],
    [{ target: { id: 'mon_x', tag: 'a' } }, 'target'],
    [{ target: { id: 'mon_x' } }, 'target.id'],
    [{ target: { tag: 'a' }, objective: 100 }, 'objective'],
    [{ target: { tag: 'a' }, objective: 49.9 }, 'objective'],
    [{ target: { tag: 'a' }, kind: 'latency' }, 'threshold_ms'],
    [{ target: { tag: 'a' }, threshold_ms: 100 }, 'threshold_ms'],
    [{ target: { tag: 'a' }, time_zone: 'Mars/Base' }, 'time_zone'],
    [{ target: { tag: 'a' }, window: '1h' }, 'window'],
    [{ target: { tag: 'a' }, burn_alerts: ['2h'] }, 'burn_alerts.0'],
    [{ target: { tag: 'a' }, channel_ids: ['chn_x'] }, 'channel_ids.0'],
    [{ target: { tag: 'a' }, name: ' ' }, 'name'],
  ])('refuses %j', async (body, path) => {
    const answer = await create(body)
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path])
  })

  it('refuses monitors of another organization, and more than 100 [SLO-07]', async () => {
    const other = await backend.organization()
    const as = await backend.member(other, 'owner')
    const monitor = await seedMonitor(backend, organization)
    const refused = await create({ target: { id: monitor.id } }, as)
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'target.id'])
    const row = {
      organization: other.number,
      name: 'x',
      target_id: null,
      target_tag: 'a',
      kind: 'availability' as const,
      threshold_ms: null,
      objective: 99,
      period: '30d' as const,
      time_zone: 'UTC',
      created_at: new Date(0),
      updated_at: new Date(0),
    }
    await backend.pool.db
      .insertInto('slo')
      .values(Array.from({ length: 100 }, () => ({ ...row, id: randomUUID() })))
      .execute()
    expect((await create({ target: { tag: 'a' } }, as)).status).toBe(409)
  })
})

describe('the status of an SLO', () => {
  const checks: SeededCheck[] = []
  let monitor: { id: string; number: number }
  let first: number
  beforeAll(async () => {
    monitor = await seedMonitor(backend, organization, 300)
    const now = backend.clock.now()
    first = Math.floor(now / DAY) * DAY - HISTORY_DAYS * DAY
    let number = 0
    for (let atMs = first; atMs <= now; atMs += 5 * MINUTE) {
      number = (number * 1_103_515_245 + 12_345) % 2 ** 31
      const dice = number / 2 ** 31
      const outcome = dice < 0.95 ? 0 : dice < 0.96 ? 1 : dice < 0.98 ? 2 : 3
      checks.push({ region, atMs, outcome, responseUs: dice > 0.97 ? null : Math.floor(dice * 1e6) })
    }
    const body = {
      name: 'updates',
      target: { type: 'monitor', id: monitor.id },
      starts_at: iso(first + HOUR),
      ends_at: iso(first + 3 * HOUR),
      repeat: 'FREQ=WEEKLY',
    }
    await backend.call('POST', '/v1/maintenance-windows', { as: owner, body })
    // As if it had been created before it began.
    await backend.pool.db
      .updateTable('maintenance_window')
      .set({ created_at: new Date(0) })
      .where('organization', '=', organization.number)
      .execute()
    const done = [
      { name: 'hour', done: first / HOUR - 1 },
      { name: 'day', done: first / DAY - 1 },
    ] as const
    await backend.pool.db.insertInto('check_progress').values(done).execute()
    // As time passed: single checks are deleted after 35 days.
    for (let ms = first; ms < now; ms += 5 * DAY) {
      const part = checks.filter(({ atMs }) => atMs >= ms && atMs < ms + 5 * DAY)
      await seedChecks(backend, organization, monitor.number, part)
      await compactChecks(backend.pool.db, { now: () => Math.min(ms + 5 * DAY, now), sleep: async () => undefined })
    }
  })

  const isCounted = ({ atMs, outcome }: SeededCheck) => outcome !== 3 && (atMs - first - HOUR + 7 * DAY) % (7 * DAY) >= 2 * HOUR

  it.each([['7d', 7] as const, ['28d', 28] as const, ['30d', 30] as const, ['90d', 90] as const])(
    'over %s is that of the single checks to 1e-9',
    async (window, days) => {
      const { body } = await create({ target: { id: monitor.id }, window, objective: 99.5 })
      const { status } = body
      const now = backend.clock.now()
      const fromMs = days < 35 ? now - days * DAY + 1 : Math.floor((now - days * DAY + 1) / DAY) * DAY
      expect([status.from, status.to]).toEqual([iso(fromMs), iso(now + 1)])
      const counted = checks.filter((check) => check.atMs >= fromMs && isCounted(check))
      const bad = counted.filter(({ outcome }) => outcome === 2).length
      expect([status.total, status.bad, status.good]).toEqual([counted.length, bad, counted.length - bad])
      expect(Math.abs(status.good_percent - (100 * status.good) / counted.length)).toBeLessThan(1e-9)
      expect(Math.abs(status.budget_left_percent - 100 * (1 - bad / (counted.length * 0.005)))).toBeLessThan(1e-9)
    },
  )

  it('of a latency counts responses below the threshold: exactly within the single checks, else within 1 % [SLO-08]', async () => {
    const body = { target: { id: monitor.id }, kind: 'latency', threshold_ms: 900, objective: 90 }
    const now = backend.clock.now()
    const isGood = ({ responseUs }: SeededCheck) => responseUs !== null && responseUs < 900_000
    const exact = (await create({ ...body, window: '30d' })).body.status
    const counted = checks.filter((check) => check.atMs > now - 30 * DAY && isCounted(check))
    expect([exact.total, exact.good]).toEqual([counted.length, counted.filter(isGood).length])
    expect(exact.exact_from).toBe(exact.from)

    const long = (await create({ ...body, window: '90d' })).body.status
    const exactFrom = Date.parse(long.exact_from)
    expect(exactFrom).toBe(Math.ceil((now - 35 * DAY) / DAY) * DAY)
    const all = checks.filter(
      (check) => check.atMs >= Date.parse(long.from) && check.outcome !== 3 && (check.atMs < exactFrom || isCounted(check)),
    )
    expect(long.total).toBe(all.length)
    const between = (us: number) => all.filter(({ responseUs }) => responseUs !== null && responseUs < us).length
    expect(long.good).toBeGreaterThanOrEqual(between(891_000))
    expect(long.good).toBeLessThanOrEqual(between(909_000))
  })
})

describe('burn-rate alerts', () => {
  it('open while both windows burn, notify the channels of the SLO, and resolve [SLO-09]', async () => {
    const monitor = await seedMonitor(backend, organization, 60)
    const channel = (
      await backend.call('POST', '/v1/channels', {
        as: owner,
        body: { name: 'hook', type: 'webhook', config: { url: 'http://192.0.2.1/' } },
      })
    ).body.id
    const made = await create({ target: { id: monitor.id }, channel_ids: [channel], burn_alerts: ['1h', '3d'] })
    const { id } = made.body
    const sloId = parseId('slo', id) as string
    const minute = async (outcome: number) => {
      await seedChecks(backend, organization, monitor.number, [{ region, atMs: backend.clock.now(), outcome, responseUs: null }])
      await evaluate()
      backend.clock.advance(MINUTE)
    }
    const good = Array.from({ length: 49 }, (_, count) => backend.clock.now() + count * MINUTE)
    const rows = good.map((atMs) => ({ region, atMs, outcome: 0, responseUs: null }))
    await seedChecks(backend, organization, monitor.number, rows)
    backend.clock.advance(good.length * MINUTE)
    await minute(0)
    expect(await incidentsOf(sloId)).toEqual([])
    // 14.4 % of the last hour: more than 8 of 60 checks.
    for (let count = 0; count < 10; count += 1) await minute(2)
    const all = await incidentsOf(sloId)
    expect(all.map(({ severity }) => severity).toSorted()).toEqual(['critical', 'warning'])
    const critical = all.find(({ severity }) => severity === 'critical')
    expect(critical).toMatchObject({
      status: 'open',
      target_type: 'slo',
      target_name: 'Shop',
      notified_channel_ids: [parseId('channel', channel)],
      summary: expect.stringMatching(/^Shop: burn rate 1[4-6][\d.]* over 1h \(threshold 14.4, \d+ of \d+ checks bad\)$/),
    })
    const list = await backend.call('GET', `/v1/incidents?target=${id}`, { as: owner })
    expect(list.body.incidents[0].target).toEqual({ type: 'slo', id, name: 'Shop' })
    for (let count = 0; count < 6; count += 1) await minute(0)
    const after = await incidentsOf(sloId)
    expect(after.find(({ severity }) => severity === 'critical')?.status).toBe('resolved')
    expect(after.find(({ severity }) => severity === 'warning')?.status).toBe('open')
    // Another objective is another condition.
    await backend.call('PATCH', `/v1/slos/${id}`, { as: owner, body: { objective: 98 } })
    expect((await incidentsOf(sloId)).map(({ status }) => status)).toEqual(['resolved', 'resolved'])
  })

  it('follow the escalation policy of the SLO in place of channels [SLO-10]', async () => {
    const call = async (method: string, path: string, body: object) => backend.call(method, path, { as: owner, body })
    const hook = { name: 'hook', type: 'webhook', config: { url: 'http://192.0.2.1/' } }
    const channel = (await call('POST', '/v1/channels', hook)).body.id
    const steps = [{ channel_ids: [channel] }]
    const policy = (await call('POST', '/v1/escalation-policies', { name: 'Shop', steps })).body.id
    const monitor = await seedMonitor(backend, organization, 60)
    const faultOf = ({ status, body }: Answer) => [status, body.error?.details?.[0]?.path]
    const target = { id: monitor.id }
    expect(faultOf(await create({ target, escalation_policy_id: 'esc_1' }))).toEqual([400, 'escalation_policy_id'])
    expect(faultOf(await create({ target, escalation_policy_id: policy, channel_ids: [channel] }))).toEqual([400, 'channel_ids'])
    const { id } = (await create({ target, channel_ids: [channel], burn_alerts: ['1h'] })).body
    const path = `/v1/slos/${id}`
    expect(faultOf(await call('PATCH', path, { escalation_policy_id: policy }))).toEqual([400, 'channel_ids'])
    const changed = await call('PATCH', path, { escalation_policy_id: policy, channel_ids: [] })
    expect(changed.body).toMatchObject({ escalation_policy_id: policy, channel_ids: [] })
    expect((await call('DELETE', `/v1/escalation-policies/${policy}`, {})).status).toBe(409)
    const checks = Array.from({ length: 60 }, (_, index) => ({
      region,
      atMs: backend.clock.now() - index * MINUTE,
      outcome: 2,
      responseUs: null,
    }))
    await seedChecks(backend, organization, monitor.number, checks)
    await evaluate()
    expect(await incidentsOf(parseId('slo', id) as string)).toMatchObject([
      { escalation_policy_id: parseId('escalationPolicy', policy), notified_channel_ids: [parseId('channel', channel)] },
    ])
    expect((await call('PATCH', path, { escalation_policy_id: null })).body.escalation_policy_id).toBeNull()
  })

  it('do nothing for an SLO whose alerts are off [SLO-11]', async () => {
    const monitor = await seedMonitor(backend, organization, 60)
    const { body } = await create({ target: { id: monitor.id }, burn_alerts: [] })
    const atMs = backend.clock.now()
    await seedChecks(backend, organization, monitor.number, [{ region, atMs, outcome: 2, responseUs: null }])
    await evaluate()
    expect(await incidentsOf(parseId('slo', body.id) as string)).toEqual([])
    expect((await read(body.id)).status.burn_rates).toMatchObject([
      { window: '1h', burn_rate: expect.closeTo(100, 6), total: 1, too_few_checks: true },
      { window: '6h' },
      { window: '3d' },
    ])
  })
})
