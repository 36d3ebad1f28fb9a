import { type HeartbeatSchedule, longestPauseSeconds, scheduleFaults, TIMEOUT_SECONDS } from '@vedette/shared'
import { freeSlug, type HeartbeatDraft, newPingToken } from '../heartbeats/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Definition } from './definition.ts'

/** Monitors that wait for pings instead of sending requests. */
export const isHeartbeat = ({ type }: { type: string }): boolean => type === 'heartbeat'

interface Context {
  db: Db
  tenant: { number: number }
  region: string
  at: Date
}

/**
 * The definition with what a heartbeat has by itself: the interval of its schedule, one region and no confirmations; and where they
 * are missing, a name in its URL and a token. A change without a token keeps that of the definition before, an empty one makes a new one.
 * Other definitions stay as they are.
 */
export async function completeHeartbeat(context: Context, definition: Definition, before?: Definition): Promise<Definition> {
  if (!isHeartbeat(definition)) return definition
  const { db, tenant, region, at } = context
  const { schedule } = definition.options
  const isValid = scheduleFaults(schedule).length === 0
  const interval = isValid ? longestPauseSeconds(schedule as HeartbeatSchedule, at.getTime()) : definition.interval
  const needsSlug = URL.parse(definition.url)?.href === 'heartbeat://'
  const stored = before && isHeartbeat(before) ? before.credentials : {}
  const { token = '' } = { ...stored, ...definition.credentials }
  return {
    ...definition,
    interval,
    timeout: Math.min(TIMEOUT_SECONDS.default, interval),
    regions: [region],
    confirmations: 1,
    url: needsSlug ? `heartbeat://${await freeSlug(db, tenant.number, definition.name)}` : definition.url,
    credentials: { ...definition.credentials, token: token === '' ? newPingToken() : token },
  }
}

export const scheduleOf = ({ options }: Pick<Definition, 'options'>): HeartbeatSchedule => options.schedule as HeartbeatSchedule

/** The name and the token in the address of a heartbeat's pings. */
export function addressOf({ url, credentials }: Pick<Definition, 'url' | 'credentials'>): { slug: string; token: string } {
  return { slug: URL.parse(url)?.hostname ?? '', token: credentials.token ?? '' }
}

export const toHeartbeatDraft = (path: string, monitor: number | undefined, definition: Definition): HeartbeatDraft => ({
  path,
  monitor,
  ...addressOf(definition),
})
