import { DAY_MS } from '@vedette/shared'
import { type Db, keepTables, type PartitionPlan } from '../../platform/db/index.ts'
import type { Log } from '../../platform/logging/log.ts'

/** Kept as long as single checks. */
export const PINGS: PartitionPlan = { table: 'ping', period: 'day', behind: 1, ahead: 7, retentionMs: 35 * DAY_MS }

export const keepPingPartitions = (db: Db, log: Log, nowMs: number): Promise<void> => keepTables(db, log, [PINGS], nowMs)
