import { keepAuditPartitions } from './audit/index.ts'
import { compactSamples, keepPartitions } from './metrics/index.ts'
import { type BackgroundJob, repeat } from './platform/background.ts'
import type { Clock } from './platform/clock.ts'
import type { Db } from './platform/db/index.ts'
import type { Log } from './platform/log.ts'

const PARTITIONS_EVERY_MS = 3_600_000
/** Late samples of an hour that is put together are read beside it until then. */
const COMPACT_EVERY_MS = 120_000

/** Makes the partitions that the next days need, and drops those past their retention. */
export async function keepAllPartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  await keepPartitions(db, log, nowMs)
  await keepAuditPartitions(db, log, nowMs)
}

/** What is done for the whole installation beside answering requests; any number of instances may run it at once. */
export function startMaintenance(db: Db, clock: Clock, log: Log): BackgroundJob[] {
  return [
    repeat('partitions', PARTITIONS_EVERY_MS, clock, log, () => keepAllPartitions(db, log, clock.now())),
    repeat('hours of samples', COMPACT_EVERY_MS, clock, log, () => compactSamples(db, clock)),
  ]
}
