import { repeat } from '../platform/background.ts'
import type { Clock } from '../platform/clock.ts'
import { type Db, listen, type Pool } from '../platform/db/index.ts'
import { newRandomId } from '../platform/ids.ts'
import type { DatabaseClock } from '../platform/limits/index.ts'
import type { Log } from '../platform/log.ts'
import { openFilesLimit } from '../platform/open-files.ts'
import { reach } from '../platform/reach.ts'
import type { Sealer } from '../platform/sealer.ts'
import { createControl } from './control.ts'
import { arePrivateTargetsOpen } from './policy-store.ts'
import { policyOf, type ProberLike, startPolicyProber } from './policy-prober.ts'
import { startProberThread } from './probe/index.ts'
import { SCHEDULE_CHANNEL } from './schedule/hint-store.ts'
import { startWorker, type WorkerStats } from './schedule/worker.ts'

/** The prober of a process with a database. `given` is what its settings say; without it the set-up page's answer holds. */
export function startProber(
  { db, clock, log }: { db: Db; clock: Clock; log: Log },
  given: string | undefined,
): Promise<ProberLike> {
  const fixed = given === undefined ? undefined : policyOf(given)
  return startPolicyProber({
    clock,
    log,
    readPolicy: async () => fixed ?? ((await arePrivateTargetsOpen(db)) ? 'all' : []),
    start: (allowPrivateTargets) => startProberThread({ allowPrivateTargets }),
  })
}

export interface EngineDeps {
  pool: Pool
  /** The database past a pooler, where hints are heard. */
  directUrl: string
  clock: Clock
  databaseClock: DatabaseClock
  log: Log
  /** Opens the headers and bodies of monitors. */
  sealer: Sealer
  /** The surrogate of the region whose checks are made. */
  region: number
  /** As `host:port`. */
  controlTargets: readonly string[]
  prober: ProberLike
}

export interface Engine {
  stats(): WorkerStats
  stop(): Promise<void>
}

const COMPARE_CLOCK_EVERY_MS = 60_000
const TELL_EVERY_MS = 60_000

/** Makes the checks of this process's region until it is stopped. */
export async function startEngine(deps: EngineDeps): Promise<Engine> {
  const { pool, directUrl, clock, databaseClock, log, sealer, region, controlTargets, prober } = deps
  await databaseClock.measure()
  const worker = startWorker({
    pool,
    clock,
    now: () => databaseClock.now(),
    log,
    id: newRandomId(),
    region,
    prober,
    control: createControl(controlTargets, clock, reach),
    sealer,
    openFiles: openFilesLimit(),
  })
  const hints = listen({ url: directUrl, channel: SCHEDULE_CHANNEL, clock, log }, worker.hint)
  const jobs = [
    repeat('clock of the checks', COMPARE_CLOCK_EVERY_MS, clock, log, () => databaseClock.measure()),
    tellWhatIsLate(worker.stats, clock, log),
  ]
  return {
    stats: worker.stats,
    stop: async () => {
      await Promise.all([hints.stop(), ...jobs.map((job) => job.stop())])
      await worker.stop()
    },
  }
}

/** An operator has to hear when this process has more checks than it can make. */
function tellWhatIsLate(stats: () => WorkerStats, clock: Clock, log: Log) {
  let before = { held: 0, notMade: 0, dropped: 0 }
  return repeat('late checks', TELL_EVERY_MS, clock, log, async () => {
    const { held, notMade, bound, recorder } = stats()
    const more = { held: held - before.held, notMade: notMade - before.notMade, dropped: recorder.dropped - before.dropped }
    before = { held, notMade, dropped: recorder.dropped }
    if (more.held + more.notMade + more.dropped > 0)
      log.warn({ ...more, bound }, 'checks had to wait for each other, or were not made; start another worker')
  })
}
