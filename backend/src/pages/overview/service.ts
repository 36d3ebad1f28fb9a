import { DAY_MS, MAX_STATES, type Overview, type States, toTimestamp } from '@vedette/shared'
import { readLastExport } from '../../operating/archive/index.ts'
import { readOpenIncidents } from '../../alerting/incidents/index.ts'
import { listAuditEvents } from '../../access/audit/index.ts'
import { allows, type Principal, tenantOf } from '../../access/auth/index.ts'
import { listNewestEvents } from '../../notifying/event-stream/index.ts'
import { readMonitorOverview, readMonitorStates } from '../../monitoring/monitors/index.ts'
import { readServerOverview, readServerStates, type ServerOverviewDeps } from '../../hosts/servers/index.ts'

export interface OverviewDeps extends ServerOverviewDeps {
  /** The version that agents should have. */
  newestAgent(): string
}

/** Length of the lists. */
const SHOWN = 20
const CHANGES_SHOWN = 50

/** Active problems and the changes of the last 24 hours, as far as the caller may read them, with at most seven statements. */
export async function readOverview(deps: OverviewDeps, principal: Principal): Promise<Overview> {
  const { db, clock } = deps
  const { number } = tenantOf(principal)
  const nowMs = clock.now()
  const from = toTimestamp(nowMs - DAY_MS)
  const [monitors, servers, incidents, changes, audit, exported] = await Promise.all([
    readMonitorOverview(db, number, SHOWN),
    readServerOverview(deps, number, deps.newestAgent(), SHOWN),
    readOpenIncidents(db, number, SHOWN),
    listNewestEvents(db, principal, nowMs - DAY_MS, CHANGES_SHOWN),
    allows(principal, 'audit:read') ? listAuditEvents(db, number, { from, limit: SHOWN }) : undefined,
    allows(principal, 'integrations:manage') ? readLastExport(db) : undefined,
  ])
  return {
    at: toTimestamp(nowMs),
    ...monitors,
    ...servers,
    open_incidents: incidents,
    changes,
    audit_events: audit?.audit_events ?? null,
    last_export_at: exported ? toTimestamp(exported.getTime()) : null,
  }
}

/** The status of everything that the organization watches, with two statements. */
export async function readStates(deps: OverviewDeps, principal: Principal): Promise<States> {
  const { number } = tenantOf(principal)
  const [monitors, servers] = await Promise.all([
    readMonitorStates(deps.db, number, MAX_STATES),
    readServerStates(deps, number, MAX_STATES),
  ])
  return { at: toTimestamp(deps.clock.now()), ...monitors, ...servers }
}
