import { type ServerProcesses, toTimestamp } from '@vedette/shared'
import type { Tenant } from '../auth/index.ts'
import { type Db, keepPartitions, type PartitionPlan, type PartitionState, readPartitions } from '../platform/db/index.ts'
import { notFound } from '../platform/errors.ts'
import { encodeId } from '../platform/ids.ts'
import { instantAt } from '../platform/instant.ts'
import type { Log } from '../platform/log.ts'
import type { ServerDeps } from './deps.ts'
import { findNearestProcesses, type ProcessList } from './process-store.ts'
import { findServerNumber } from './store.ts'

const DAY_MS = 86_400_000
/** Lists older than this are neither told nor taken. */
export const PROCESS_RETENTION_MS = 2 * DAY_MS

/** By the day of the samples: what a spool brings late goes where it belongs. */
const LISTS: PartitionPlan = { table: 'process_list', period: 'day', behind: 2, ahead: 3, retentionMs: PROCESS_RETENTION_MS }

/** Makes the partitions that the next days need and drops those past the retention. */
export async function keepProcessPartitions(db: Db, log: Log, nowMs: number): Promise<void> {
  for (const day of await keepPartitions(db, LISTS, nowMs)) log.info({ day }, 'dropped process lists that are past the retention')
}

export const readProcessPartitions = (db: Db, nowMs: number): Promise<PartitionState> => readPartitions(db, LISTS, nowMs)

/** The list of the push nearest to an instant; without one the newest. Throws not_found across organizations. */
export async function getProcesses(
  deps: ServerDeps,
  tenant: Tenant,
  id: string,
  at: string | undefined,
): Promise<ServerProcesses> {
  const number = await findServerNumber(deps.db, tenant.number, id)
  if (number === undefined) throw notFound()
  const nowMs = deps.clock.now()
  const atMs = at === undefined ? nowMs : instantAt('at', at).getTime()
  // Before the table: a list that is stored between the two is then found twice and not missed.
  const waiting = deps.samples.waitingProcesses(id)
  const stored = await findNearestProcesses(deps.db, tenant.number, number, atMs, nowMs - PROCESS_RETENTION_MS)
  const nearest = nearestOf(stored ? [...waiting, stored] : waiting, atMs)
  return {
    server_id: encodeId('server', id),
    sampled_at: nearest ? toTimestamp(nearest.atMs) : null,
    processes: nearest?.processes ?? [],
  }
}

/** Of two as near the later one. */
function nearestOf(lists: readonly ProcessList[], atMs: number): ProcessList | undefined {
  const distance = (list: ProcessList) => Math.abs(list.atMs - atMs)
  return lists.toSorted((a, b) => distance(a) - distance(b) || b.atMs - a.atMs)[0]
}
