import { afterAll, beforeAll, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { watch } from '../../../../test/watched-monitor.ts'
import { encodeId } from '../../../platform/ids.ts'

/** 23:30 in Berlin. */
const START = Date.parse('2026-11-27T22:30:00Z')
const MINUTE_MS = 60_000

let backend: TestBackend
let key: Credentials
let userId: string
let ruleId: string
let policyId: string
let openedMs: number
let resolvedMs: number
beforeAll(async () => {
  backend = await startTestBackend({ startMs: START, environment: LOCAL_TARGETS })
  const organization = await backend.organization()
  const owner = await backend.member(organization, 'owner')
  userId = encodeId('user', owner.userId)
  await backend.pool.db.updateTable('app_user').set({ name: 'Ada' }).where('id', '=', owner.userId).execute()
  key = await backend.apiKey(organization, 'admin')
  await call('POST', '/contact-methods', { type: 'ntfy', config: { url: 'http://127.0.0.1:9', topic: 'ada' } }, owner)
  await removeRules(backend, organization)
  const steps = [{ user_ids: [userId], wait_seconds: 600 }, { user_ids: [userId] }]
  policyId = (await call('POST', '/escalation-policies', { name: 'Shop', steps })).id
  const condition = { metric: 'status', operator: 'equals', value: 'down' }
  const rule = { name: 'down', target: { type: 'monitor' }, condition, severity: 'warning', escalation_policy_id: policyId }
  ruleId = (await call('POST', '/alert-rules', rule)).id
  const shop = await watch(backend, key, { interval: 60 })
  await shop.goes('up')
  await shop.goes('down')
  openedMs = backend.clock.now()
  backend.clock.advance(30 * MINUTE_MS)
  await shop.goes('up')
  resolvedMs = backend.clock.now()
  backend.clock.advance(600 * MINUTE_MS)
})
afterAll(() => backend.close())

const send = async (method: string, path: string, body?: unknown, as: Credentials = key) =>
  backend.call(method, `/v1${path}`, { as, body })
async function call(method: string, path: string, body?: unknown, as?: Credentials) {
  const answer = await send(method, path, body, as)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}
const period = () => ({ from: new Date(START).toISOString(), to: new Date(backend.clock.now()).toISOString() })
const run = (own: object, ...sets: object[]) => send('POST', '/replays', { ...period(), sets, ...own })
const fault = async (own: object, ...sets: object[]) => {
  const { status, body } = await run(own, ...sets)
  return [status, body.error?.message]
}
/** `policy 0 +600000`: what, its step, and when after the opening. */
const linesOf = (list: readonly { reason: string; at: string; held_until: string | null }[]) =>
  list.map(({ reason, at, held_until: held }) => `${reason} ${Date.parse(at) - openedMs}${held === null ? '' : ` ${held}`}`)

it('two sets of a replay differ by another wait, as by hand [REPLAY-08]', async () => {
  const steps = [{ user_ids: [userId], wait_seconds: 1_200 }, { user_ids: [userId] }]
  const { body } = await run({}, {}, { escalation_policies: [{ id: policyId, steps }] })
  const lastMs = resolvedMs - openedMs
  expect(linesOf(body.sets[0].list)).toEqual(['policy 0', 'policy 600000', `resolved ${lastMs}`])
  expect(linesOf(body.sets[1].list)).toEqual(['policy 0', 'policy 1200000', `resolved ${lastMs}`])
  expect(body.only_in.map(({ list }: { list: [] }) => linesOf(list))).toEqual([['policy 600000'], ['policy 1200000']])
  expect(body.sets[0]).toMatchObject({ incidents: 1, notifications: 3, at_night: 3, held: 0 })
})

it('a quiet time of a replay holds all notifications until the morning, once [REPLAY-09]', async () => {
  const quiet_time = { time_zone: 'Europe/Berlin', from: '22:00', to: '07:00', critical_passes: true }
  const { body } = await run({}, {}, { name: 'quiet', quiet_times: [{ user_id: userId, quiet_time }] })
  const [, quiet] = body.sets
  const morning = '2026-11-28T06:00:00.000Z'
  expect(linesOf(quiet.list)).toEqual([`policy 0 ${morning}`, `resolved ${resolvedMs - openedMs} ${morning}`])
  expect(quiet).toMatchObject({ name: 'quiet', notifications: 2, at_night: 0, held: 2 })
  expect(quiet.longest_held_seconds).toBe(Math.round((Date.parse(morning) - openedMs) / 1_000))
  const person = { user_id: userId, email: expect.stringContaining('@'), name: 'Ada' }
  expect(quiet.people).toMatchObject([{ ...person, notifications: 2, held: 2 }])
  expect(quiet.list[0]).toMatchObject(person)
})

it('a longer duration, a rule that is left out, and one that is new are replayed, and nothing is stored [REPLAY-10]', async () => {
  const condition = { metric: 'status', operator: 'equals', value: 'down' }
  const added = { name: 'new', target: { type: 'monitor' }, condition, escalation_policy_id: policyId }
  const count = async (set: object, own: object = {}) => {
    const [one] = (await run(own, set)).body.sets
    return [one.incidents, one.notifications]
  }
  expect(await count({ alert_rules: [{ id: ruleId, for_seconds: 7_200 }] })).toEqual([0, 0])
  expect(await count({ without: [ruleId] })).toEqual([0, 0])
  expect(await count({ without: [ruleId], alert_rules: [added] })).toEqual([1, 3])
  // Acknowledged after five minutes: no second step, but the word of it and of the end.
  const within = { acknowledge_after_seconds: 300 }
  expect(await count({ without: [ruleId], alert_rules: [added] }, within)).toEqual([1, 3])
  expect((await run(within, { without: [ruleId], alert_rules: [added] })).body.sets[0].list[1].reason).toBe('acknowledged')
  const figure = {
    name: 'slow',
    target: { type: 'monitor' },
    condition: { metric: 'response_ms', operator: 'greater_than', value: 1 },
  }
  const { not_replayed: limits } = (await run({}, { alert_rules: [figure] })).body.sets[0]
  expect(limits).toMatchObject([{ alert_rule_id: null, alert_rule_name: 'slow' }])
  expect((await call('GET', '/alert-rules')).total).toBe(1)
})

it('faults of a replay name the field of the set, the same for ids of other organizations [REPLAY-11]', async () => {
  const other = await backend.organization()
  const foreign = await backend.apiKey(other, 'admin')
  const theirs = (await call('GET', '/alert-rules', undefined, foreign)).alert_rules[0].id
  const outsider = encodeId('user', (await backend.member(other, 'owner')).userId)
  for (const id of [theirs, 'alr_nothing', policyId])
    expect(await fault({}, {}, { alert_rules: [{ id, for_seconds: 60 }] })).toEqual([
      400,
      'sets.1.alert_rules.0.id: is not an alert rule of this organization',
    ])
  expect(await fault({}, { without: [theirs] })).toEqual([
    400,
    'sets.0.without.0: is not an alert rule, escalation policy or maintenance window of this organization',
  ])
  expect(await fault({}, { quiet_times: [{ user_id: outsider, quiet_time: null }] })).toEqual([
    400,
    'sets.0.quiet_times.0.user_id: is not a member of this organization',
  ])
  expect(await fault({}, { escalation_policies: [{ id: policyId, steps: [{ user_ids: [outsider] }] }] })).toEqual([
    400,
    'sets.0.escalation_policies.0.steps.0.user_ids.0: is not a member of this organization',
  ])
  expect(await fault({}, { without: [policyId] })).toEqual([
    400,
    'sets.0.without: must not name the escalation policy of the alert rule down',
  ])
  expect(await fault({}, { alert_rules: [{ severity: 'info' }] })).toEqual([
    400,
    'sets.0.alert_rules.0.name: is required without an id',
  ])
})

it('the period of a replay is at most 90 days and has ended [REPLAY-12]', async () => {
  const days = (count: number) => new Date(backend.clock.now() - count * 86_400_000).toISOString()
  expect(await fault({ from: days(90.1) }, {})).toEqual([400, 'to: must be at most 90 days after from'])
  expect((await run({ from: days(90) }, {})).status).toBe(200)
  expect(await fault({ to: days(-1) }, {})).toEqual([400, 'to: must not be in the future'])
  expect(await fault({ from: days(1), to: days(2) }, {})).toEqual([400, 'to: must be after from'])
})

it('a second replay of an organization at the same time is refused, and those of others are not [REPLAY-13]', async () => {
  const other = await backend.organization()
  const theirs = await backend.apiKey(other, 'admin')
  const body = { ...period(), sets: [{}] }
  const holder = await backend.pool.pg.connect()
  await holder.query('begin')
  // The replays wait for it.
  await holder.query('lock table alert_rule in access exclusive mode')
  const waiting = async () => {
    const { rows } = await holder.query(
      "select count(*)::int as n from pg_locks where not granted and relation = 'alert_rule'::regclass",
    )
    return rows[0].n
  }
  try {
    const running = [send('POST', '/replays', body), send('POST', '/replays', body, theirs)]
    await expect.poll(waiting).toBe(2)
    const { status, headers, body: refused } = await send('POST', '/replays', body)
    expect([status, refused.error.code, headers['retry-after']]).toEqual([429, 'rate_limited', '2'])
    expect(refused.error.message).toBe('At most 1 of the replays of one organization may run at once. Try again in 2 s.')
    await holder.query('commit')
    expect((await Promise.all(running)).map((answer) => answer.status)).toEqual([200, 200])
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  expect((await send('POST', '/replays', body)).status).toBe(200)
})
