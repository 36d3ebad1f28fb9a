import { createSecondBuckets } from '../../../platform/collections/second-buckets.ts'

/** A server whose pushes are evaluated. */
export interface TrackedServer {
  organization: number
  server: number
  id: string
  /** When it is evaluated next, ms. */
  dueMs: number
  /** Pushes received until then are evaluated, ms; 0: none is by this process. */
  evaluatedUntilMs: number
  /** The keys of the pushes that were read last: they are evaluated, whatever the clock says. */
  evaluated: readonly string[]
  /** The next evaluation starts over: from the newest push, as a rule has changed, or from what is known, as the clock stepped back. */
  resumesFrom?: 'newest' | 'known'
  /** For when an evaluation that has not begun was announced, ms: it pushes again, or before its time. */
  announcedForMs?: number
  /** When this process found it, ms; until its first evaluation. Another process may have evaluated earlier pushes. */
  takenOverMs?: number
}

export interface Timing {
  /** Receipt of its last push, ms; undefined before the first. */
  receivedMs: number | undefined
  /** When it becomes offline without another push, ms. */
  offlineMs: number
  /** When it would have by its last push, or its registration, alone, ms: after a start no server is offline for a while. */
  awaySinceMs: number
  pushIntervalMs: number
  /** The longest pause between evaluations of an offline server. */
  awayEveryMs: number
}

/** Added to the expected time of the next push: agents are not exact. */
const SLACK_MS = 1_500
/** Evaluations wait for these instants: all servers that are due until then share the queries. */
const TOGETHER_MS = 3_000
/** A late or offline server is evaluated this often at first, and less often the longer it is away. */
const LATE_EVERY_MS = 5_000

/**
 * When to evaluate again: within three seconds after the next push is expected; without it every few seconds, and exactly when the
 * server becomes offline. A push that comes before is announced. Pure.
 */
export function nextEvaluationAt(timing: Timing, nowMs: number): number {
  const { receivedMs, offlineMs, awaySinceMs, pushIntervalMs, awayEveryMs } = timing
  const pauseMs = Math.min(awayEveryMs, Math.max(LATE_EVERY_MS, (nowMs - awaySinceMs) / 20))
  if (nowMs >= offlineMs) return nowMs + pauseMs
  const expectedMs = (receivedMs ?? nowMs) + pushIntervalMs + SLACK_MS
  const isExpected = receivedMs !== undefined && expectedMs > nowMs
  return Math.min(together(isExpected ? expectedMs : Math.max(expectedMs, nowMs + pauseMs)), offlineMs)
}

/** When to evaluate a push that was just received: what else comes with it is stored by then. Pure. */
export const evaluationOfPushAt = (nowMs: number): number => together(nowMs + SLACK_MS)

const together = (ms: number): number => Math.ceil(ms / TOGETHER_MS) * TOGETHER_MS

/** Servers by the time of their evaluation: each second touches only those that are due. */
export interface EvaluationSchedule {
  /** For its `dueMs`. It may be added again after `dueMs` changed: the value at the time of taking counts. */
  add(one: TrackedServer): void
  isDue(nowMs: number): boolean
  /** When the next one may be due, ms; infinite: there is none. */
  nextMs(): number
  /** Each once, the longest due first; they leave the schedule. */
  takeDue(nowMs: number): TrackedServer[]
}

export function createSchedule(): EvaluationSchedule {
  const scheduled = createSecondBuckets<TrackedServer>()
  const add = (one: TrackedServer): void => scheduled.add(one, one.dueMs)

  return {
    add,
    nextMs: scheduled.nextMs,
    isDue: (nowMs) => scheduled.due(nowMs).some(({ dueMs }) => dueMs <= nowMs),
    takeDue: (nowMs) => {
      const due: TrackedServer[] = []
      for (const one of new Set(scheduled.takeDue(nowMs)))
        if (one.dueMs <= nowMs) due.push(one)
        else add(one)
      return due.sort((one, other) => one.dueMs - other.dueMs)
    },
  }
}
