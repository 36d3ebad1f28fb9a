import { DELETED_MONITOR_DAYS, type DeletedMonitorList, DAY_MS, type MonitorDetails, toTimestamp } from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../audit/index.ts'
import { type Principal, type Tenant, tenantOf } from '../auth/index.ts'
import { changeStatus, deleteChecks, insertStatus, listRegions, listTransitions, scheduleMonitors } from '../checks/index.ts'
import { refuseOverPlan, refuseShortIntervals } from '../plans/index.ts'
import type { Clock } from '../platform/time/clock.ts'
import { type Db, inTransaction, type PageRequest } from '../platform/db/index.ts'
import { encodeId, newId } from '../platform/ids.ts'
import type { MonitorDeps } from './deps.ts'
import { getMonitor } from './read.ts'
import * as store from './store.ts'

const EVER = { from: undefined, to: undefined }
const DELETED_MS = DELETED_MONITOR_DAYS * DAY_MS

/** One page of the deleted monitors that can still be restored, the last deleted first. */
export async function listDeletedMonitors(
  { db }: Pick<MonitorDeps, 'db'>,
  tenant: Tenant,
  page: PageRequest,
): Promise<DeletedMonitorList> {
  const { total, rows } = await store.listDeleted(db, tenant.number, page)
  const monitors = rows.map(({ id, name, url, tags, deleted_at }) => ({
    id: encodeId('monitor', id),
    name,
    url,
    tags,
    deleted_at: toTimestamp(deleted_at.getTime()),
    removed_at: toTimestamp(deleted_at.getTime() + DELETED_MS),
  }))
  return { monitors, total, page: page.page, limit: page.limit }
}

/**
 * Brings a deleted monitor back with its history; a check runs at once, unless it was paused. Restoring one that is not deleted
 * changes nothing. Throws not_found, plan_limit_reached.
 */
export async function restoreMonitor(deps: MonitorDeps, actor: Actor<Principal>, id: string): Promise<MonitorDetails> {
  const { number: organization } = tenantOf(actor.principal)
  const at = new Date(deps.clock.now())
  await inTransaction(deps.db, async (db) => {
    const row = await store.lockDeleted(db, organization, id)
    // One that was never deleted is answered as it is.
    if (!row) return
    const { number, name, url, interval_seconds: intervalSeconds } = row
    await refuseShortIntervals(db, organization, [intervalSeconds])
    await refuseOverPlan(db, organization, 'monitors', (counting) => store.countMonitors(counting, organization), 1)
    await store.unmarkDeleted(db, organization, id, at)
    await insertStatus(db, organization, [number], 'up', at)
    const {
      rows: [last],
    } = await listTransitions(db, organization, number, EVER, { page: 1, limit: 1 })
    const isPaused = last?.to_status === 'paused'
    if (isPaused) {
      const change = { id: newId(), from: 'up', to: 'paused', beforePause: 'up', reason: 'paused before it was deleted' } as const
      await changeStatus(db, organization, number, change, at)
    }
    const known = await listRegions(db)
    const regions = known.filter((region) => row.regions.includes(region.id)).map((region) => region.number)
    await scheduleMonitors(db, organization, [{ monitor: number, intervalSeconds, regions, isPaused }], at.getTime())
    await recordAudit(db, organization, actor, auditEntry('monitor.restored', 'monitor', id, { name, url }), at)
  })
  return getMonitor(deps, actor.principal, id)
}

const REMOVED_AT_ONCE = 100

/** Removes monitors that were deleted more than 30 days ago, with their history. Several instances may run it at once. */
export async function removeOldDeleted(db: Db, clock: Clock): Promise<void> {
  const before = new Date(clock.now() - DELETED_MS)
  for (;;) {
    const old = await store.listDeletedBefore(db, before, REMOVED_AT_ONCE)
    if (old.length === 0) return
    for (const [organization, rows] of Map.groupBy(old, (row) => row.organization))
      await inTransaction(db, async (transaction) => {
        const numbers = rows.map(({ number }) => number)
        const removed = await store.removeDeleted(transaction, organization, numbers)
        if (removed.length > 0) await deleteChecks(transaction, organization, removed)
      })
  }
}
