import { isWatched } from '@vedette/shared'
import { changeStatus, lockComposites, lockStatus, pauseChecks, refreshComposites, wakeChecks } from '../checks/index.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { activityAt, idleReason } from './active-hours.ts'
import { isComposite } from './composite-fields.ts'
import { endPings, isChecked, resumePings } from './heartbeat.ts'
import * as store from './store.ts'

// Active hours change the status at the instants at which they begin and end, whenever that is noticed, so that what counts by time is
// exact. A monitor that is paused stays so: what its hours say is applied when it is resumed.

/** What of a monitor its hours need. */
type HourlyMonitor = Pick<store.MonitorRow, 'id' | 'number' | 'type' | 'options' | 'active_hours'>

/** A process that was away for longer than these changes goes on from now. */
const MAX_CHANGES = 100

/** Gives a locked monitor the statuses that its hours say from an instant until now, and stores when they change next. */
export async function followHours(
  db: Db,
  organization: number,
  monitor: HourlyMonitor,
  fromMs: number,
  nowMs: number,
): Promise<void> {
  let atMs = Math.min(fromMs, nowMs)
  for (let changes = 1; ; changes += 1) {
    const { isActive, untilMs } = activityAt(monitor.active_hours, atMs)
    await (isActive ? begin(db, organization, monitor, atMs, nowMs) : end(db, organization, monitor, atMs, untilMs ?? atMs))
    if (untilMs === null || untilMs > nowMs) {
      await store.updateHoursChange(db, organization, monitor.id, untilMs === null ? null : new Date(untilMs))
      return
    }
    atMs = changes < MAX_CHANGES ? untilMs : nowMs
  }
}

async function begin(db: Db, organization: number, monitor: HourlyMonitor, atMs: number, nowMs: number): Promise<void> {
  const { status, before_pause: before } = await lockStatus(db, organization, monitor.number)
  if (status !== 'idle') return
  await resumePings(db, organization, [monitor], new Date(nowMs))
  if (isChecked(monitor)) await wakeChecks(db, organization, monitor.number, nowMs)
  const change = { id: newId(), from: status, to: before ?? 'up', beforePause: null, reason: 'its active hours began' } as const
  await changeStatus(db, organization, monitor.number, change, new Date(atMs))
}

async function end(db: Db, organization: number, monitor: HourlyMonitor, atMs: number, untilMs: number): Promise<void> {
  // In the order of a pause: a ping locks its heartbeat, and storing a check its schedule, before the status.
  await endPings(db, organization, [monitor], false)
  await pauseChecks(db, organization, monitor.number)
  const { status } = await lockStatus(db, organization, monitor.number)
  if (!isWatched(status)) return
  const change = { id: newId(), from: status, to: 'idle', beforePause: status, reason: idleReason(untilMs) } as const
  await changeStatus(db, organization, monitor.number, change, new Date(atMs))
}

const AT_ONCE = 100

/** Follows all hours that have begun or ended. Several instances may run it at once. */
export async function changeDueHours({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  for (;;) {
    const due = await store.listDueHours(db, new Date(clock.now()), AT_ONCE)
    for (const [organization, named] of Map.groupBy(due, (one) => one.organization)) {
      const ids = named.map(({ id }) => id)
      await inTransaction(db, (transaction) => changeHoursOf(transaction, organization, ids, clock.now()))
    }
    if (due.length < AT_ONCE) return
  }
}

async function changeHoursOf(db: Db, organization: number, ids: readonly string[], nowMs: number): Promise<void> {
  const rows = await store.lockMonitors(db, organization, ids)
  if (rows.length === 0) return
  if (rows.some(isComposite)) await lockComposites(db, organization)
  const changes = await store.readHoursChanges(db, organization, ids)
  // In one order, to prevent deadlocks.
  for (const row of rows.toSorted((one, other) => one.number - other.number)) {
    const at = changes.get(row.number)?.getTime()
    // Another instance may have followed them.
    if (at !== undefined && at <= nowMs) await followHours(db, organization, row, at, nowMs)
  }
  const members = { ids: rows.map(({ id }) => id), tags: rows.flatMap(({ tags }) => tags) }
  const composites = rows.filter(isComposite).map(({ number }) => number)
  await refreshComposites(db, organization, members, new Date(nowMs), composites)
}
