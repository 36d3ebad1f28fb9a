import type { Db } from '../../platform/db/index.ts'
import { mapWithPauses } from '../../platform/concurrency/map-with-pauses.ts'
import { shiftsIn } from './rota.ts'
import * as store from './store.ts'

export interface OnDuty {
  /** Each once, in the order of the schedules. */
  userIds: string[]
  /** Schedules with nobody on duty. */
  gapIds: string[]
}

/** Who is on duty in these schedules of an organization at an instant. */
export async function findOnDuty(db: Db, organization: number, scheduleIds: readonly string[], at: Date): Promise<OnDuty> {
  if (scheduleIds.length === 0) return { userIds: [], gapIds: [] }
  const rows = await store.listSchedulesOf(db, organization, scheduleIds)
  const members = await store.findMembers(db, organization, rows.flatMap(store.peopleOf))
  const range = { fromMs: at.getTime(), toMs: at.getTime() + 1 }
  const onDuty = await mapWithPauses(rows, (row) => ({
    id: row.id,
    shifts: shiftsIn(row, range, (userId) => members.has(userId)),
  }))
  return {
    userIds: [...new Set(onDuty.flatMap(({ shifts }) => shifts.map(({ userId }) => userId)))],
    gapIds: onDuty.filter(({ shifts }) => shifts.length === 0).map(({ id }) => id),
  }
}
