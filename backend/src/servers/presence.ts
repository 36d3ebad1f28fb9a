/** Nobody is called offline before so long after their last push, however short the push interval. */
const MIN_GRACE_MS = 90_000

export interface Uptime {
  /** When this instance started. */
  startedAtMs: number
  /** When an instance was last alive before that; undefined at the very first start. */
  aliveBeforeMs: number | undefined
}

/** How long after its last accepted push a server still counts as online. */
export function offlineAfterMs(pushIntervalSeconds: number): number {
  return Math.max(MIN_GRACE_MS, 3 * pushIntervalSeconds * 1000)
}

/**
 * A server is online when its last accepted push came after this instant.
 *
 * While the backend was away nobody could push: until the grace has passed since the start, servers are judged as of the
 * moment when an instance was last alive. Who was online then is still, who had been silent for long is not.
 */
export function onlineAfter(nowMs: number, uptime: Uptime, pushIntervalSeconds: number): number {
  const grace = offlineAfterMs(pushIntervalSeconds)
  const isSettled = uptime.aliveBeforeMs === undefined || nowMs >= uptime.startedAtMs + grace
  return (isSettled ? nowMs : Math.min(nowMs, uptime.aliveBeforeMs as number)) - grace
}
