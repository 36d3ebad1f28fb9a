import { type AuditList, type AuditQuery, DAY_MS, HOUR_MS } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import { invalid } from '../../platform/errors.ts'
import { instantAt } from '../../platform/time/instant.ts'
import { AUDIT_EVENTS } from './partitions.ts'
import * as store from './store.ts'
import { parseActor, parseAnyId, toAuditEvent } from './wire.ts'

/** One page of audit events of the organization, newest first. Throws validation_error for an impossible filter. */
export async function listAuditEvents(db: Db, organization: number, query: AuditQuery): Promise<AuditList> {
  const { page = 1, limit = 20 } = query
  const search = query.q === undefined ? undefined : { text: query.q, id: parseAnyId(query.q) ?? null }
  const filter = { ...parseLogFilter(query), action: query.action, search }
  const { total, rows } = await store.listAuditEvents(db, organization, filter, { limit, offset: (page - 1) * limit })
  const names = await store.findTargetNames(db, organization, rows)
  return { audit_events: rows.map((row) => toAuditEvent(row, names)), total, page, limit }
}

/** The filters that both logs have. Throws validation_error for an impossible one. */
export function parseLogFilter(query: Pick<AuditQuery, 'from' | 'to' | 'actor'>): store.LogFilter {
  const from = query.from === undefined ? undefined : instantAt('from', query.from)
  const to = query.to === undefined ? undefined : instantAt('to', query.to)
  if (from && to && from > to) throw invalid({ path: 'to', message: 'must not be before from' })
  const actor = query.actor === undefined ? undefined : parseActor(query.actor)
  if (query.actor !== undefined && !actor) throw invalid({ path: 'actor', message: 'must be the id of an actor, or system' })
  return { from, to, actor }
}

/** After this a transaction that began on the day before has ended. */
const SETTLED_MS = HOUR_MS

/** Counts the events of ended days. Several instances may run it at once. Run it every hour. */
export async function countAuditDays(db: Db, nowMs: number): Promise<void> {
  await store.countDays(db, new Date(nowMs - SETTLED_MS))
  await store.deleteOldDays(db, new Date(nowMs - AUDIT_EVENTS.retentionMs - 31 * DAY_MS))
}
