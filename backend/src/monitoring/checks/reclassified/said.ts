import { type Reclassification, toTimestamp } from '@vedette/shared'
import { toActor } from '../../../access/audit/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import type { Span } from '../../../platform/time/spans.ts'
import type { Reclassified } from './exclusions.ts'
import { listSaid, type SaidRow } from './said-store.ts'

export const toReclassification = (row: SaidRow): Reclassification => ({
  id: encodeId('reclassification', row.id),
  monitor_id: encodeId('monitor', row.monitor_id),
  from: toTimestamp(row.from_at.getTime()),
  to: toTimestamp(row.to_at.getTime()),
  as: row.counts_as,
  comment: row.comment,
  created_by: toActor(row.actor_kind, {
    actor_id: row.actor_id,
    actor_name: row.person?.name ?? null,
    actor_email: row.person?.email ?? null,
  }),
  created_at: toTimestamp(row.created_at.getTime()),
})

/** What an answer over a window says of them; nothing, without a statement, where none is in it. */
export async function readSaid(
  db: Db,
  organization: number,
  reclassified: readonly Reclassified[],
  window: Span,
): Promise<{ reclassified?: Reclassification[] }> {
  const ids = reclassified.filter(({ fromMs, toMs }) => fromMs < window.toMs && toMs > window.fromMs).map(({ id }) => id)
  if (ids.length === 0) return {}
  return { reclassified: (await listSaid(db, organization, ids)).map(toReclassification) }
}
