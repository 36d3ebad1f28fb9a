import type { Clock } from '../../../platform/time/clock.ts'
import { type Changes, isLostConnection, type Pool } from '../../../platform/db/index.ts'
import type { Log } from '../../../platform/logging/log.ts'
import type { Control } from './control.ts'
import { createRecorder, type Recorder } from '../results/recorder.ts'
import { type LocalCheck, toCompletedCheck, toLocalCheck } from './local-check.ts'
import {
  claimChecks,
  type ClaimKey,
  findNextCheck,
  findLostClaims,
  readHangingLoad,
  releaseClaims,
  renewClaims,
} from '../schedule/claim-store.ts'
import { SCHEDULE, scheduleKey } from '../schedule/hint-store.ts'
import {
  concurrencyLimit,
  createRunner,
  isUnbegun,
  type RunnerEntry,
  type Prober,
  type Runner,
  type RunnerStats,
} from './runner.ts'
import { recordHeartbeat, deleteWorker } from './worker-store.ts'
import type { Encrypter } from '../../../platform/crypto/encrypter.ts'

export interface WorkerDeps {
  pool: Pool
  /** Announces monitors that are created, changed, paused or deleted. */
  changes: Pick<Changes, 'on' | 'isHeard'>
  clock: Clock
  /** The database's clock, which all workers share. */
  now(): number
  log: Log
  /** New at each start. */
  id: string
  /** The region's surrogate. */
  region: number
  prober: Prober
  control: Control
  /** Decrypts headers and bodies of monitors. */
  encrypter: Encrypter
  openFiles: number
}

export interface Worker {
  stats(): WorkerStats
  /** Releases checks that have not begun, waits shortly for running ones, and stores all results. */
  stop(): Promise<void>
}

export interface WorkerStats extends RunnerStats {
  claimed: number
  recorder: ReturnType<Recorder['stats']>
}

/** The time within which changes of the schedule take effect that are not announced. */
const POLL_EVERY_MS = 1_000
/** The longest pause while nothing is due, where changes are announced. */
const MAX_POLL_PAUSE_MS = 30_000
/** One poll serves all notifications of a burst. */
const MIN_POLL_PAUSE_MS = 100
/** Checks are claimed this far ahead, so that a slow database does not delay them. */
const AHEAD_MS = 4_000
/** Checks that are due before the next two polls are claimed by any worker. */
const NEAR_MS = 2 * POLL_EVERY_MS
/** A claim expires this long after the due time: its worker is gone. Leases of longer checks are renewed at each poll. */
const LEASE_MS = 5_000
const RENEW_BELOW_MS = 3_000
/** Claims are verified again before their checks begin, up to the poll after the next. */
const CONFIRM_MS = 1_500
const HEARTBEAT_EVERY_MS = 3_000
/** Two of the longest pauses between heartbeats. */
const GONE_MS = 2 * MAX_POLL_PAUSE_MS
const CONCURRENCY_EVERY_MS = 30_000
const CLAIM_LIMIT = 5_000
/** Checks that run longer at the end are abandoned; another worker runs them. */
const STOP_TIMEOUT_MS = 1_000

/**
 * Runs this process's share of the checks of one region. The claim prevents two workers from running the same check; the fence
 * invalidates results of a worker that was suspended meanwhile.
 *
 * When a monitor is paused, a notification drops its claim some milliseconds after the commit. Without the notification (a
 * pooler, a broken connection) each claim is verified once a second shortly before its check begins. So no check begins later
 * than 1.5 s after the response to the pause, and its result is refused in either case.
 */
export function startWorker(deps: WorkerDeps): Worker {
  const { pool, changes, clock, now, id, region } = deps
  const { db } = pool
  const stopping = new AbortController()
  let share = { index: 0, count: 1 }
  let heartbeatAtMs = Number.NEGATIVE_INFINITY

  const recorder = createRecorder({
    ...deps,
    settled: (checks) => checks.forEach((check) => runner.release(keyOf(check), check.fence)),
  })
  const runner: Runner<LocalCheck> = createRunner({
    ...deps,
    complete: (plan, result, endedAtMs) => recorder.record(toCompletedCheck(plan, result, endedAtMs)),
  })

  const claims = createClaims(deps, runner)
  const updateConcurrency = createConcurrency(deps, runner)
  const all = (): LocalCheck[] => entriesWhere(runner, () => true)

  /** Until the next poll, ms. */
  async function poll(): Promise<number> {
    runner.skipOverdue()
    const pauseMs = await findPause()
    if (pauseMs > POLL_EVERY_MS) {
      await sendHeartbeat()
      return pauseMs
    }
    await claims.dropLost()
    await claims.renew()
    await sendHeartbeat()
    await updateConcurrency()
    // While results wait to be stored, their checks would be claimed again, which would fence off our own results.
    if (!recorder.isBehind()) await claims.claimDue(share)
    return POLL_EVERY_MS
  }

  async function sendHeartbeat(): Promise<void> {
    const nowMs = Math.round(now())
    if (nowMs - heartbeatAtMs < HEARTBEAT_EVERY_MS) return
    share = await recordHeartbeat(db, { region, id, controlTargets: deps.control.targets() }, nowMs, nowMs - GONE_MS)
    heartbeatAtMs = nowMs
  }

  /** Until checks can be claimed, as far as is known; a claimed one is verified every second. */
  async function findPause(): Promise<number> {
    if (!changes.isHeard() || recorder.isBehind() || all().length > 0) return POLL_EVERY_MS
    const dueAtMs = (await findNextCheck(db, region)) ?? Number.POSITIVE_INFINITY
    return Math.max(POLL_EVERY_MS, Math.min(MAX_POLL_PAUSE_MS, dueAtMs - AHEAD_MS - now()))
  }

  async function stop(): Promise<void> {
    stopping.abort()
    await atMost(clock, polling.running)
    const unbegun = entriesWhere(runner, isUnbegun)
    runner.close()
    await atMost(clock, noneRunning(deps, runner))
    await atMost(clock, recorder.drain())
    await atMost(clock, recorder.stop())
    const left = [...unbegun, ...all()]
    if (recorder.isBehind() || polling.isDatabaseAway()) return
    if (left.length > 0) await releaseClaims(db, region, left)
    await deleteWorker(db, { region, id })
  }

  changes.on(SCHEDULE, (key) => {
    if (key !== undefined) runner.drop([key])
    polling.hint()
  })
  const polling = startPolling(deps, stopping.signal, poll)
  return {
    stats: () => ({ ...runner.stats(), claimed: claims.claimed(), recorder: recorder.stats() }),
    stop,
  }
}

const keyOf = ({ organization, monitor }: ClaimKey): string => scheduleKey(organization, monitor)

/** Polls until it is stopped. A hint makes it poll again soon. */
function startPolling({ clock, log }: WorkerDeps, stopping: AbortSignal, poll: () => Promise<number>) {
  let waking = new AbortController()
  let isHinted = false
  let isDatabaseAway = false

  async function loop(): Promise<void> {
    while (!stopping.aborted) {
      isHinted = false
      let pauseMs = POLL_EVERY_MS
      try {
        pauseMs = await poll()
        isDatabaseAway = false
      } catch (error) {
        logFailure(error)
      }
      await clock.sleep(MIN_POLL_PAUSE_MS, stopping)
      if (isHinted) continue
      waking = new AbortController()
      await clock.sleep(pauseMs - MIN_POLL_PAUSE_MS, AbortSignal.any([waking.signal, stopping]))
    }
  }

  function logFailure(error: unknown): void {
    if (!isLostConnection(error)) log.error({ err: error }, 'polling the check schedule failed; it is retried')
    else if (!isDatabaseAway) log.warn({ err: error }, 'the database is unavailable: no checks until it is back')
    isDatabaseAway = true
  }

  return {
    running: loop(),
    hint: () => {
      isHinted = true
      waking.abort()
    },
    isDatabaseAway: () => isDatabaseAway,
  }
}

/** The claims of this worker: they are verified before their checks begin, renewed while these run, and taken when they are due. */
function createClaims({ pool: { db }, region, now, encrypter }: WorkerDeps, runner: Runner<LocalCheck>) {
  let claimed = 0

  async function dropLost(): Promise<void> {
    const untilMs = now() + CONFIRM_MS
    const soon = entriesWhere(runner, (entry) => isUnbegun(entry) && entry.check.dueAtMs <= untilMs)
    if (soon.length === 0) return
    const lost = await findLostClaims(db, region, soon)
    runner.drop(lost.map(keyOf))
  }

  async function renew(): Promise<void> {
    const nowMs = now()
    const ending = entriesWhere(runner, ({ state, check }) => state !== 'planned' && check.leaseUntilMs < nowMs + RENEW_BELOW_MS)
    if (ending.length === 0) return
    const leaseUntilMs = Math.ceil(nowMs + LEASE_MS)
    const renewed = new Set((await renewClaims(db, region, ending, leaseUntilMs)).map(keyOf))
    for (const plan of ending) if (renewed.has(plan.key)) plan.leaseUntilMs = leaseUntilMs
  }

  async function claimDue(share: { index: number; count: number }): Promise<void> {
    const request = {
      region,
      aheadMs: AHEAD_MS,
      nearMs: NEAR_MS,
      leaseMs: LEASE_MS,
      includesTimeout: false,
      share,
      limit: CLAIM_LIMIT,
    }
    const rows = await claimChecks(db, { ...request, nowMs: Math.round(now()) })
    claimed += rows.length
    const doubled = runner.add(rows.map((row) => toLocalCheck(row, encrypter)))
    // Still running under an earlier claim that was not renewed: never two of one check at once.
    if (doubled.length > 0) await releaseClaims(db, region, doubled)
  }

  return { dropLost, renew, claimDue, claimed: () => claimed }
}

/** Follows the load of the whole region, because the other workers may fail at any moment. */
function createConcurrency({ pool: { db }, region, now, openFiles }: WorkerDeps, runner: Runner<LocalCheck>) {
  let updatedAtMs = Number.NEGATIVE_INFINITY
  let queuedBefore = 0
  return async (): Promise<void> => {
    const nowMs = now()
    const { queued } = runner.stats()
    // Earlier when checks had to wait: many monitors may have been created since.
    if (nowMs - updatedAtMs < CONCURRENCY_EVERY_MS && queued === queuedBefore) return
    queuedBefore = queued
    runner.setConcurrency(concurrencyLimit(await readHangingLoad(db, region), openFiles))
    updatedAtMs = nowMs
  }
}

function entriesWhere(runner: Runner<LocalCheck>, wanted: (entry: RunnerEntry<LocalCheck>) => boolean): LocalCheck[] {
  return [...runner.entries()].filter(wanted).map(({ check }) => check)
}

/** A hanging database or target must not delay the stop. */
async function atMost(clock: Clock, work: Promise<unknown>): Promise<void> {
  const settled = new AbortController()
  await Promise.race([work, clock.sleep(STOP_TIMEOUT_MS, settled.signal)])
  settled.abort()
}

async function noneRunning({ clock, now }: WorkerDeps, runner: Runner<LocalCheck>): Promise<void> {
  const endMs = now() + STOP_TIMEOUT_MS
  while (now() < endMs && entriesWhere(runner, ({ state }) => state === 'running').length > 0) await clock.sleep(20)
}
