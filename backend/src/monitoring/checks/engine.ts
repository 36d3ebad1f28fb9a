import { repeat } from '../../platform/concurrency/background-job.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Changes, Db, Pool } from '../../platform/db/index.ts'
import { newRandomId } from '../../platform/ids.ts'
import type { DatabaseClock } from '../../platform/limits/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import { openFilesLimit } from '../../platform/system/open-files.ts'
import type { Encrypter } from '../../platform/crypto/encrypter.ts'
import { createControl, PROVE_EVERY_MS } from './worker/control.ts'
import { type ControlSetting, findControlTargets, reachControlTarget } from './worker/control-targets.ts'
import { readTargetPolicy } from './policy/store.ts'
import { parseTargetPolicy, type PolicyProber, startPolicyProber } from './policy/prober.ts'
import { type InheritedSockets, startProberThread } from './probe/index.ts'
import { startWorker, type WorkerStats } from './worker/worker.ts'

export interface ProberSettings extends InheritedSockets {
  /** Undefined: the answer of the set-up page applies. */
  allowPrivateTargets?: string | undefined
}

/** The prober of a process with a database. */
export function startProber(
  { db, clock, log, changes }: { db: Db; clock: Clock; log: Log; changes: Pick<Changes, 'on' | 'isHeard'> },
  settings: ProberSettings,
): Promise<PolicyProber> {
  const { allowPrivateTargets: given, icmpFd, icmp6Fd } = settings
  const fixed = given === undefined ? undefined : parseTargetPolicy(given)
  return startPolicyProber({
    clock,
    log,
    changes,
    readPolicy: async () => fixed ?? readTargetPolicy(db),
    start: (allowPrivateTargets) => startProberThread({ allowPrivateTargets, icmpFd, icmp6Fd }, { clock }),
  })
}

export interface EngineDeps {
  pool: Pool
  changes: Changes
  clock: Clock
  databaseClock: DatabaseClock
  log: Log
  /** Decrypts headers and bodies of monitors. */
  encrypter: Encrypter
  /** The surrogate of the region whose checks run here. */
  region: number
  controlTargets: ControlSetting
  prober: PolicyProber
}

export interface Engine {
  stats(): WorkerStats
  stop(): Promise<void>
}

const MEASURE_CLOCK_EVERY_MS = 60_000
const WARN_EVERY_MS = 60_000

/** Runs the checks of this process's region until it is stopped. */
export async function startEngine(deps: EngineDeps): Promise<Engine> {
  const { pool, changes, clock, databaseClock, log, encrypter, region, controlTargets, prober } = deps
  await databaseClock.measure()
  const control = createControl({ clock, find: () => findControlTargets(controlTargets), reach: reachControlTarget })
  const worker = startWorker({
    pool,
    changes,
    clock,
    now: () => databaseClock.now(),
    log,
    id: newRandomId(),
    region,
    prober,
    control,
    encrypter,
    openFiles: openFilesLimit(),
  })
  const jobs = [
    repeat('clock of the checks', MEASURE_CLOCK_EVERY_MS, clock, log, () => databaseClock.measure()),
    repeat('control targets', PROVE_EVERY_MS, clock, log, () => control.prove()),
    warnAboutDelays(worker.stats, clock, log),
  ]
  return {
    stats: worker.stats,
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()))
      await worker.stop()
    },
  }
}

/** Warns the operator when this process has more checks than it can run. */
function warnAboutDelays(stats: () => WorkerStats, clock: Clock, log: Log) {
  let before = { queued: 0, skipped: 0, dropped: 0 }
  return repeat('late checks', WARN_EVERY_MS, clock, log, async () => {
    const { queued, skipped, concurrency, recorder } = stats()
    const { dropped } = recorder
    const since = { queued: queued - before.queued, skipped: skipped - before.skipped, dropped: dropped - before.dropped }
    before = { queued, skipped, dropped }
    if (since.queued + since.skipped + since.dropped > 0)
      log.warn(
        { ...since, concurrency },
        'checks were delayed or skipped because this process is overloaded; start another worker',
      )
  })
}
