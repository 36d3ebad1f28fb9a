import { FEATURES } from './features.ts'
import { runInSequence } from './platform/concurrency/run-in-sequence.ts'
import { type Db, keepTables, type PartitionState, readPartitions, withLongStatements } from './platform/db/index.ts'
import type { Retention } from './platform/feature/feature.ts'
import type { Log } from './platform/logging/log.ts'

/**
 * Creates the partitions of the next days and drops those past their retention; partitions of samples are dropped only when
 * `retention` is given.
 */
export async function keepAllPartitions(db: Db, log: Log, nowMs: number, retention?: Retention): Promise<void> {
  const tasks = FEATURES.map(({ partitions = [] }) => async () => {
    if ('keep' in partitions) await partitions.keep(db, log, nowMs, retention)
    else await keepTables(db, log, partitions, nowMs)
  })
  await withLongStatements(() => runInSequence(tasks))
}

/** The state of every table that is partitioned by time. */
export const readAllPartitions = (db: Db, nowMs: number): Promise<PartitionState[]> =>
  readPartitions(
    db,
    FEATURES.flatMap(({ partitions = [] }) => ('keep' in partitions ? partitions.tables : partitions)),
    nowMs,
  )

/** Logs tables whose partitions run out soon: later rows would be refused. */
export async function reportLatePartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  for (const { table, untilMs, isLate } of await readAllPartitions(db, nowMs)) {
    const until = untilMs === undefined ? 'now' : new Date(untilMs).toISOString()
    if (isLate) log.error({ table, until }, 'partitions are missing: rows from `until` on will be refused')
  }
}
