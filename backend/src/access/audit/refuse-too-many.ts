import type { Db } from '../../platform/db/index.ts'
import { rateLimited } from '../../platform/errors.ts'
import { countActions } from './store.ts'

interface ActionLimit {
  /** What is counted, in the plural, and per what: the message names both. */
  noun: string
  per: string
  max: number
  windowMs: number
  actions: readonly string[]
  /** Without it the actions of the whole organization count. */
  actorId?: string
}

/**
 * Refuses an action that its organization, or an actor in it, has recorded too often in the last hours. Run it before the action is
 * recorded. Concurrent actions that hold no common lock may exceed the limit by their number. Throws rate_limited.
 */
export async function refuseTooMany(db: Db, organization: number, limit: ActionLimit, nowMs: number): Promise<void> {
  const { noun, per, max, windowMs, ...filter } = limit
  const { count, oldest } = await countActions(db, organization, { ...filter, since: new Date(nowMs - windowMs) })
  if (count < max) return
  const untilMs = (oldest?.getTime() ?? nowMs) + windowMs
  throw rateLimited(`At most ${max} ${noun} per ${per} are allowed.`, { max, nowMs, untilMs })
}
