import { DAY_MS, type SecurityEventList, type SecurityEventQuery } from '@vedette/shared'
import { parseLogFilter } from '../audit/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { type ExportedRow, type ExportFilter, readSecurityEventsAfter } from './export-store.ts'
import { deleteOriginsBefore } from './origin-store.ts'
import * as store from './store.ts'
import { type InstallationSecurityEvent, toInstallationEvent, toSecurityEvent } from './wire.ts'

const RETENTION_MS = 400 * DAY_MS

/**
 * One page of security events, newest first: of the organization and its members, or without one of the installation. Throws
 * validation_error for an impossible filter.
 */
export async function listSecurityEvents(
  db: Db,
  organization: number | undefined,
  query: SecurityEventQuery,
): Promise<SecurityEventList> {
  const { page = 1, limit = 20 } = query
  const filter = { ...parseLogFilter(query), type: query.type }
  const { total, rows } = await store.listSecurityEvents(db, organization, filter, { page, limit })
  return { security_events: rows.map(toSecurityEvent), total, page, limit }
}

/** Deletes events and remembered networks that are older than 400 days. */
export async function deleteOldSecurityEvents(db: Db, nowMs: number): Promise<void> {
  const before = new Date(nowMs - RETENTION_MS)
  await store.deleteSecurityEventsBefore(db, before)
  await deleteOriginsBefore(db, before)
}

const READ_AT_ONCE = 1_000

/** All events of the installation in the window, oldest first, page by page. */
export async function* readInstallationEvents(db: Db, filter: ExportFilter): AsyncGenerator<InstallationSecurityEvent[]> {
  let last: ExportedRow | undefined
  for (;;) {
    const rows = await readSecurityEventsAfter(db, filter, last, READ_AT_ONCE)
    yield rows.map(toInstallationEvent)
    last = rows.at(-1)
    if (rows.length < READ_AT_ONCE) return
  }
}
