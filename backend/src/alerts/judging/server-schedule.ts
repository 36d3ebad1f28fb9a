import { createBySecond } from '../../platform/by-second.ts'

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

/** Who is looked at when: each second those alone are touched that are due, not a whole fleet. */
export interface Queue {
  /** From its `dueMs` on. One may be added again once that is another: what counts is what it says when it is taken. */
  add(one: Waited): void
  isDue(nowMs: number): boolean
  /** Each once, what is due longest first; they are in the queue no more. */
  takeDue(nowMs: number): Waited[]
}

export function createQueue(): Queue {
  const waiting = createBySecond<Waited>()
  const add = (one: Waited): void => waiting.add(one, one.dueMs)

  return {
    add,
    isDue: (nowMs) => waiting.ripe(nowMs).some(({ dueMs }) => dueMs <= nowMs),
    takeDue: (nowMs) => {
      const due: Waited[] = []
      for (const one of new Set(waiting.takeRipe(nowMs)))
        if (one.dueMs <= nowMs) due.push(one)
        else add(one)
      return due.sort((one, other) => one.dueMs - other.dueMs)
    },
  }
}
