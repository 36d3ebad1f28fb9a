import type { DeletedMonitorList, Plan } from '@vedette/shared'
import { restoreRulesAndWindows } from '../../alerting/alerts/index.ts'
import { type Actor, auditEntry, recordAudits } from '../../access/audit/index.ts'
import { restorableSince, type Tenant, toDeleted } from '../../access/auth/index.ts'
import {
  changeStatus,
  deleteChecks,
  insertStatus,
  listLastPaused,
  listRegions,
  recountWeek,
  scheduleMonitors,
} from '../checks/index.ts'
import { deleteHeartbeats } from '../heartbeats/index.ts'
import { refuseOverPlan, refuseShortIntervals } from '../../access/plans/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction, type PageRequest } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import type { MonitorDeps } from './deps.ts'
import { isChecked, restorePings } from './heartbeat.ts'
import { followHours } from './change-hours.ts'
import * as store from './store.ts'

/** One page of the deleted monitors that can still be restored, the last deleted first. */
export async function listDeletedMonitors(
  { db }: Pick<MonitorDeps, 'db'>,
  tenant: Tenant,
  page: PageRequest,
): Promise<DeletedMonitorList> {
  const { total, rows } = await store.listDeleted(db, tenant.number, page)
  const monitors = rows.map((row) => ({ ...toDeleted('monitor', row), url: row.url, tags: row.tags }))
  return { monitors, total, page: page.page, limit: page.limit }
}

interface RestoreContext {
  db: Db
  tenant: Tenant
  plan: Plan
  actor: Actor
  at: Date
}

/**
 * Brings locked deleted monitors back with their history, rules and windows; a check runs at once, unless one was paused. Throws
 * plan_limit_reached, conflict.
 */
export async function restoreAll(
  { db, tenant, plan, actor, at }: RestoreContext,
  rows: readonly store.MonitorRow[],
): Promise<void> {
  if (rows.length === 0) return
  const organization = tenant.number
  const numbers = rows.map(({ number }) => number)
  refuseShortIntervals(
    plan,
    rows.map(({ interval_seconds: intervalSeconds }) => intervalSeconds),
  )
  await refuseOverPlan(db, organization, 'monitors', (counting) => store.countMonitors(counting, organization), rows.length, plan)
  const ids = rows.map(({ id }) => id)
  await restoreRulesAndWindows(db, organization, await store.readDeletedAlerts(db, organization, ids), at)
  await store.unmarkDeleted(db, organization, ids, at)
  await insertStatus(db, organization, numbers, 'up', at)
  await recountWeek(db, organization, numbers, at.getTime())
  const paused = new Set(await listLastPaused(db, organization, numbers))
  for (const monitor of paused) {
    const change = { id: newId(), from: 'up', to: 'paused', beforePause: 'up', reason: 'paused before it was deleted' } as const
    await changeStatus(db, organization, monitor, change, at)
  }
  const known = await listRegions(db)
  const schedules = rows.map(({ number: monitor, type, interval_seconds: intervalSeconds, regions }) => ({
    monitor,
    intervalSeconds,
    regions: known.filter(({ id }) => regions.includes(id)).map(({ number }) => number),
    isPaused: paused.has(monitor) || !isChecked({ type }),
  }))
  await scheduleMonitors(db, organization, schedules, at.getTime())
  await restorePings(db, organization, rows, paused, at)
  for (const row of rows) if (row.active_hours.length > 0) await followHours(db, organization, row, at.getTime(), at.getTime())
  const entries = rows.map(({ id, name, url }) => auditEntry('monitor.restored', 'monitor', id, { name, url }))
  await recordAudits(db, organization, actor, entries, at)
}

const REMOVED_AT_ONCE = 100

/** Removes monitors that were deleted more than 30 days ago, with their history. Several instances may run it at once. */
export async function removeOldDeleted(db: Db, clock: Clock): Promise<void> {
  const before = restorableSince(clock.now())
  for (;;) {
    const old = await store.listDeletedBefore(db, before, REMOVED_AT_ONCE)
    if (old.length === 0) return
    for (const [organization, rows] of Map.groupBy(old, (row) => row.organization))
      await inTransaction(db, async (transaction) => {
        const numbers = rows.map(({ number }) => number)
        const removed = await store.removeDeleted(transaction, organization, numbers)
        if (removed.length > 0) await deleteChecks(transaction, organization, removed)
        if (removed.length > 0) await deleteHeartbeats(transaction, organization, removed)
      })
  }
}
