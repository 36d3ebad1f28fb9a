import {
  type AlertRule,
  type Check,
  type CheckErrorCode,
  type Dependency,
  OUTCOMES,
  type MonitorDetails,
  type MonitorItem,
  toTimestamp,
  type Transition,
} from '@vedette/shared'
import {
  avgResponseMs,
  type CheckRow,
  type Counts,
  type StatusRow,
  toMs,
  type TransitionRow,
  uptimePercent,
} from '../checks/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { withoutCheckFields } from './composite-fields.ts'
import { type Definition, httpFields } from './definition.ts'
import type { MonitorItemRow } from './list-store.ts'
import type { MonitorRow } from './store.ts'

/** Statistics of a monitor's checks. */
export interface Figures {
  /** Over seven days. */
  counts: Counts
  lastCheckedAtMs: number | null
  certificateExpiresAtMs: number | null
}

const timestampOrNull = (ms: number | null) => (ms === null ? null : toTimestamp(ms))

/** With the extras of a list. */
export const certificateOf = ({ certificateExpiresAtMs }: Figures): Pick<MonitorItem, 'certificate_expires_at'> => ({
  certificate_expires_at: timestampOrNull(certificateExpiresAtMs),
})

export const toMonitorItem = (row: MonitorItemRow, figures: Figures): MonitorItem =>
  withoutCheckFields({
    id: encodeId('monitor', row.id),
    name: row.name,
    type: row.type,
    url: row.url,
    ...(row.method === null ? {} : { method: row.method }),
    interval: row.interval_seconds,
    status: row.status,
    flapping: row.flapping_since !== null,
    regions: row.regions,
    tags: row.tags,
    uptime_7d: uptimePercent(figures.counts),
    avg_response_ms: avgResponseMs(figures.counts),
    last_checked_at: timestampOrNull(figures.lastCheckedAtMs),
    created_at: toTimestamp(row.created_at.getTime()),
  })

export interface DetailParts {
  definition: Definition
  status: Pick<StatusRow, 'status' | 'since' | 'flapping_since'>
  figures: Figures
  /** Enabled rules that apply to the monitor. */
  alertRules: AlertRule[]
  /** Of a heartbeat, for callers who may change it. */
  pingUrl: string | undefined
  /** Of a heartbeat. */
  nextPing: MonitorDetails['next_ping']
  recentChecks: readonly CheckRow[]
  /** As callers read them. */
  dependsOn: Dependency[]
  options: Definition['options']
  /** Outside of its active hours. */
  idle: { reason: string; untilMs: number } | undefined
  /** Of a composite. */
  composite: MonitorDetails['composite']
}

export function toMonitorDetails(row: MonitorRow, parts: DetailParts): MonitorDetails {
  const { idle, definition, status, figures, alertRules, recentChecks, dependsOn, options, composite, pingUrl, nextPing } = parts
  return withoutCheckFields({
    ...toMonitorItem({ ...row, ...status }, figures),
    timeout: definition.timeout,
    ...httpFields(definition),
    options,
    credentials: definition.credentials,
    ...(pingUrl !== undefined && { ping_url: pingUrl }),
    ...(nextPing !== undefined && { next_ping: nextPing }),
    ...(composite !== undefined && { composite }),
    assertions: definition.assertions,
    server_id: definition.server_id && encodeId('server', definition.server_id),
    depends_on: dependsOn,
    active_hours: row.active_hours,
    description: row.description,
    runbook_url: row.runbook_url,
    responsible: row.responsible,
    links: row.links,
    confirmations: definition.confirmations,
    managed: row.managed,
    ...(idle && { reason: idle.reason, active_at: toTimestamp(idle.untilMs) }),
    updated_at: toTimestamp(row.updated_at.getTime()),
    status_since: toTimestamp(status.since.getTime()),
    certificate_expires_at: timestampOrNull(figures.certificateExpiresAtMs),
    alert_rules: alertRules,
    recent_checks: recentChecks.map(toCheck),
  })
}

const msOrNull = (us: number | null) => (us === null ? null : toMs(us))

export function toCheck(row: CheckRow): Check {
  return {
    checked_at: toTimestamp(row.at),
    region: row.region,
    outcome: OUTCOMES[row.outcome] as Check['outcome'],
    status_code: row.status_code,
    response_ms: msOrNull(row.response_us),
    dns_ms: msOrNull(row.dns_us),
    connect_ms: msOrNull(row.connect_us),
    tls_ms: msOrNull(row.tls_us),
    first_byte_ms: msOrNull(row.first_byte_us),
    transfer_ms: msOrNull(row.transfer_us),
    error: row.error_code === null ? null : { code: row.error_code as CheckErrorCode, message: row.error_message ?? '' },
    address: row.address,
    facts: row.facts ?? {},
  }
}

export function toTransition(row: TransitionRow): Transition {
  const { from_status, to_status, reason } = row
  return { at: toTimestamp(row.at.getTime()), from_status, to_status, reason }
}
