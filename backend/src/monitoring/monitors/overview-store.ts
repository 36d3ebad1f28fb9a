import type { MonitorStatus } from '@vedette/shared'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'

/** The number of monitors by status; a status without monitors is absent. */
export async function countByStatus(db: Db, organization: number): Promise<Map<MonitorStatus, number>> {
  const rows = await db
    .selectFrom('monitor_status')
    .select(['status', (eb) => eb.fn.countAll<number>().as('count')])
    .where('organization', '=', organization)
    .groupBy('status')
    .execute()
  return new Map(rows.map(({ status, count }) => [status, count]))
}

export interface TroubledRow {
  id: string
  name: string
  url: string
  status: MonitorStatus
  since: Date
  /** Of the last transition; null without one. */
  reason: string | null
}

/** Monitors that are down or degraded: down first, then the newest. */
export async function listTroubled(db: Db, organization: number, limit: number): Promise<TroubledRow[]> {
  const { rows } = await sql<TroubledRow>`
    select item.*, (
      select reason from monitor_transition
      where organization = ${organization} and monitor = item.number order by at desc, id desc limit 1
    ) as reason
    from (
      select monitor.id, monitor.number, monitor.name, monitor.url, status.status, status.since
      from monitor_status as status
      join monitor on monitor.organization = status.organization and monitor.number = status.monitor
      where status.organization = ${organization} and monitor.organization = ${organization}
        and status.status in ('down', 'degraded')
      order by status.status desc, status.since desc, monitor.id desc limit ${limit}
    ) as item
    order by item.status desc, item.since desc, item.id desc`.execute(db)
  return rows
}
