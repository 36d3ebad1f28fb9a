import { type Overview, toTimestamp } from '@vedette/shared'
import { readOpenIncidents } from '../alerts/index.ts'
import { listAuditEvents } from '../audit/index.ts'
import { allows, type Principal, tenantOf } from '../auth/index.ts'
import { audibleTo, listNewestEvents } from '../events/index.ts'
import { readMonitorOverview } from '../monitors/index.ts'
import { readServerOverview, type ServerOverviewDeps } from '../servers/index.ts'

export interface OverviewDeps extends ServerOverviewDeps {
  /** The version that agents should be of. */
  newestAgent(): string
}

/** Of each list so many at most. */
const SHOWN = 20
const CHANGES_SHOWN = 50
const DAY_MS = 86_400_000

/** What is wrong now and what changed in the last 24 hours, as far as the caller may read it: six statements, none for each thing. */
export async function readOverview(deps: OverviewDeps, principal: Principal): Promise<Overview> {
  const { db, clock } = deps
  const { number } = tenantOf(principal)
  const nowMs = clock.now()
  const from = toTimestamp(nowMs - DAY_MS)
  const [monitors, servers, incidents, changes, audit] = await Promise.all([
    readMonitorOverview(db, number, SHOWN),
    readServerOverview(deps, number, deps.newestAgent(), SHOWN),
    readOpenIncidents(db, number, SHOWN),
    listNewestEvents(db, number, audibleTo(principal), nowMs - DAY_MS, CHANGES_SHOWN),
    allows(principal, 'audit:read') ? listAuditEvents(db, number, { from, limit: SHOWN }) : undefined,
  ])
  return {
    at: toTimestamp(nowMs),
    ...monitors,
    ...servers,
    open_incidents: incidents,
    changes,
    audit_events: audit?.audit_events ?? null,
  }
}
