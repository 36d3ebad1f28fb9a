import { DAY_MS, type ServerProcesses, toTimestamp } from '@vedette/shared'
import type { Tenant } from '../../access/auth/index.ts'
import type { PartitionPlan } from '../../platform/db/index.ts'
import { notFound } from '../../platform/errors.ts'
import { encodeId } from '../../platform/ids.ts'
import { instantAt } from '../../platform/time/instant.ts'
import type { ServerDeps } from './deps.ts'
import { findNearestProcesses, type ProcessList } from './process-store.ts'
import { findServerNumber } from './store.ts'

/** Older lists are neither returned nor accepted. */
export const PROCESS_RETENTION_MS = 2 * DAY_MS

/** Partitioned by sample day, so that late spooled lists go to the day of their samples. */
export const PROCESS_LISTS: PartitionPlan = {
  table: 'process_list',
  period: 'day',
  behind: 2,
  ahead: 3,
  retentionMs: PROCESS_RETENTION_MS,
  isShortLived: true,
}

/** The list of the push nearest to an instant, by default the newest list. Throws not_found across organizations. */
export async function getProcesses(
  deps: ServerDeps,
  tenant: Tenant,
  id: string,
  at: string | undefined,
): Promise<ServerProcesses> {
  const number = await findServerNumber(deps.db, tenant.number, id)
  if (number === undefined) throw notFound()
  const atMs = at === undefined ? undefined : instantAt('at', at).getTime()
  const nearest = await readProcesses(deps, { organization: tenant.number, number, id }, atMs)
  return {
    server_id: encodeId('server', id),
    sampled_at: nearest ? toTimestamp(nearest.atMs) : null,
    processes: nearest?.processes ?? [],
  }
}

/** The list of a server that is nearest to an instant, by default the newest; undefined without any. */
export async function readProcesses(
  { db, clock, samples }: ServerDeps,
  { organization, number, id }: { organization: number; number: number; id: string },
  atMs = Number.MAX_SAFE_INTEGER,
): Promise<ProcessList | undefined> {
  // Read before the table: a list that is stored between the two reads appears twice, which is harmless, and is never missed.
  const waiting = samples.pendingProcesses(id)
  const stored = await findNearestProcesses(db, organization, number, atMs, clock.now() - PROCESS_RETENTION_MS)
  return nearestOf(stored ? [...waiting, stored] : waiting, atMs)
}

/** On a tie the later one. */
function nearestOf(lists: readonly ProcessList[], atMs: number): ProcessList | undefined {
  const distance = (list: ProcessList) => Math.abs(list.atMs - atMs)
  return lists.toSorted((a, b) => distance(a) - distance(b) || b.atMs - a.atMs)[0]
}
