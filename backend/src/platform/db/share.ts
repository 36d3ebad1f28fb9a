import { newRandomId } from '../ids.ts'
import type { Clock } from '../time/clock.ts'
import type { Changes } from './changes.ts'
import type { Db } from './pool.ts'
import { announceShare, dropShare, extendShare, type LiveShare, shortenShares } from './share-store.ts'
import { NO_SLICES, type Slices, slicesOf } from './slices.ts'
import { runExtended } from './run-extended.ts'

/** Work that is divided among all processes. Each holds a lease on its share, and the slices follow from who holds one. */
export interface Share {
  /** The slices of this process, as far as it knows. */
  slices(): Slices
  /** Runs the task with the slices of this process. */
  run(task: () => Promise<unknown>): Promise<void>
  /** When it has to run, with something to do or not, to keep its share or to take over another, ms. Asks nobody. */
  dueMs(): number
  /** Gives the share to the other processes. */
  release(): Promise<void>
}

export interface ShareOptions {
  /** The share of a dead process expires after this time. */
  holdMs: number
  /** When this process has something to do next, ms. Until then it extends its share seldom. */
  dueMs: () => number
  /** Announcements of these may give every process something to do at once. */
  wokenBy: readonly string[]
}

interface ShareDeps {
  db: Db
  clock: Clock
  changes: Pick<Changes, 'on' | 'isHeard'>
}

/** Who has something to do within this time is not at rest. */
const SOON_MS = 5_000
/** A process at rest extends its share this seldom; one that dies delays what is not due yet by no more. */
const MAX_IDLE_MS = 26_000

export function createShare({ db, clock, changes }: ShareDeps, name: string, options: ShareOptions): Share {
  const { holdMs, dueMs, wokenBy } = options
  const key = { name, holder: newRandomId() }
  let slices = NO_SLICES
  let others: readonly LiveShare[] = []
  /** When the shares were read, and until when the own one lasts. */
  let own = { readMs: Number.POSITIVE_INFINITY, untilMs: 0 }
  let wokenMs = Number.NEGATIVE_INFINITY
  let isStale = true
  let reading: Promise<void> | undefined
  changes.on('work_share', () => (isStale = true))
  // What is announced is due at once, also for a process that died at rest: its share expires like one of a process at work.
  for (const topic of wokenBy)
    changes.on(topic, () => {
      wokenMs = clock.now()
      if (isAtRest()) isStale = true
    })

  const isAtRest = () => [own.untilMs, ...others.map(({ until }) => until.getTime())].some((ms) => ms > clock.now() + holdMs)

  function endMs(nowMs: number): number {
    const restMs = dueMs() - nowMs
    const isIdle = restMs > SOON_MS && nowMs - wokenMs > holdMs && changes.isHeard()
    return nowMs + (isIdle ? Math.min(restMs, MAX_IDLE_MS) : 0) + holdMs
  }

  /** When the shares have to be read again: to extend the own one, or because another one may have expired. */
  function nextReadMs(): number {
    // Of a clock that stepped back nothing is known.
    if (isStale || clock.now() < own.readMs) return Number.NEGATIVE_INFINITY
    const extendMs = changes.isHeard() ? own.untilMs - holdMs / 2 : own.readMs + holdMs / 2
    return Math.min(extendMs, ...others.map(({ until }) => until.getTime()))
  }

  async function read(): Promise<void> {
    const nowMs = clock.now()
    const untilMs = endMs(nowMs)
    const isWoken = wokenMs > own.readMs && isAtRest()
    isStale = false
    try {
      if (isWoken) await shortenShares(db, key, new Date(nowMs + holdMs))
      const live = await extendShare(db, key, new Date(nowMs), new Date(untilMs))
      own = { readMs: nowMs, untilMs }
      const wasOf = (some: readonly LiveShare[]) => some.map(({ holder }) => holder).join(' ')
      const former = wasOf(others)
      others = live.filter(({ holder }) => holder !== key.holder).sort((one, other) => (one.holder < other.holder ? -1 : 1))
      const isNew = others.length === live.length
      if (slices === NO_SLICES || wasOf(others) !== former)
        slices = slicesOf(
          key.holder,
          others.map(({ holder }) => holder),
        )
      if (isNew) await announceShare(db, name, new Date(nowMs))
    } catch (error) {
      isStale = true
      throw error
    }
  }

  const readOnce = () => (reading ??= read().finally(() => (reading = undefined)))
  const readIfDue = async () => {
    if (nextReadMs() <= clock.now()) await readOnce()
  }

  return {
    slices: () => slices,
    dueMs: nextReadMs,
    run: async (task) => {
      await readIfDue()
      await runExtended(clock, holdMs / 4, readIfDue, task)
      if (endMs(clock.now()) > own.untilMs + holdMs / 2) await readOnce()
    },
    release: () => dropShare(db, key),
  }
}
