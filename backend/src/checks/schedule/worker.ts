import type { Clock } from '../../platform/clock.ts'
import { isLostConnection, type Pool } from '../../platform/db/index.ts'
import type { Log } from '../../platform/log.ts'
import type { Control } from '../control.ts'
import { createRecorder, type Recorder } from '../results/recorder.ts'
import { type LocalPlan, toObserved, toPlan } from './plan.ts'
import { claimChecks, type ClaimKey, findLostClaims, readHangingLoad, releaseClaims, renewClaims } from './claim-store.ts'
import { hintOf } from './hint-store.ts'
import { boundOf, createRunner, type Held, type Prober, type Runner, type RunnerStats } from './runner.ts'
import { announceWorker, forgetWorker } from './worker-store.ts'
import type { Sealer } from '../../platform/sealer.ts'

export interface WorkerDeps {
  pool: Pool
  clock: Clock
  /** The clock of the schedule: that of the database, which all workers share. */
  now(): number
  log: Log
  /** The worker's own id, new at each start. */
  id: string
  /** The region's surrogate. */
  region: number
  prober: Prober
  control: Control
  /** Opens the headers and bodies of monitors. */
  sealer: Sealer
  openFiles: number
}

export interface Worker {
  /** This monitor was changed, paused or deleted, or made. */
  hint(payload: string): void
  stats(): WorkerStats
  /** Gives back what was not begun, waits a moment for what is under way, stores all results. */
  stop(): Promise<void>
}

export interface WorkerStats extends RunnerStats {
  claimed: number
  recorder: ReturnType<Recorder['stats']>
}

/** Looks every second: a new monitor is checked, and one that was paused is left alone, within so long even where no hint arrives. */
const LOOK_EVERY_MS = 1_000
/** Hints that come in a burst are one look. */
const LEAST_PAUSE_MS = 100
/** So far ahead checks are claimed: a database that hesitates for so long makes no check late. */
const AHEAD_MS = 4_000
/** What is due before the next two looks is taken by whoever sees it. */
const NEAR_MS = 2 * LOOK_EVERY_MS
/** Nobody heard of the claim for so long after its instant: its worker is gone. Those that take longer are renewed at each look. */
const LEASE_MS = 5_000
const RENEW_BELOW_MS = 3_000
/** Before they begin, claims are looked at again: those due until the look after next. */
const CONFIRM_MS = 1_500
const ANNOUNCE_EVERY_MS = 3_000
/** Three announcements missed. */
const GONE_MS = 10_000
const MEASURE_EVERY_MS = 30_000
const CLAIM_LIMIT = 5_000
/** What is under way at the end may take so long; then somebody else makes it again. */
const STOP_PATIENCE_MS = 1_000

/**
 * Makes the checks of one region that fall to this process. What keeps two workers from making one check is the claim; what keeps
 * a worker that was stopped for a while from counting is the fence.
 *
 * A paused monitor: the hint drops the claim as soon as the commit is heard of, which takes some milliseconds. Where no hint
 * arrives (a pooler, a broken connection) each claim is looked at once a second while it is about to begin, so that no check
 * begins later than 1.5 s after the pause was answered; its result counts for nothing in either case.
 */
export function startWorker(deps: WorkerDeps): Worker {
  const { pool, clock, now, log, id, region } = deps
  const { db } = pool
  const stopping = new AbortController()
  let waking = new AbortController()
  let isHinted = false
  let share = { index: 0, count: 1 }
  let announcedAtMs = Number.NEGATIVE_INFINITY
  let measuredAtMs = Number.NEGATIVE_INFINITY
  let heldBefore = 0
  let claimed = 0
  let isAway = false

  const recorder = createRecorder({
    ...deps,
    settled: (checks) => checks.forEach((check) => runner.settled(nameOf(check), check.fence)),
  })
  const runner: Runner<LocalPlan> = createRunner({
    ...deps,
    take: (plan, result, endedAtMs) => recorder.record(toObserved(plan, result, endedAtMs)),
  })

  async function look(): Promise<void> {
    runner.sweep()
    await confirm()
    await renew()
    await announce()
    await measure()
    // Checks that wait to be stored would be claimed anew, and fenced off by our own hand.
    if (!recorder.isBehind()) await claim()
  }

  async function confirm(): Promise<void> {
    const untilMs = now() + CONFIRM_MS
    const soon = heldWhere(({ state, plan }) => (state === 'planned' || state === 'waiting') && plan.dueAtMs <= untilMs)
    if (soon.length === 0) return
    const lost = await findLostClaims(db, region, soon)
    runner.drop(lost.map(nameOf))
  }

  async function renew(): Promise<void> {
    const nowMs = now()
    const ending = heldWhere(({ state, plan }) => state !== 'planned' && plan.leaseUntilMs < nowMs + RENEW_BELOW_MS)
    if (ending.length === 0) return
    const leaseUntilMs = Math.ceil(nowMs + LEASE_MS)
    const kept = new Set((await renewClaims(db, region, ending, leaseUntilMs)).map(nameOf))
    for (const plan of ending) if (kept.has(plan.key)) plan.leaseUntilMs = leaseUntilMs
  }

  async function announce(): Promise<void> {
    const nowMs = Math.round(now())
    if (nowMs - announcedAtMs < ANNOUNCE_EVERY_MS) return
    share = await announceWorker(db, { region, id }, nowMs, nowMs - GONE_MS)
    announcedAtMs = nowMs
  }

  /** Sooner where checks had to wait: many monitors may have been made since. */
  async function measure(): Promise<void> {
    const nowMs = now()
    const { held } = runner.stats()
    if (nowMs - measuredAtMs < MEASURE_EVERY_MS && held === heldBefore) return
    heldBefore = held
    // Of the whole region: any of its workers may be the only one left at the next moment.
    runner.setBound(boundOf(await readHangingLoad(db, region), deps.openFiles))
    measuredAtMs = nowMs
  }

  async function claim(): Promise<void> {
    const wish = { region, aheadMs: AHEAD_MS, nearMs: NEAR_MS, leaseMs: LEASE_MS, coversCheck: false, share, limit: CLAIM_LIMIT }
    const rows = await claimChecks(db, { ...wish, nowMs: Math.round(now()) })
    claimed += rows.length
    const doubled = runner.add(rows.map((row) => toPlan(row, deps.sealer)))
    // Still under way under an earlier claim that we could not renew: one at a time.
    if (doubled.length > 0) await releaseClaims(db, region, doubled)
  }

  function heldWhere(wanted: (held: Held<LocalPlan>) => boolean): LocalPlan[] {
    return [...runner.held()].filter(wanted).map(({ plan }) => plan)
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      isHinted = false
      await look().then(
        () => void (isAway = false),
        (error: unknown) => complain(error),
      )
      await clock.sleep(LEAST_PAUSE_MS, stopping.signal)
      if (isHinted) continue
      waking = new AbortController()
      await clock.sleep(LOOK_EVERY_MS - LEAST_PAUSE_MS, AbortSignal.any([waking.signal, stopping.signal]))
    }
  }

  function complain(error: unknown): void {
    if (!isLostConnection(error)) log.error({ err: error }, 'the checks could not be looked at; it will be tried again')
    else if (!isAway) log.warn({ err: error }, 'the database is away: no checks until it is back')
    isAway = true
  }

  async function stop(): Promise<void> {
    stopping.abort()
    await withinPatience(running)
    const unbegun = heldWhere(({ state }) => state === 'planned' || state === 'waiting')
    runner.close()
    await withinPatience(allMade())
    await withinPatience(recorder.drain())
    await withinPatience(recorder.stop())
    const left = [...unbegun, ...heldWhere(() => true)]
    if (recorder.isBehind() || isAway) return
    if (left.length > 0) await releaseClaims(db, region, left)
    await forgetWorker(db, { region, id })
  }

  /** A database or a target that hangs must not hold up the end. */
  async function withinPatience(work: Promise<unknown>): Promise<void> {
    const settled = new AbortController()
    await Promise.race([work, clock.sleep(STOP_PATIENCE_MS, settled.signal)])
    settled.abort()
  }

  async function allMade(): Promise<void> {
    const endMs = now() + STOP_PATIENCE_MS
    while (now() < endMs && heldWhere(({ state }) => state === 'running').length > 0) await clock.sleep(20)
  }

  const running = loop()
  return {
    hint: (payload) => {
      runner.drop([payload])
      isHinted = true
      waking.abort()
    },
    stats: () => ({ ...runner.stats(), claimed, recorder: recorder.stats() }),
    stop,
  }
}

const nameOf = ({ organization, monitor }: ClaimKey): string => hintOf(organization, monitor)
