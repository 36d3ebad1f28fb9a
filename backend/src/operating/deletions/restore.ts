import type { IdKind } from '@vedette/shared'
import { type Actor, auditEntry, recordAudit } from '../../access/audit/index.ts'
import { type Principal, restorableSince, tenantOf } from '../../access/auth/index.ts'
import { refuseOverBound } from '../../access/plans/index.ts'
import type { Db, DeletedResources, RestorableTable } from '../../platform/db/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { giveBackReferences } from '../references/index.ts'

const KINDS: Readonly<Record<RestorableTable, IdKind>> = {
  alert_rule: 'alertRule',
  alert_source: 'alertSource',
  channel: 'channel',
  escalation_policy: 'escalationPolicy',
  identity_provider: 'identityProvider',
  maintenance_window: 'maintenanceWindow',
  schedule: 'schedule',
  slo: 'slo',
  status_page: 'statusPage',
}

/**
 * Brings a deleted resource back, to where others named it too. `bringBack`: what comes back with it; it throws conflict for what
 * contradicts. Changes nothing of one that is not deleted, or was deleted too long ago. Run it in a transaction. Throws conflict over
 * the bound.
 */
export async function restoreDeleted<Row extends { name: string }>(
  { db, clock }: { db: Db; clock: Clock },
  actor: Actor<Principal>,
  id: string,
  { table, lock, unmark }: DeletedResources<Row>,
  bringBack: (row: Row, at: Date) => Promise<void> = async () => {},
): Promise<void> {
  const { number } = tenantOf(actor.principal)
  const at = new Date(clock.now())
  const row = await lock(db, number, id, restorableSince(at.getTime()))
  if (!row) return
  await refuseOverBound(db, number, table)
  await unmark(db, number, id, at)
  await bringBack(row, at)
  if (row.deleted_references) await giveBackReferences(db, number, table, id, row.deleted_references)
  await recordAudit(db, number, actor, auditEntry(`${table}.restored`, KINDS[table], id, { name: row.name }), at)
}
