import type { Clock } from '../time/clock.ts'
import { type LimitGroup, type Limits, type RateLimiter, WINDOW_MS } from '../http/index.ts'
import { newRandomId } from '../ids.ts'
import type { Log } from '../logging/log.ts'
import type { DatabaseClock } from './database-clock.ts'
import { createGroup, type Group, type GroupRules } from './group.ts'
import { createDatabaseRetry } from './database-retry.ts'
import type { LimitStore } from './store.ts'

export interface SharedLimiter extends RateLimiter {
  /** Measures the clock and announces this instance to the others. Call it every few seconds. */
  keep(): Promise<void>
  /** Removes this instance from the list of instances. Never throws. */
  leave(): Promise<void>
}

export interface LimiterDeps {
  store: LimitStore
  limits: Limits
  /** The clock of the windows. */
  databaseClock: DatabaseClock
  /** For waiting. */
  clock: Clock
  log: Log
}

const minuteOf = (databaseClock: DatabaseClock): number => Math.floor(databaseClock.now() / WINDOW_MS)

/** An instance is considered stopped after this time: it missed three calls of `keep`. */
const GONE_AFTER_MS = 50_000
/** Only the counts of the last two minutes are used. */
const KEPT_MINUTES = 2

/**
 * Limits that several backends on one database enforce together and never exceed. Exact for logins and writes; reads and pushes
 * are leased in blocks: up to a twentieth of the limit may stay unspent where several instances serve one credential.
 */
export async function startSharedLimiter(deps: LimiterDeps): Promise<SharedLimiter> {
  const { store, limits, databaseClock, log } = deps
  const instance = newRandomId()
  let instances = 1
  const minute = () => minuteOf(databaseClock)
  const startedAtMs = databaseClock.now()
  const isKnown = () => databaseClock.now() - startedAtMs >= GONE_AFTER_MS
  const database = createDatabaseRetry(deps)
  const group = (name: LimitGroup, rules: Pick<GroupRules, 'lease' | 'whenAway'>) =>
    createGroup(
      name,
      { limit: limits[name], free: Math.floor(rules.lease / 10), ...rules },
      { store, minute, instances: () => instances, isKnown, ...database },
    )
  const groups: Record<LimitGroup, Group> = {
    auth: group('auth', { lease: 0, whenAway: 'closed' }),
    write: group('write', { lease: 0, whenAway: 'share' }),
    read: group('read', { lease: twentieth(limits.read), whenAway: 'share' }),
    dashboard: group('dashboard', { lease: twentieth(limits.dashboard), whenAway: 'share' }),
    agent: group('agent', { lease: twentieth(limits.agent), whenAway: 'closed' }),
    probe: group('probe', { lease: twentieth(limits.probe), whenAway: 'closed' }),
    check: group('check', { lease: 0, whenAway: 'closed' }),
    scrape: group('scrape', { lease: twentieth(limits.scrape), whenAway: 'share' }),
    query: group('query', { lease: twentieth(limits.query), whenAway: 'share' }),
    // Counted by each instance in its memory: a statement would cost as much as the request.
    ping: group('ping', { lease: 0, whenAway: 'share' }),
    page: group('page', { lease: 0, whenAway: 'share' }),
  }

  async function keep(): Promise<void> {
    await databaseClock.measure()
    const now = databaseClock.now()
    instances = await store.announce(instance, now, now - GONE_AFTER_MS)
  }

  await keep()
  return {
    take: (key, name) => groups[name].take(key),
    record: (key, name) => groups[name].record(key),
    peek: (key, name) => groups[name].peek(key),
    now: () => databaseClock.now(),
    keep,
    leave: async () => {
      try {
        await store.leave(instance)
      } catch (error) {
        log.warn({ err: error }, 'could not remove this instance from the rate limits; the others count it for up to 50 s')
      }
    },
  }
}

/** Deletes the counts of past minutes. Any process may run it, also one that serves no requests. */
export async function removeOldCounts(store: LimitStore, databaseClock: DatabaseClock): Promise<void> {
  await databaseClock.measure()
  await store.removeBefore(minuteOf(databaseClock) - KEPT_MINUTES)
}

const twentieth = (limit: number): number => Math.floor(limit / 20)
