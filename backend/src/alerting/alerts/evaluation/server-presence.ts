import { NEW_SERVER_MS, toTimestamp } from '@vedette/shared'
import type { Db } from '../../../platform/db/index.ts'
import { offlineAfterMs } from '../../../hosts/servers/index.ts'
import { publishPresence } from '../events/presence.ts'
import type { ServerResult } from './apply-server-result.ts'
import type { DueServer } from './server-samples.ts'
import { clockTime } from './summary.ts'

/** Since when a server is silent, and what follows from that. */
export interface Presence {
  /** When it was last heard of, else its registration, ms. */
  lastMs: number
  /** How long it may be silent. */
  graceMs: number
  /** When it becomes offline without another push, ms; infinite while no instance accepts pushes. */
  offlineMs: number
  isOnline: boolean
}

/** `upSinceMs`: since when an instance accepts pushes; undefined: none does. Pure. */
export function presenceOf(
  dueServer: DueServer,
  { upSinceMs, pushIntervalSeconds, nowMs }: { upSinceMs: number | undefined; pushIntervalSeconds: number; nowMs: number },
): Presence {
  const { tracked, server, pushes } = dueServer
  const receivedMs = pushes.map(({ receivedAtMs }) => receivedAtMs)
  const lastMs = Math.max(...receivedMs, tracked.evaluatedUntilMs, server.last_push_ms ?? 0, server.registered_at.getTime())
  const silenceMs = offlineAfterMs(pushIntervalSeconds)
  const graceMs = hasPushed(dueServer) ? silenceMs : Math.max(silenceMs, NEW_SERVER_MS)
  const offlineMs = upSinceMs === undefined ? Number.POSITIVE_INFINITY : Math.max(lastMs, upSinceMs) + graceMs
  return { lastMs, graceMs, offlineMs, isOnline: nowMs < lastMs + graceMs }
}

/** A server that never pushed is not offline. */
const hasPushed = ({ tracked, server, pushes }: DueServer): boolean =>
  pushes.length > 0 || tracked.evaluatedUntilMs > 0 || server.last_push_ms !== null

/** Publishes that a server is offline, or online again. */
export async function publishPresenceChange(db: Db, dueServer: DueServer, presence: Presence, nowMs: number): Promise<void> {
  const { server } = dueServer
  const { lastMs, isOnline, offlineMs } = presence
  const isOffline = nowMs >= offlineMs && hasPushed(dueServer)
  const isNews = server.is_reported_offline ? isOnline : isOffline
  if (isNews) await publishPresence(db, server, { isOffline, lastSeenMs: lastMs }, new Date(nowMs))
}

/** What the rules on the status of a server find. Pure. */
export function evaluateStatus(dueServer: DueServer, { lastMs, offlineMs, isOnline }: Presence, nowMs: number): ServerResult[] {
  const { server, rules, open } = dueServer
  return rules.flatMap((rule): ServerResult[] => {
    if (rule.metric !== 'status') return []
    if (open.has(rule.id)) {
      const summary = `${server.name} is online (last seen ${clockTime(lastMs, nowMs)})`
      return isOnline ? [{ rule, result: 'resolved', summary, evidence: {}, atMs: lastMs }] : []
    }
    // The rule may come from a clock that was ahead of ours.
    const opensMs = Math.max(offlineMs + rule.for_seconds * 1000, Math.min(rule.defined_at.getTime(), nowMs))
    if (nowMs < opensMs) return []
    const clock = clockTime(lastMs, nowMs)
    const summary = hasPushed(dueServer)
      ? `${server.name} is offline (last seen ${clock})`
      : `${server.name} has not sent a sample (registered ${clock})`
    return [
      { rule, result: 'opened', summary, evidence: { status: 'offline', last_seen_at: toTimestamp(lastMs) }, atMs: opensMs },
    ]
  })
}
