import type { StartedRun } from '../../platform/db/index.ts'
import { describeSchedule, describeSeconds, type HeartbeatSchedule, HOUR_MS, nextExpected } from '@vedette/shared'

export const PING_KINDS = ['success', 'fail', 'start', 'log'] as const
export type PingKind = (typeof PING_KINDS)[number]

/** What a ping says. */
export interface Signal {
  kind: PingKind
  /** Identifies the run of a job, so that its end finds its start. */
  rid: string | null
  /** Receipt, ms. */
  atMs: number
}

/** What a heartbeat remembers between two pings; times in ms. */
export interface HeartbeatState {
  /** End of the grace of the next ping; null before the first ping, and where the calendar has ended. */
  expectedByMs: number | null
  lastPingAtMs: number | null
  /** Of the run whose end is awaited. */
  lastStartAtMs: number | null
  lastStartRid: string | null
  /** The oldest first. */
  starts: readonly StartedRun[]
}

export const NEW_STATE: HeartbeatState = {
  expectedByMs: null,
  lastPingAtMs: null,
  lastStartAtMs: null,
  lastStartRid: null,
  starts: [],
}

/** A longer time between start and end is no duration, as in Healthchecks. */
const MAX_DURATION_MS = 72 * HOUR_MS
/** Runs under way of one job. */
const MAX_STARTS = 20
/**
 * Missed pings are evaluated this much later than their deadline: a ping that was received in time may wait this long for a database that
 * restarts. Requests wait at most 4.25 s.
 */
export const EVALUATED_AFTER_MS = 5_000
/** Without a longer grace, an outage in this time before the deadline excuses a missed ping: jobs are not exact. */
const LEAST_EXCUSED_MS = 60_000

const graceMs = ({ grace_seconds: seconds }: HeartbeatSchedule): number => seconds * 1_000

/** When the grace of the ping after one at this instant ends, ms; null: the calendar ends before. Pure. */
export function expectedBy(schedule: HeartbeatSchedule, afterMs: number): number | null {
  const expectedMs = nextExpected(schedule, afterMs)
  return expectedMs === undefined ? null : expectedMs + graceMs(schedule)
}

/** The end of the grace of a run that started: without its end by then it failed. */
const endsBy = ({ lastStartAtMs }: HeartbeatState, schedule: HeartbeatSchedule): number =>
  lastStartAtMs === null ? Number.POSITIVE_INFINITY : lastStartAtMs + graceMs(schedule)

/** When a missed ping is looked for, ms; null while nothing is awaited. Pure. */
export function deadlineOf(state: HeartbeatState, schedule: HeartbeatSchedule): number | null {
  const deadlineMs = Math.min(state.expectedByMs ?? Number.POSITIVE_INFINITY, endsBy(state, schedule))
  return deadlineMs === Number.POSITIVE_INFINITY ? null : deadlineMs + EVALUATED_AFTER_MS
}

/**
 * The state after a ping, and how long the run took that it ends; null without a start. As Healthchecks does: the last start is
 * awaited until an end of its run, an end without a run, or a failure. Pure.
 */
export function applySignal(
  state: HeartbeatState,
  schedule: HeartbeatSchedule,
  { kind, rid, atMs }: Signal,
): { state: HeartbeatState; durationMs: number | null } {
  if (kind === 'log') return { state, durationMs: null }
  const others = state.starts.filter((run) => run.rid !== rid)
  if (kind === 'start') {
    const starts = [...others, { rid, atMs }].slice(-MAX_STARTS)
    return { state: { ...state, lastStartAtMs: atMs, lastStartRid: rid, starts }, durationMs: null }
  }
  const started = state.starts.find((run) => run.rid === rid)
  const tookMs = started === undefined ? null : Math.max(0, atMs - started.atMs)
  const ends = kind === 'fail' || rid === null || rid === state.lastStartRid
  const awaited = ends ? { lastStartAtMs: null, lastStartRid: null } : {}
  return {
    state: { ...state, ...awaited, lastPingAtMs: atMs, starts: others, expectedByMs: expectedBy(schedule, atMs) },
    durationMs: tookMs !== null && tookMs < MAX_DURATION_MS ? tookMs : null,
  }
}

/** A time in which no instance could take pings, ms. */
export interface Absence {
  fromMs: number
  toMs: number
}

/** What follows from a deadline that passed. */
export interface Missed {
  state: HeartbeatState
  outcome: 'down' | 'inconclusive'
  message: string
}

const clock = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/**
 * The state after a deadline that passed without a ping. One result stands for all deadlines that passed until now. Where nobody
 * could take the ping, it counts for nothing, and another one is expected from the end of the outage on. Pure.
 */
export function missDeadline(
  state: HeartbeatState,
  schedule: HeartbeatSchedule,
  nowMs: number,
  absence: Absence | undefined,
): Missed {
  const endMs = endsBy(state, schedule)
  const isOverdueRun = endMs <= (state.expectedByMs ?? Number.POSITIVE_INFINITY)
  const deadlineMs = isOverdueRun ? endMs : (state.expectedByMs as number)
  const none = { lastStartAtMs: null, lastStartRid: null }
  // Not before the last ping, or the end of the outage that this period was given from.
  const periodMs = 'period_seconds' in schedule && !isOverdueRun ? schedule.period_seconds * 1_000 : Number.POSITIVE_INFINITY
  const awaitedFromMs = deadlineMs - Math.min(Math.max(graceMs(schedule), LEAST_EXCUSED_MS), graceMs(schedule) + periodMs)
  if (absence && absence.fromMs < deadlineMs && absence.toMs > awaitedFromMs)
    return {
      state: { ...state, ...none, expectedByMs: expectedBy(schedule, Math.max(absence.toMs, deadlineMs - graceMs(schedule))) },
      outcome: 'inconclusive',
      message: `no ping, but nobody was there to take one: Vedette was away from ${clock(absence.fromMs)} to ${clock(absence.toMs)}`,
    }
  const awaited =
    state.expectedByMs !== null && state.expectedByMs <= nowMs
      ? nextDeadline(state.expectedByMs, schedule, nowMs)
      : state.expectedByMs
  const grace = schedule.grace_seconds === 0 ? 'no grace' : `${describeSeconds(schedule.grace_seconds)} of grace`
  return {
    state: { ...state, ...none, expectedByMs: awaited },
    outcome: 'down',
    message: isOverdueRun
      ? `the run that started at ${clock(state.lastStartAtMs as number)} did not end within ${grace}`
      : `no ping since ${clock(state.lastPingAtMs as number)} (expected ${describeSchedule(schedule)}, ${grace})`,
  }
}

/** The first deadline after now, on the grid of the one that passed. */
function nextDeadline(passedMs: number, schedule: HeartbeatSchedule, nowMs: number): number | null {
  const expectedMs = passedMs - graceMs(schedule)
  if (!('period_seconds' in schedule)) return expectedBy(schedule, Math.max(expectedMs, nowMs - graceMs(schedule)))
  const periodMs = schedule.period_seconds * 1_000
  return passedMs + Math.max(1, Math.floor((nowMs - passedMs) / periodMs) + 1) * periodMs
}
