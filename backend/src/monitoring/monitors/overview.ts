import { type Overview, type States, toTimestamp, isWatched } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { EVERY_MONITOR, listPage } from './list-store.ts'
import * as store from './overview-store.ts'

/** Numbers of monitors by status, and the first of those that are down or degraded. */
export async function readMonitorOverview(
  db: Db,
  organization: number,
  limit: number,
): Promise<Pick<Overview, 'monitors' | 'troubled_monitors'>> {
  const [counts, troubled] = await Promise.all([
    store.countByStatus(db, organization),
    store.listTroubled(db, organization, limit),
  ])
  const [up = 0, degraded = 0, down = 0, paused = 0, idle = 0] = (['up', 'degraded', 'down', 'paused', 'idle'] as const).map(
    (name) => counts.get(name),
  )
  return {
    monitors: { total: up + degraded + down + paused + idle, up, degraded, down, paused, idle },
    troubled_monitors: troubled.map(({ id, name, url, status, since, reason }) => ({
      id: encodeId('monitor', id),
      name,
      url,
      status,
      status_since: toTimestamp(since.getTime()),
      reason,
    })),
  }
}

/** The status of the monitors of an organization, the worst first. */
export async function readMonitorStates(
  db: Db,
  organization: number,
  limit: number,
): Promise<Pick<States, 'monitors' | 'monitors_total'>> {
  const worstFirst = { by: 'status', descending: false } as const
  const { total, rows } = await listPage(db, organization, EVERY_MONITOR, worstFirst, { page: 1, limit })
  return {
    monitors_total: total,
    monitors: rows.map(({ id, name, status, since, tags, is_checked }) => ({
      id: encodeId('monitor', id),
      name,
      status,
      since: toTimestamp(since.getTime()),
      waiting: is_checked === false && isWatched(status),
      tags,
    })),
  }
}
