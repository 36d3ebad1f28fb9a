import { DAY_MS } from '@vedette/shared'
import { type Db, keepTables, type PartitionPlan, readPartitions } from '../../platform/db/index.ts'
import type { Log } from '../../platform/logging/log.ts'
import { deleteOpenedBefore } from './store.ts'

/** By the month of the opening, or of the timeline entry. */
const monthly = (table: string): PartitionPlan => ({
  table,
  period: 'month',
  // An incident opens at the time that the evaluating instance found it: one month back is enough.
  behind: 1,
  ahead: 2,
  retentionMs: 400 * DAY_MS,
})

const INCIDENTS = monthly('incident')
export const INCIDENT_TABLES = [INCIDENTS, monthly('incident_event')]

/** Creates the partitions of the next months and drops those in which every incident is older than 400 days. */
export async function keepIncidentPartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  await keepTables(db, log, INCIDENT_TABLES, nowMs)
  // An incident that was still open is dropped too: its key would prevent the next one.
  const [state] = await readPartitions(db, [INCIDENTS], nowMs)
  if (state?.fromMs !== undefined) await deleteOpenedBefore(db, new Date(state.fromMs))
}
