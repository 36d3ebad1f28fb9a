import { allows, type Authenticator, type Principal, tenantOf } from '../../access/auth/index.ts'
import { repeatWhenDue, type WakingJob } from '../../platform/concurrency/background-job.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Changes, type Db, outsideRequest } from '../../platform/db/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import { type EventRow, type EventWithTransaction, LOOKBACK_MS, readEventsFrom, readSettled } from './store.ts'

/** One stream: who reads it, and where the events of their organization go. */
export interface Subscription {
  /** With the role or the scopes that they had when the feed last read them. */
  principal: Principal
  deliver(event: EventRow): void
  /** Called once, when the principal may no longer read events of the organization; nothing is delivered afterwards. */
  end(): void
}

/** New events of the organizations that have subscriptions, whichever instance stored them. */
export interface Feed {
  /** The returned function ends the subscription. Events that were stored right before it began may be delivered too. */
  subscribe(subscription: Subscription): Promise<() => void>
  /** Reads again what the subscription's principal may do; ends it where that is no longer enough. */
  reauthorize(subscription: Subscription): Promise<void>
  /** Polls now; otherwise after each event, and from time to time, while there is a subscription. */
  poll(): Promise<void>
  stop(): Promise<void>
}

interface FeedDeps {
  db: Db
  clock: Clock
  log: Log
  changes: Pick<Changes, 'on' | 'isHeard'>
  authenticator: Pick<Authenticator, 'refresh'>
}

/** Where events are not announced; else only subscriptions that lost their access are looked for. */
const [POLL_EVERY_MS, ANNOUNCED_EVERY_MS] = [250, 2_000]
const PAGE_SIZE = 5_000

const organizationOf = ({ principal }: Subscription): number => tenantOf(principal).number

export function createFeed({ db, clock, log, changes, authenticator }: FeedDeps): Feed {
  const subscriptions = new Set<Subscription>()
  /** All events of transactions before this one were read. */
  let settled: string | undefined
  /** Ids of events that were read already, of transactions from `settled` on. */
  let seen = new Set<string>()
  let lastPoll = Promise.resolve()
  let job: WakingJob | undefined
  changes.on('live_event', () => job?.wake())

  async function pollOnce(): Promise<void> {
    if (subscriptions.size === 0) {
      settled = undefined
      return
    }
    // Before the events: what becomes visible between the two statements is read again and recognized by its id.
    const next = await readSettled(db)
    const since = new Date(clock.now() - LOOKBACK_MS)
    const organizations = [...new Set([...subscriptions].map(organizationOf))]
    const read = new Set<string>()
    let lastRow: EventWithTransaction | undefined
    do {
      const rows: EventWithTransaction[] = await readEventsFrom(db, organizations, settled ?? next, since, PAGE_SIZE, lastRow)
      // After the events were read: an event that was stored after a caller lost their access is never delivered to them.
      await reauthorize([...subscriptions])
      for (const row of rows) {
        read.add(row.id)
        if (seen.has(row.id)) continue
        // At once: the next page may fail, and this one is then read again.
        seen.add(row.id)
        for (const subscription of subscriptions) if (organizationOf(subscription) === row.organization) subscription.deliver(row)
      }
      lastRow = rows.length < PAGE_SIZE ? undefined : rows.at(-1)
    } while (lastRow)
    seen = read
    settled = next
  }

  async function reauthorize(checked: readonly Subscription[]): Promise<void> {
    const principals = await authenticator.refresh(checked.map(({ principal }) => principal))
    for (const [index, subscription] of checked.entries()) {
      const principal = principals[index]
      if (principal && allows(principal, 'read')) subscription.principal = principal
      else if (subscriptions.delete(subscription)) subscription.end()
    }
  }

  // One after the other: two polls at once would both deliver what is new.
  const poll = () => (lastPoll = lastPoll.catch(() => undefined).then(pollOnce))

  return {
    poll,
    reauthorize: (subscription) => reauthorize([subscription]),
    subscribe: async (subscription) => {
      subscriptions.add(subscription)
      job ??= outsideRequest(() =>
        repeatWhenDue('live events', clock, log, async () => {
          await poll()
          return changes.isHeard() ? ANNOUNCED_EVERY_MS : POLL_EVERY_MS
        }),
      )
      const here = await readSettled(db).catch((error: unknown) => {
        subscriptions.delete(subscription)
        throw error
      })
      settled ??= here
      return () => void subscriptions.delete(subscription)
    },
    stop: async () => job?.stop(),
  }
}
