import type { AuditList, AuditQuery } from '@vedette/shared'
import type { Db } from '../platform/db/index.ts'
import { invalid } from '../platform/errors.ts'
import { instantAt } from '../platform/time/instant.ts'
import * as store from './store.ts'
import { parseActor, toAuditEvent } from './wire.ts'

/** One page of audit events of the organization, newest first. Throws validation_error for an impossible filter. */
export async function listAuditEvents(db: Db, organization: number, query: AuditQuery): Promise<AuditList> {
  const { page = 1, limit = 20 } = query
  const filter = { ...parseLogFilter(query), action: query.action }
  const { total, rows } = await store.listAuditEvents(db, organization, filter, { limit, offset: (page - 1) * limit })
  return { audit_events: rows.map(toAuditEvent), total, page, limit }
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
