import { DAY_MS, HOUR_MS, MINUTE_MS } from '@vedette/shared'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../../test/harness.ts'
import { encodeId } from '../../../../platform/ids.ts'

const NOW = Date.parse('2026-11-30T10:00:00.000Z')
const iso = (ms: number) => new Date(ms).toISOString()

let backend: TestBackend
let organization: TestOrganization
let owner: Awaited<ReturnType<TestBackend['member']>>
let source: { id: string; token: string }
beforeAll(async () => {
  backend = await startTestBackend({ startMs: NOW, environment: LOCAL_TARGETS })
})
afterAll(() => backend.close())
beforeEach(async () => {
  organization = await backend.organization()
  owner = await backend.member(organization, 'owner')
  await send('POST', '/v1/contact-methods', { type: 'ntfy', config: { url: 'http://127.0.0.1:9', topic: 'ada' } })
  const steps = [{ user_ids: [encodeId('user', owner.userId)], wait_seconds: 600 }]
  const policy = await send('POST', '/v1/escalation-policies', { name: 'Shop', steps })
  const own = { name: 'Shop API', type: 'opsgenie', tag_labels: ['team'], escalation_policy_id: policy.body.id }
  source = (await send('POST', '/v1/alert-sources', own)).body
})

const send = (method: string, path: string, body?: unknown, as: Credentials = owner) => backend.call(method, path, { as, body })
const add = (alerts: readonly object[], as?: Credentials) =>
  send('POST', `/v1/alert-sources/${source.id}/history`, { alerts }, as)
const incidents = async () => (await send('GET', '/v1/incidents?limit=100')).body.incidents
const rowsOf = async (sql: string) => (await backend.pool.pg.query(sql)).rows
/** Of one that began an hour ago and took 20 minutes. */
const alertOf = (own: object = {}) => ({
  id: 'a1',
  key: 'db-1/disk',
  title: 'Disk of db-1 is full',
  severity: 'P1',
  labels: { team: 'shop' },
  opened_at: iso(NOW - HOUR_MS),
  resolved_at: iso(NOW - 40 * MINUTE_MS),
  ...own,
})

it('an alert that is over becomes a resolved incident with its own times, and nobody is notified', async () => {
  const { body: me } = await send('GET', '/v1/auth/me')
  const sent = alertOf({
    opened_at: '2026-01-15T08:00:00.123Z',
    acknowledged_at: '2026-01-15T09:02:03.004+01:00',
    acknowledged_by: ` ${me.email.toUpperCase()} `,
    comments: [{ at: '2026-02-01T00:00:00Z', text: 'written\nlater', by: 'ben@example.com' }],
    resolved_at: '2026-01-15T08:30:00Z',
    resolved_by: 'ben@example.com',
    text: 'since noon',
  })
  expect(await add([sent])).toMatchObject({ status: 200, body: { added: 1, present: 0 } })
  const [item, ...others] = await incidents()
  expect(others).toEqual([])
  expect(item).toMatchObject({
    origin: { type: 'source', id: source.id },
    rule_id: null,
    status: 'resolved',
    severity: 'critical',
    summary: 'Disk of db-1 is full',
    target: { type: 'external', name: 'Disk of db-1 is full' },
    labels: { team: 'shop' },
    silenced: false,
    opened_at: '2026-01-15T08:00:00.123Z',
    acknowledged_at: '2026-01-15T08:02:03.004Z',
    acknowledged_by: encodeId('user', owner.userId),
    resolved_at: '2026-01-15T08:30:00.000Z',
  })
  const { body } = await send('GET', `/v1/incidents/${item.id}`)
  expect(body.evidence).toMatchObject({ key: 'db-1/disk', text: 'since noon', added_at: iso(NOW) })
  expect(body.timeline).toEqual([
    { at: '2026-01-15T08:00:00.123Z', type: 'opened', message: 'Disk of db-1 is full' },
    {
      at: '2026-01-15T08:02:03.004Z',
      type: 'acknowledged',
      message: `acknowledged by ${me.email.toUpperCase()} in Shop API`,
      user: { id: expect.stringMatching(/^usr_/), email: me.email, name: null },
    },
    { at: '2026-01-15T08:30:00.000Z', type: 'resolved', message: 'resolved by ben@example.com in Shop API' },
    { at: '2026-02-01T00:00:00.000Z', type: 'comment', message: 'written later (by ben@example.com in Shop API)' },
  ])
  expect((await send('GET', '/v1/incidents?tag=label:team=shop')).body.total).toBe(1)
  backend.clock.advance(HOUR_MS)
  await backend.jobs.idle()
  for (const table of ['open_incident', 'notification_delivery', 'event'])
    expect([table, await rowsOf(`select from ${table} where organization = ${organization.number}`)]).toEqual([table, []])
  const { body: audit } = await send('GET', '/v1/audit-events?action=alert_source.history_added')
  expect(audit.audit_events).toMatchObject([{ details: { name: 'Shop API', count: 1 } }])
})

it('a replay says whom it would have notified', async () => {
  await add([alertOf()])
  const period = { from: iso(NOW - 2 * HOUR_MS), to: iso(NOW) }
  const { body } = await send('POST', '/v1/replays', { ...period, sets: [{ name: 'now' }] })
  const of = { target: { name: 'Disk of db-1 is full' }, at_night: false }
  expect(body.sets).toMatchObject([
    {
      incidents: 1,
      list: [
        { ...of, reason: 'policy', at: iso(NOW - HOUR_MS) },
        { ...of, reason: 'resolved' },
      ],
    },
  ])
})

it('alerts that are added twice, in another order and other parts, are there once', async () => {
  const at = fc.integer({ min: NOW - 399 * DAY_MS, max: NOW })
  const alert = fc
    .record({ id: fc.constantFrom('a', 'b', 'c', 'd'), key: fc.constantFrom('x', 'y'), from: at, to: at, note: fc.string() })
    .map(({ id, key, from, to, note }) => {
      const [opened, resolved] = [Math.min(from, to), Math.max(from, to)]
      const comments = /\p{L}/u.test(note) ? [{ at: iso(resolved), text: note }] : []
      return alertOf({ id, key, opened_at: iso(opened), resolved_at: iso(resolved), comments })
    })
  await fc.assert(
    fc.asyncProperty(fc.array(alert, { minLength: 1, maxLength: 12 }), fc.nat(11), async (alerts, cut) => {
      await rowsOf('delete from incident; delete from incident_event')
      const distinct = new Set(alerts.map(({ id, opened_at: opened }: { id: string; opened_at: string }) => `${id} ${opened}`))
        .size
      const first = await add(alerts)
      expect(first.body).toEqual({ added: distinct, present: alerts.length - distinct })
      const state = async () => [
        await rowsOf('select * from incident order by at, id'),
        await rowsOf('select incident_id, at, type, message from incident_event order by 1, 2, 3, 4'),
      ]
      const before = await state()
      const again = alerts.toReversed()
      for (const part of [again.slice(0, cut), again.slice(cut)].filter(({ length }) => length > 0))
        expect((await add(part)).body.added).toBe(0)
      expect(await state()).toEqual(before)
    }),
    { numRuns: 12 },
  )
})

it('an alert that the source received itself is not added', async () => {
  await backend.call('POST', `/v1/in/opsgenie/${source.token}/v2/alerts`, { body: { message: 'Disk', alias: 'db-1/disk' } })
  const openedMs = Date.parse((await incidents())[0].opened_at)
  backend.clock.advance(10 * MINUTE_MS)
  const span = { opened_at: iso(openedMs - 1_000), resolved_at: iso(openedMs + 1) }
  expect((await add([alertOf(span)])).body).toEqual({ added: 0, present: 1 })
  expect((await add([alertOf({ ...span, resolved_at: iso(openedMs) })])).body).toEqual({ added: 1, present: 0 })
})

it('faults name the field, and nothing of the request is added', async () => {
  const nowMs = backend.clock.now()
  const cases: [path: string, own: object][] = [
    ['opened_at', { opened_at: iso(nowMs - 400 * DAY_MS - 1) }],
    ['opened_at', { opened_at: '2026-02-30T00:00:00Z' }],
    ['resolved_at', { resolved_at: iso(nowMs + 1) }],
    ['resolved_at', { opened_at: iso(nowMs - 5), resolved_at: iso(nowMs - 6) }],
    ['acknowledged_at', { acknowledged_at: iso(NOW - 39 * MINUTE_MS) }],
    ['comments.0.at', { comments: [{ at: iso(NOW - 2 * HOUR_MS), text: 'early' }] }],
    ['title', { title: '' }],
  ]
  for (const [path, own] of cases) {
    const { status, body } = await add([alertOf(), alertOf({ id: 'a2', ...own })])
    expect([status, body.error.details.map((one: { path: string }) => one.path)]).toEqual([400, [`alerts.1.${path}`]])
  }
  expect((await add([])).status).toBe(400)
  expect((await add(Array.from({ length: 501 }, (_, index) => alertOf({ id: String(index) })))).status).toBe(400)
  expect(await incidents()).toEqual([])
})

it('needs the right to manage integrations, and a source of the organization', async () => {
  expect((await add([alertOf()], await backend.member(organization, 'member'))).status).toBe(403)
  expect((await add([alertOf()], await backend.member(await backend.organization(), 'owner'))).status).toBe(404)
})

it('an alert of 400 days ago has a month to be stored in, which the next run keeps', async () => {
  const nowMs = backend.clock.now()
  const old = { opened_at: iso(nowMs - 400 * DAY_MS), resolved_at: iso(nowMs - 400 * DAY_MS + 1) }
  expect((await add([alertOf(old)])).body).toEqual({ added: 1, present: 0 })
  await backend.jobs.keepPartitions?.()
  expect(await incidents()).toHaveLength(1)
})
