import type { Clock } from '../../platform/clock.ts'
import { isLostConnection, isMissingPartition, type Pool } from '../../platform/db/index.ts'
import type { Log } from '../../platform/log.ts'
import { nextTurn } from '../../platform/turn.ts'
import { keepCheckPartitions } from '../partitions.ts'
import type { Observed } from './observed.ts'
import { recordChecks } from './record.ts'

/** Keeps the checks that this process made until they are stored. */
export interface Recorder {
  record(observed: Observed): void
  /** Whether the database was away when it was last asked: until the kept checks are stored nothing new should be claimed. */
  isBehind(): boolean
  /** Resolves when what was recorded until now is stored, or at once when the database is away. Nothing is gathered any more. */
  drain(): Promise<void>
  stats(): { kept: number; dropped: number; batches: number; stored: number }
  stop(): Promise<void>
}

export interface RecorderDeps {
  pool: Pool
  clock: Clock
  /** The clock of the schedule. */
  now(): number
  log: Log
  /** These are stored, or will never be. */
  settled(checks: readonly Observed[]): void
}

/** Checks of one transaction. */
const MAX_BATCH = 500
/** Some 30 MB. While the database is away nothing is claimed, so it takes a very large installation to get there. */
const MAX_KEPT = 50_000
const RETRY_MS = 250
/** With what failed checks were answered, a KB each, it would be a multiple of that: of so many they are kept. */
const MAX_ANSWERS_KEPT = 5_000
/** A statement costs the database more than the few checks that come in one turn: under load it gathers those of so long. */
const GATHER_MS = 250

/**
 * What comes after a quiet moment is stored at once; then what comes within a quarter of a second goes together. While the database
 * is away everything is kept, with its own times, and goes in when it is back.
 */
export function createRecorder({ pool, clock, now, log, settled }: RecorderDeps): Recorder {
  let queue: Observed[] = []
  let running: Promise<void> | undefined
  let isBehind = false
  const stopping = new AbortController()
  const hurrying = new AbortController()
  const counts = { dropped: 0, batches: 0, stored: 0 }

  async function run(): Promise<void> {
    // What arrives in one turn of the loop belongs together.
    await nextTurn()
    while (queue.length > 0 && !(isBehind && stopping.signal.aborted)) {
      const batch = queue.slice(0, MAX_BATCH)
      queue = queue.slice(MAX_BATCH)
      await store(batch)
      if (!isBehind && queue.length < MAX_BATCH) await clock.sleep(GATHER_MS, hurrying.signal)
    }
    running = undefined
  }

  async function store(batch: readonly Observed[]): Promise<void> {
    try {
      const taken = await recordChecks(pool, batch, now())
      isBehind = false
      counts.batches += 1
      counts.stored += taken.length
      settled(batch)
    } catch (error) {
      if (isLostConnection(error)) return keep(batch, error)
      if (isMissingPartition(error)) return makePartitions(batch, error)
      if (batch.length > 1) {
        // Something in one of them is at fault: alone, it fails alone.
        for (const observed of batch) await store([observed])
        return
      }
      log.error({ err: error, monitor: batch[0]?.monitor }, 'a check could not be stored')
      settled(batch)
    }
  }

  async function keep(batch: readonly Observed[], error: unknown): Promise<void> {
    if (!isBehind) log.warn({ err: error, checks: batch.length }, 'the database is away: checks are kept until it is back')
    isBehind = true
    queue = [...batch, ...queue]
    await clock.sleep(RETRY_MS, stopping.signal)
  }

  /** Once: a day that is past what is kept would be asked for again and again. */
  async function makePartitions(batch: readonly Observed[], error: unknown): Promise<void> {
    log.error({ err: error }, 'no partition stood ready for the checks of this day; making it')
    try {
      await keepCheckPartitions(pool.db, log, now())
      await recordChecks(pool, batch, now())
    } catch (again) {
      if (isLostConnection(again)) return keep(batch, again)
      log.error({ err: again, checks: batch.length }, 'checks of a day without a place could not be stored')
    }
    settled(batch)
  }

  return {
    record: (observed) => {
      queue.push(queue.length < MAX_ANSWERS_KEPT ? observed : withoutAnswer(observed))
      if (queue.length > MAX_KEPT) {
        counts.dropped += 1
        settled(queue.splice(0, 1))
      }
      running ??= run()
    },
    isBehind: () => isBehind,
    // While it is behind it waits for the database, which may take for ever.
    drain: async () => {
      hurrying.abort()
      if (!isBehind) await running
    },
    stats: () => ({ ...counts, kept: queue.length }),
    stop: async () => {
      stopping.abort()
      hurrying.abort()
      await running
    },
  }
}

function withoutAnswer(observed: Observed): Observed {
  const { answer: _answer, ...result } = observed.result
  return { ...observed, result }
}
