import { expect } from 'vitest'
import { LOCAL_TARGETS } from '../../../../test/alert-fixture.ts'
import { type Credentials, startTestBackend } from '../../../../test/harness.ts'
import { removeRules } from '../../../../test/remove-rules.ts'
import { isWhole } from '../../../../test/deal.ts'
import { startReceiver } from '../../../../test/receiver.ts'
import { watch, type WatchedMonitor } from '../../../../test/watched-monitor.ts'
import { encodeId } from '../../../platform/ids.ts'

// A backend lives through a time on the clock of the test; everything that it really sends is recorded. Then the time is replayed.

const DAY_MS = 86_400_000
/** The steps of the clock of the test: what ends between two of them is noticed with the second one. */
const BOUND_MS = isWhole ? 30_000 : 120_000
/** While nothing is open and nothing waits, nothing becomes due. */
const IDLE_MS = isWhole ? 900_000 : DAY_MS
export const REPEAT_SECONDS = 1_800

/** One message, or one notification of a replay. */
interface Message {
  atMs: number
  /** `ada`, or the channel. */
  to: string
  /** `opened Shop` */
  what: string
}

const WHAT: Readonly<Record<string, string>> = { rule: 'opened', policy: 'opened', owners: 'opened', reminder: 'opened' }
const TITLES: Readonly<Record<string, string>> = {
  Acknowledged: 'acknowledged',
  Resolved: 'resolved',
  Flapping: 'flapping',
  'No longer flapping': 'stable',
}

/** `opened Shop`, of the title of a person's message or the type of a channel's. */
function kindOf(text: string): string {
  const [, name] = /(Shop|Blog|Router)/.exec(text) ?? []
  const kind = text.startsWith('incident.') ? text.split(' ')[0]?.slice(9) : TITLES[text.split(':')[0] as string]
  return `${kind ?? 'opened'} ${name}`
}

const order = (one: Message, other: Message) =>
  `${one.to} ${one.what}`.localeCompare(`${other.to} ${other.what}`) || one.atMs - other.atMs
const textOf = ({ to, what }: Message) => `${to} ${what}`

export type Life = Awaited<ReturnType<typeof startLife>>

/** A backend, and an organization with an owner `ada`, a member `bob` and a channel `hook`, which all receive at one address. */
export async function startLife(startMs: number) {
  const receiver = await startReceiver()
  const backend = await startTestBackend({ startMs, environment: LOCAL_TARGETS })
  const organization = await backend.organization()
  // A session does not last a month.
  const key = await backend.apiKey(organization, 'admin')
  const ada = await backend.member(organization, 'owner')
  const bob = await backend.member(organization, 'member')
  const ids = { ada: encodeId('user', ada.userId), bob: encodeId('user', bob.userId) }
  const names: Readonly<Record<string, string>> = { [ids.ada]: 'ada', [ids.bob]: 'bob' }
  const real: Message[] = []
  let day = 0

  async function call(method: string, path: string, body?: unknown, as: Credentials = key) {
    const answer = await backend.call(method, `/v1${path}`, { as, body })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  for (const [as, topic] of [
    [ada, 'ada'],
    [bob, 'bob'],
  ] as const)
    await call('POST', '/contact-methods', { type: 'ntfy', config: { url: receiver.url, topic } }, as)
  const hook = await call('POST', '/channels', { name: 'hook', type: 'webhook', config: { url: receiver.url } })
  await removeRules(backend, organization)

  async function deliver(): Promise<void> {
    await backend.jobs.startDeliveries()
    await backend.jobs.idle()
  }

  /** Does what the jobs do, and records what arrived. */
  async function tick(): Promise<void> {
    await backend.jobs.evaluateSignals()
    // What waits for its delivery is not reminded of; in reality it is delivered within a moment.
    await deliver()
    await backend.jobs.reviewSuppressions()
    await backend.jobs.escalate()
    await backend.jobs.notifyOverdue()
    await deliver()
    for (const { body } of receiver.received.splice(0)) {
      const message = JSON.parse(body)
      const what = message.topic === undefined ? `${message.type} ${message.data.incident.target.name}` : message.title
      real.push({ atMs: backend.clock.now(), to: message.topic ?? 'hook', what: kindOf(what) })
    }
  }

  /**
   * To what is due next, at most a step, while something is open or waits; else a day, at night a quarter of an hour. The jobs run every
   * 5 s, which is what a step or a reminder is late at most.
   */
  async function until(atMs: number): Promise<void> {
    while (backend.clock.now() < atMs) {
      const nextMs = Math.max(backend.clock.now() + 1, Math.min(atMs, await nextDue()))
      backend.clock.advance(nextMs - backend.clock.now())
      if (Math.floor(backend.clock.now() / DAY_MS) !== day) await backend.jobs.keepPartitions()
      day = Math.floor(backend.clock.now() / DAY_MS)
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
    return Math.min(now + (open.length > 0 || held || signal ? BOUND_MS : IDLE_MS), ...due.filter((ms) => ms > now))
  }

  /** The status of a monitor, at once. */
  async function goes(monitor: WatchedMonitor, outcome: 'up' | 'down'): Promise<void> {
    await monitor.goes(outcome)
    await tick()
  }

  /** The time that is replayed begins here: what was sent until now does not count. */
  async function begin(): Promise<string> {
    await tick()
    real.length = 0
    return new Date(backend.clock.now()).toISOString()
  }

  return {
    backend,
    call,
    ada,
    ids,
    hook,
    until,
    goes,
    begin,
    /** A monitor that is up; its tag is its name in lower case. */
    monitor: async (name: string, own: object = {}) => {
      const made = await watch(backend, key, { name, interval: 60, timeout: 10, tags: [name.toLowerCase()], ...own })
      await made.goes('up')
      return made
    },
    async outage(monitor: WatchedMonitor, atMs: number, lengthMs: number, during?: () => Promise<void>): Promise<void> {
      await until(atMs)
      await goes(monitor, 'down')
      if (during) await during()
      await until(atMs + lengthMs)
      await goes(monitor, 'up')
    },
    /** With `snoozeSeconds` until then. */
    async acknowledgeAll(snoozeSeconds?: number): Promise<void> {
      const body = snoozeSeconds === undefined ? {} : { snooze_seconds: snoozeSeconds }
      const { incidents } = await call('GET', '/incidents?status=open')
      for (const { id } of incidents) await call('POST', `/incidents/${id}/acknowledge`, body)
      await tick()
    },
    /** Replays what is configured, and expects that it sends what was really sent, to the same people, at the same time. */
    async expectReplayed(from: string) {
      const body = { from, to: new Date(backend.clock.now()).toISOString(), sets: [{}] }
      const [set] = (await call('POST', '/replays', body)).sets
      const expected = set.list.map((one: (typeof set.list)[number]) => ({
        atMs: Date.parse(one.held_until ?? one.at),
        to: one.user_id === null ? 'hook' : names[one.user_id],
        what: `${WHAT[one.reason] ?? one.reason} ${one.target.name}`,
      }))
      const [left, right] = [real.toSorted(order), expected.toSorted(order)]
      expect(right.map(textOf)).toEqual(left.map(textOf))
      const late = left.map(({ atMs }, index) => atMs - right[index].atMs)
      expect(Math.min(...late)).toBeGreaterThanOrEqual(-1_000)
      expect(Math.max(...late)).toBeLessThanOrEqual(BOUND_MS)
      return { set, sent: left.map(textOf) }
    },
    async close(): Promise<void> {
      await backend.close()
      await receiver.close()
    },
  }
}
