import { type Db, keepPartitions, type PartitionPlan, type PartitionState, readPartitions } from '../../platform/db/index.ts'
import type { Log } from '../../platform/log.ts'
import { forgetOpenedBefore } from './store.ts'

/** By the month in which an incident opened, or something came into its timeline. */
const monthly = (table: string): PartitionPlan => ({
  table,
  period: 'month',
  // What is judged late opens when it was found, by the clock of the instance that found it: a month behind is enough.
  behind: 1,
  ahead: 2,
  retentionMs: 400 * 86_400_000,
})

const INCIDENTS = monthly('incident')
const INCIDENT_EVENTS = monthly('incident_event')

/** Makes the partitions of the next months and drops those whose every incident is older than 400 days. */
export async function keepIncidentPartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  for (const plan of [INCIDENTS, INCIDENT_EVENTS]) {
    for (const month of await keepPartitions(db, plan, nowMs))
      log.info({ month, table: plan.table }, 'dropped the incidents of a month that is past the retention')
  }
  // What still stood open went too: its key would keep anything else from opening.
  const { fromMs } = await readPartitions(db, INCIDENTS, nowMs)
  if (fromMs !== undefined) await forgetOpenedBefore(db, new Date(fromMs))
}

export async function readIncidentPartitions(db: Db, nowMs: number): Promise<PartitionState[]> {
  return [await readPartitions(db, INCIDENTS, nowMs), await readPartitions(db, INCIDENT_EVENTS, nowMs)]
}
