import type { MonitorDetails } from '@vedette/shared'
import { type Principal, tenantOf } from '../../access/auth/index.ts'
import { checkAtOnce, readStatuses, resumeChecks } from '../checks/index.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { isComposite } from './composite-fields.ts'
import type { MonitorDeps } from './deps.ts'
import { isChecked } from './heartbeat.ts'
import { getMonitor } from './read.ts'
import { findMonitors } from './store.ts'

export interface CheckNowDeps extends MonitorDeps {
  /** Counts one request for a check of this monitor. Throws rate_limited. */
  limitChecks(monitorId: string): Promise<void>
}

/**
 * Checks the monitor now, in all its regions; the result is stored as any other, outside of its active hours as one that
 * counts for nothing. Throws not_found, conflict for a heartbeat and a
 * paused monitor, rate_limited.
 */
export async function checkMonitor(deps: CheckNowDeps, principal: Principal, id: string): Promise<MonitorDetails> {
  const { number: organization } = tenantOf(principal)
  const [row] = await findMonitors(deps.db, organization, [id])
  if (!row) throw notFound()
  if (isComposite(row)) throw conflict('A composite is not checked: its members decide.')
  if (!isChecked(row)) throw conflict('A heartbeat is not checked: it waits for pings.')
  const [status] = await readStatuses(deps.db, organization, [row.number])
  if (status?.status === 'paused') throw conflict('The monitor is paused. Resume it first.')
  await deps.limitChecks(id)
  const begin = status?.status === 'idle' ? resumeChecks : checkAtOnce
  await inTransaction(deps.db, (db) => begin(db, organization, row.number, deps.clock.now()))
  return getMonitor(deps, principal, id)
}
