import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend, type TestBackend } from '../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { watch, type WatchedMonitor } from '../../../test/watched-monitor.ts'
import { encodeId } from '../../platform/ids.ts'

// A backend lives through a month on the clock of the test; everything that it really sends is recorded. Then the month is replayed.

const START = Date.parse('2026-10-01T00:00:00Z')
const DAY = 86_400_000
const REPEAT_SECONDS = 1_800
/** The steps of the clock of the test: what ends between two of them is noticed with the second one. */
const BOUND_MS = 30_000

interface Message {
  atMs: number
  /** `ada`, or the channel. */
  to: string
  what: string
}

let backend: TestBackend
let receiver: Receiver
/** A key: a session does not last a month. */
let key: Credentials
let ada: Credentials & { userId: string }
let bob: Credentials & { userId: string }
const real: Message[] = []

beforeAll(async () => {
  receiver = await startReceiver()
  backend = await startTestBackend({ startMs: START, environment: LOCAL_TARGETS })
})
afterAll(async () => {
  await backend.close()
  await receiver.close()
})

const call = async (method: string, path: string, body?: unknown, as: Credentials = key) => {
  const answer = await backend.call(method, `/v1${path}`, { as, body })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Does what the jobs do, and records what arrived. */
async function tick(): Promise<void> {
  await backend.jobs.evaluateSignals()
  await backend.jobs.reviewSuppressions()
  await backend.jobs.escalate()
  await backend.jobs.notifyOverdue()
  await backend.jobs.startDeliveries()
  await backend.jobs.deliveriesDone()
  for (const { body } of receiver.received.splice(0)) {
    const message = JSON.parse(body)
    const to = message.topic ?? 'hook'
    const what = message.topic === undefined ? `${message.type} ${message.data.incident.target.name}` : message.title
    real.push({ atMs: backend.clock.now(), to, what })
  }
}

/**
 * To what is due next, at most 30 s, while something is open or waits; else a quarter of an hour. The jobs run every 5 s, which is what
 * a step or a reminder is late at most.
 */
async function until(atMs: number): Promise<void> {
  while (backend.clock.now() < atMs) {
    const nextMs = Math.max(backend.clock.now() + 1, Math.min(atMs, await nextDue()))
    backend.clock.advance(nextMs - backend.clock.now())
    if (Math.floor(backend.clock.now() / DAY) !== day) await backend.jobs.keepPartitions()
    day = Math.floor(backend.clock.now() / DAY)
    await tick()
  }
}

async function nextDue(): Promise<number> {
  const { db } = backend.pool
  const open = await db.selectFrom('open_incident').select(['escalation_due_at', 'notified_at']).execute()
  const held = await db.selectFrom('notification_delivery').select('lane').limit(1).executeTakeFirst()
  const signal = await db.selectFrom('alert_signal').select('lane').limit(1).executeTakeFirst()
  const now = backend.clock.now()
  const due = open.flatMap(({ escalation_due_at: step, notified_at: at }) => [
    ...(step ? [step.getTime()] : []),
    ...(at ? [at.getTime() + REPEAT_SECONDS * 1000] : []),
  ])
  return Math.min(now + (open.length > 0 || held || signal ? 30_000 : 900_000), ...due.filter((ms) => ms > now))
}
let day = 0
async function outage(monitor: WatchedMonitor, atMs: number, lengthMs: number, during?: () => Promise<void>): Promise<void> {
  await until(atMs)
  await monitor.goes('down')
  await tick()
  if (during) await during()
  await until(atMs + lengthMs)
  await monitor.goes('up')
  await tick()
}

async function acknowledgeAll(): Promise<void> {
  const { incidents } = await call('GET', '/incidents?status=open')
  for (const { id } of incidents) await call('POST', `/incidents/${id}/acknowledge`, {})
  await tick()
}

const WHAT: Readonly<Record<string, string>> = {
  rule: 'opened',
  policy: 'opened',
  owners: 'opened',
  reminder: 'opened',
  acknowledged: 'acknowledged',
  resolved: 'resolved',
  flapping: 'flapping',
  stable: 'stable',
}

describe('a replay of a month with what was configured', () => {
  it('sends what was really sent, to the same people, at the same time', async () => {
    const organization = await backend.organization()
    key = await backend.apiKey(organization, 'admin')
    ada = await backend.member(organization, 'owner')
    bob = await backend.member(organization, 'member')
    for (const [as, topic] of [
      [ada, 'ada'],
      [bob, 'bob'],
    ] as const)
      await call('POST', '/contact-methods', { type: 'ntfy', config: { url: receiver.url, topic } }, as)
    const quiet_time = { time_zone: 'Europe/Berlin', from: '22:00', to: '07:00', critical_passes: true }
    await call('PATCH', `/organizations/${organization.id}/membership`, { quiet_time }, ada)
    const hook = await call('POST', '/channels', { name: 'hook', type: 'webhook', config: { url: receiver.url } })
    for (const rule of (await call('GET', '/alert-rules')).alert_rules) await call('DELETE', `/alert-rules/${rule.id}`)
    const starts_at = new Date(START).toISOString()
    const [adaId, bobId] = [encodeId('user', ada.userId), encodeId('user', bob.userId)]
    const schedule = await call('POST', '/schedules', {
      name: 'weeks',
      time_zone: 'Europe/Berlin',
      layers: [{ user_ids: [adaId, bobId], starts_at, repeat: 'FREQ=WEEKLY' }],
    })
    const policy = await call('POST', '/escalation-policies', {
      name: 'shop',
      steps: [
        { schedule_ids: [schedule.id], wait_seconds: 600 },
        { channel_ids: [hook.id], user_ids: [adaId, bobId] },
      ],
      repeats: 1,
      reopen_seconds: 7_200,
    })
    const condition = { metric: 'status', operator: 'equals', value: 'down' }
    const rule = (name: string, own: object) => call('POST', '/alert-rules', { name, condition, ...own })
    await rule('critical', { target: { type: 'monitor', tag: 'shop' }, escalation_policy_id: policy.id, severity: 'critical' })
    await rule('warning', {
      target: { type: 'monitor', tag: 'blog' },
      escalation_policy_id: policy.id,
      severity: 'warning',
      for_seconds: 120,
    })
    await rule('channel', { target: { type: 'monitor', tag: 'router' }, channel_ids: [hook.id], repeat_seconds: REPEAT_SECONDS })
    const make = (name: string, own: object = {}) =>
      watch(backend, key, { name, interval: 60, timeout: 10, tags: [name.toLowerCase()], ...own })
    const router = await make('Router')
    const shop = await make('Shop', { depends_on: [{ type: 'monitor', id: router.id }] })
    const blog = await make('Blog')
    for (const monitor of [router, shop, blog]) await monitor.goes('up')
    await call('POST', '/maintenance-windows', {
      name: 'Sundays',
      target: { type: 'monitor', id: blog.id },
      starts_at: '2026-10-04T01:00:00.000Z',
      ends_at: '2026-10-04T03:00:00.000Z',
      repeat: 'FREQ=WEEKLY',
      time_zone: 'UTC',
    })
    await tick()
    receiver.received.splice(0)
    real.length = 0
    const from = new Date(backend.clock.now()).toISOString()

    // By day, acknowledged in time; by night, by everybody; as a warning in the quiet time; in maintenance; with and below a parent.
    await outage(shop, START + DAY + 9 * 3_600_000, 1_500_000, async () => {
      await until(backend.clock.now() + 300_000)
      await acknowledgeAll()
    })
    await outage(shop, START + 2 * DAY + 3_600_000, 2_400_000)
    await outage(blog, START + 3 * DAY + 1.5 * 3_600_000, 1_200_000)
    await outage(blog, START + 4 * DAY + 2 * 3_600_000, 3_000_000)
    await outage(router, START + 6 * DAY, 5_000_000, async () => {
      await shop.goes('down')
      await tick()
      await until(backend.clock.now() + 1_800_000)
      await shop.goes('up')
      await tick()
    })
    await outage(router, START + 8 * DAY, 900_000)
    await outage(blog, START + 10 * DAY + 12 * 3_600_000, 9_000_000, acknowledgeAll)
    await outage(shop, START + 16 * DAY + 23 * 3_600_000, 5_400_000, async () => {
      await until(backend.clock.now() + 1_300_000)
      await acknowledgeAll()
    })
    await outage(blog, START + 18 * DAY + 1.9 * 3_600_000, 3_600_000)
    await until(START + 30 * DAY)

    const body = { from, to: new Date(backend.clock.now()).toISOString(), sets: [{}] }
    const replayed = await call('POST', '/replays', body)
    const [set] = replayed.sets
    type Listed = (typeof set.list)[number]
    const names: Record<string, string> = { [adaId]: 'ada', [bobId]: 'bob' }
    const expected: Message[] = set.list.map((one: Listed) => ({
      atMs: Date.parse(one.held_until ?? one.at),
      to: one.user_id === null ? 'hook' : names[one.user_id],
      what: `${WHAT[one.reason]} ${one.target.name}`,
    }))
    const seen = real.map(({ atMs, to, what }) => ({ atMs, to, what: kindOf(what) }))
    const order = (one: Message, other: Message) => {
      const key = ({ to, what }: Message) => `${to} ${what}`
      return key(one).localeCompare(key(other)) || one.atMs - other.atMs
    }
    const text = ({ to, what }: Message) => `${to} ${what}`
    const [left, right] = [seen.toSorted(order), expected.toSorted(order)]
    expect(right.map(text)).toEqual(left.map(text))
    const late = left.map(({ atMs }, index) => atMs - (right[index] as Message).atMs)
    expect(Math.min(...late)).toBeGreaterThanOrEqual(-1_000)
    expect(Math.max(...late)).toBeLessThanOrEqual(BOUND_MS)
    // Not by chance: each kind of wait and suppression was in it.
    expect(set).toMatchObject({ suppressed_by_maintenance: 1, never_notified: 2, not_replayed: [], has_more: false })
    expect(set.held).toBeGreaterThan(0)
    expect(seen.length).toBeGreaterThan(40)
  }, 300_000)
})

/** `opened Shop`, of the title of a person's message or the type of a channel's. */
function kindOf(text: string): string {
  const [, name] = /(Shop|Blog|Router)/.exec(text) ?? []
  const kind = text.startsWith('incident.') ? text.split(' ')[0]?.slice(9) : TITLES[text.split(':')[0] as string]
  return `${kind ?? 'opened'} ${name}`
}
const TITLES: Readonly<Record<string, string>> = { Acknowledged: 'acknowledged', Resolved: 'resolved' }
