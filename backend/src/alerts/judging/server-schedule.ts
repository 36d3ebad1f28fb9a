/** A server whose pushes are waited for. */
export interface Waited {
  organization: number
  server: number
  id: string
  /** When it is looked at next, ms. */
  dueMs: number
  /** Pushes received until then are judged, ms; 0: none, and of those that stand only the newest is. */
  judgedMs: number
}

export interface Timing {
  /** Of its last two pushes, the newest first, ms; none before the first. */
  receivedMs: readonly number[]
  /** From then on it is offline, ms. */
  offlineMs: number
  pushIntervalMs: number
}

/** Behind the instant at which the next push is expected: agents are not exact. */
const SLACK_MS = 1_500
const LEAST_MS = 4_000
/** What is late, or offline, is looked for so often at first; who is long away less. */
const LATE_EVERY_MS = 5_000
const AWAY_EVERY_MS = 60_000

/**
 * When to look again: right after the next push is expected by the distance of the last two; what does not come then is looked for
 * every few seconds, and exactly when it counts as offline. Pure.
 */
export function nextLook({ receivedMs: [newestMs, beforeMs], offlineMs, pushIntervalMs }: Timing, nowMs: number): number {
  if (nowMs >= offlineMs) return nowMs + Math.min(AWAY_EVERY_MS, Math.max(LATE_EVERY_MS, (nowMs - offlineMs) / 20))
  const spacingMs = beforeMs === undefined || newestMs === undefined ? pushIntervalMs : newestMs - beforeMs
  const expectedMs = (newestMs ?? nowMs) + Math.min(pushIntervalMs, Math.max(LEAST_MS, spacingMs)) + SLACK_MS
  const lookMs = expectedMs > nowMs ? expectedMs : nowMs + LATE_EVERY_MS
  return Math.min(lookMs, offlineMs)
}
