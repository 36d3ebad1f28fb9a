import type { MonitorDetails } from '@vedette/shared'
import { type Actor, recordAudit } from '../../access/audit/index.ts'
import { type Principal, tenantOf } from '../../access/auth/index.ts'
import {
  changeStatus,
  lockComposites,
  lockStatus,
  pauseChecks,
  readStatuses,
  refreshComposites,
  resumeChecks,
  type StatusRow,
} from '../checks/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { followHours } from './change-hours.ts'
import { isComposite } from './composite-fields.ts'
import type { MonitorDeps } from './deps.ts'
import { getMonitor } from './read.ts'
import { endPings, isChecked, resumePings } from './heartbeat.ts'
import { lockMonitors, type MonitorRow } from './store.ts'

/** Changes a locked monitor within a transaction. False where it is so already. */
type ChangePause = (db: Db, organization: number, row: MonitorRow, status: StatusRow, at: Date) => Promise<boolean>

export const PAUSES: Readonly<Record<'pause' | 'resume', ChangePause>> = {
  pause: async (db, organization, row, { status }, at) => {
    const { number: monitor } = row
    if (status === 'paused') return false
    // First, as a ping locks its heartbeat.
    await endPings(db, organization, [row], false)
    // Locks the schedule before the status, as storing a check does, which may have changed the status meanwhile.
    await pauseChecks(db, organization, monitor)
    const { status: from, before_pause: before } = await lockStatus(db, organization, monitor)
    if (from === 'paused') return false
    const beforePause = from === 'idle' ? before : from
    const change = { id: newId(), from, to: 'paused', beforePause, reason: 'paused' } as const
    await changeStatus(db, organization, monitor, change, at)
    return true
  },
  resume: async (db, organization, row, { status, before_pause: before }, at) => {
    const { number: monitor } = row
    if (status !== 'paused') return false
    await resumePings(db, organization, [row], at)
    if (isChecked(row)) await resumeChecks(db, organization, monitor, at.getTime())
    const change = { id: newId(), from: status, to: before ?? 'up', beforePause: null, reason: 'resumed' } as const
    await changeStatus(db, organization, monitor, change, at)
    if (row.active_hours.length > 0) await followHours(db, organization, row, at.getTime(), at.getTime())
    return true
  },
}

/** Stops the checks and stores the status for resume. Pausing a paused monitor changes nothing. Throws not_found. */
export const pauseMonitor = (deps: MonitorDeps, actor: Actor<Principal>, id: string): Promise<MonitorDetails> =>
  changePause(deps, actor, id, 'pause')

/**
 * Restores the status before the pause and schedules a check at once, within its active hours. Resuming a running monitor changes nothing. Throws
 * not_found.
 */
export const resumeMonitor = (deps: MonitorDeps, actor: Actor<Principal>, id: string): Promise<MonitorDetails> =>
  changePause(deps, actor, id, 'resume')

/** Records an audit entry when it changed something. Concurrent calls wait for each other. */
async function changePause(
  deps: MonitorDeps,
  actor: Actor<Principal>,
  id: string,
  change: 'pause' | 'resume',
): Promise<MonitorDetails> {
  const { number: organization } = tenantOf(actor.principal)
  const at = new Date(deps.clock.now())
  await inTransaction(deps.db, async (db) => {
    const [row] = await lockMonitors(db, organization, [id])
    if (row && isComposite(row)) await lockComposites(db, organization)
    const [status] = row ? await readStatuses(db, organization, [row.number]) : []
    if (!row || !status) throw notFound()
    if (!(await PAUSES[change](db, organization, row, status, at))) return
    const entry = { action: `monitor.${change}d`, target: { kind: 'monitor', id } as const, details: { name: row.name } }
    await recordAudit(db, organization, actor, entry, at)
    await refreshComposites(db, organization, { ids: [id], tags: row.tags }, at, [row.number])
  })
  return getMonitor(deps, actor.principal, id)
}
