import type { Clock } from '../clock.ts'
import { type LimitGroup, type Limits, type RateLimiter, WINDOW_MS } from '../http/index.ts'
import { newRandomId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { DatabaseClock } from './database-clock.ts'
import { createGroup, type Group, type GroupRules } from './group.ts'
import { createPatience } from './patience.ts'
import type { LimitStore } from './store.ts'

export interface SharedLimiter extends RateLimiter {
  /** Compares the clock and tells the others that this instance is there. To be called every few seconds. */
  keep(): Promise<void>
  /** Tells the others that this instance is gone. Never throws. */
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

/** An instance that was not heard of for so long is gone: three calls of `keep` missed. */
const GONE_AFTER_MS = 50_000
/** Counts of minutes before the last two are of no use to anybody. */
const KEPT_MINUTES = 2

/**
 * Limits that several backends on one database keep together, never over. Exact for logins and writes; reads and pushes are
 * leased in blocks, by which up to a twentieth of the limit may stay unspent where several instances serve one credential.
 */
export async function startSharedLimiter(deps: LimiterDeps): Promise<SharedLimiter> {
  const { store, limits, databaseClock, log } = deps
  const instance = newRandomId()
  let instances = 1
  const minute = () => minuteOf(databaseClock)
  const database = createPatience(deps)
  const group = (name: LimitGroup, rules: Pick<GroupRules, 'lease' | 'whenAway'>) =>
    createGroup(name, { limit: limits[name], ...rules }, { store, minute, instances: () => instances, ...database })
  const groups: Record<LimitGroup, Group> = {
    auth: group('auth', { lease: 0, whenAway: 'closed' }),
    write: group('write', { lease: 0, whenAway: 'share' }),
    read: group('read', { lease: twentieth(limits.read), whenAway: 'share' }),
    agent: group('agent', { lease: twentieth(limits.agent), whenAway: 'closed' }),
    probe: group('probe', { lease: twentieth(limits.probe), whenAway: 'closed' }),
  }

  async function keep(): Promise<void> {
    await databaseClock.measure()
    const now = databaseClock.now()
    instances = await store.announce(instance, now, now - GONE_AFTER_MS)
  }

  await keep()
  return {
    take: (key, name) => groups[name].take(key),
    note: (key, name) => groups[name].note(key),
    peek: (key, name) => groups[name].peek(key),
    now: () => databaseClock.now(),
    keep,
    leave: async () => {
      try {
        await store.leave(instance)
      } catch (error) {
        log.warn({ err: error }, 'the other instances will take this one for running for a while')
      }
    },
  }
}

/** Removes the counts of minutes that are over. Any process may do it, one that serves nothing too. */
export async function removeOldCounts(store: LimitStore, databaseClock: DatabaseClock): Promise<void> {
  await databaseClock.measure()
  await store.removeBefore(minuteOf(databaseClock) - KEPT_MINUTES)
}

const twentieth = (limit: number): number => Math.floor(limit / 20)
