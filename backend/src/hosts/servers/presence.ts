/** The minimum time without a push before a server is offline, for short push intervals. */
const MIN_GRACE_MS = 90_000

export interface Uptime {
  /** When this instance started. */
  startedAtMs: number
  /** When an instance was last alive before that; undefined at the very first start. */
  aliveBeforeMs: number | undefined
  /** When this instance last reported that it is alive, ms, and the last pause between two reports that was too long. */
  beatMs?: number
  gap?: { fromMs: number; toMs: number }
}

/** Reports come every 15 s; after three missing ones an instance accepts nothing. */
export const MAX_SILENCE_MS = 45_000

/** The last time in which nobody could take what clients sent, as far as it is known: before a start, or without a database. */
export function absenceOf(uptime: Uptime, nowMs: number): { fromMs: number; toMs: number } | undefined {
  const { startedAtMs, aliveBeforeMs, beatMs, gap } = uptime
  if (beatMs !== undefined && nowMs - beatMs > MAX_SILENCE_MS) return { fromMs: beatMs, toMs: nowMs }
  return gap ?? (aliveBeforeMs === undefined ? undefined : { fromMs: aliveBeforeMs, toMs: startedAtMs })
}

/** How long after its last accepted push a server still counts as online. */
export function offlineAfterMs(pushIntervalSeconds: number): number {
  return Math.max(MIN_GRACE_MS, 3 * pushIntervalSeconds * 1000)
}

/**
 * A server is online when its last accepted push came after this instant.
 *
 * No server can push while the backend is down. Until the grace period after a start ends, the status is derived as of the moment
 * an instance was last alive: a server that was online then stays online, and one that was offline stays offline.
 */
export function onlineAfter(nowMs: number, uptime: Uptime, pushIntervalSeconds: number): number {
  const grace = offlineAfterMs(pushIntervalSeconds)
  const isSettled = uptime.aliveBeforeMs === undefined || nowMs >= uptime.startedAtMs + grace
  return (isSettled ? nowMs : Math.min(nowMs, uptime.aliveBeforeMs as number)) - grace
}
