import type { ReadSource } from '../../../platform/db/index.ts'
import { OUTCOMES, type Outcome } from '@vedette/shared'
import { encodeId } from '../../../platform/ids.ts'
import { Exposition, type Family, type Format, toLabels, toLine } from './format.ts'
import { listMonitors, type MonitorRow, type NewestCheckRow, readNewestChecks } from './store.ts'

export interface MonitorRequest {
  organization: number
  tags: readonly string[]
  format: Format
  nowMs: number
}

/** A check that is older than so many of its intervals, and the grace, states nothing of the present. */
const INTERVALS = 3
const GRACE_MS = 60_000

const gauge = (name: string, help: string): Family => ({ name, type: 'gauge', help })
const FAMILIES = {
  info: { name: 'vedette_monitor_info', type: 'info', help: 'What a monitor is; tags are between commas.' },
  status: gauge('vedette_monitor_status', 'Always 1; the label is the status of the monitor over all regions.'),
  success: gauge('probe_success', 'Whether the newest check passed; a degraded one did.'),
  degraded: gauge('vedette_check_degraded', 'Whether the newest check was degraded.'),
  checkedAt: gauge('vedette_check_timestamp_seconds', 'Unix time of the newest check.'),
  duration: gauge('probe_duration_seconds', 'Duration of the newest check.'),
  lookup: gauge('probe_dns_lookup_time_seconds', 'Time to resolve the name of the target.'),
  httpPhase: gauge('probe_http_duration_seconds', 'Duration of each phase of an HTTP check, over all redirects.'),
  phase: gauge('vedette_check_phase_seconds', 'Duration of each phase of a check that is not HTTP.'),
  statusCode: gauge('probe_http_status_code', 'Status of the last response.'),
  certificate: gauge('probe_ssl_earliest_cert_expiry', 'Unix time at which the certificate of the target expires.'),
  ipProtocol: gauge('probe_ip_protocol', 'Whether the target was reached by IPv4 or IPv6: 4 or 6.'),
  fact: gauge('vedette_check_fact', 'What a kind of check reports in addition, by name.'),
} satisfies Record<string, Family>

/** Our phases by the names of blackbox_exporter. */
const HTTP_PHASES = [
  ['resolve', 'dns_us'],
  ['connect', 'connect_us'],
  ['tls', 'tls_us'],
  ['processing', 'first_byte_us'],
  ['transfer', 'transfer_us'],
] as const

/** The newest check of each region of all monitors that are not paused. */
export async function readMonitorExport(
  { db }: ReadSource,
  { organization, tags, format, nowMs }: MonitorRequest,
): Promise<string> {
  const monitors = await listMonitors(db, organization, tags)
  const numbers = monitors.map(({ number }) => number)
  const checks = await readNewestChecks(db, organization, numbers, { nowMs, intervals: INTERVALS, graceMs: GRACE_MS })
  const byMonitor = Map.groupBy(checks, ({ monitor }) => monitor)
  const exposition = new Exposition()
  for (const monitor of monitors) {
    const labels = { instance: monitor.name, monitor_id: encodeId('monitor', monitor.id), type: monitor.type }
    const add = (family: Family, more: Readonly<Record<string, string>>, value: number) =>
      exposition.add([family, toLine(family, toLabels({ ...labels, ...more }), value)])
    const list = monitor.tags.length === 0 ? '' : `,${monitor.tags.join(',')},`
    add(FAMILIES.info, { url: monitor.url, tags: list }, 1)
    add(FAMILIES.status, { status: monitor.status }, 1)
    for (const check of byMonitor.get(monitor.number) ?? []) {
      const addOfRegion = (family: Family, value: number | null, more: Readonly<Record<string, string>> = {}) => {
        if (value !== null) add(family, { region: check.region, ...more }, value)
      }
      addCheck(monitor, check, addOfRegion)
    }
  }
  return exposition.toText(format)
}

function addCheck(
  { type }: MonitorRow,
  check: NewestCheckRow,
  add: (family: Family, value: number | null, more?: Readonly<Record<string, string>>) => void,
): void {
  const outcome = OUTCOMES[check.outcome] as Outcome
  add(FAMILIES.checkedAt, check.at / 1_000)
  // Whether an inconclusive check would have passed is unknown.
  if (outcome !== 'inconclusive') {
    add(FAMILIES.success, outcome === 'down' ? 0 : 1)
    add(FAMILIES.degraded, outcome === 'degraded' ? 1 : 0)
  }
  add(FAMILIES.duration, toSeconds(check.response_us))
  add(FAMILIES.lookup, toSeconds(check.dns_us))
  for (const [phase, column] of HTTP_PHASES)
    add(type === 'http' ? FAMILIES.httpPhase : FAMILIES.phase, toSeconds(check[column]), { phase })
  if (type === 'http') add(FAMILIES.statusCode, check.status_code)
  add(FAMILIES.certificate, check.certificate_expires_at === null ? null : check.certificate_expires_at / 1_000)
  if (check.address !== null) add(FAMILIES.ipProtocol, check.address.includes(':') ? 6 : 4)
  for (const [fact, value] of Object.entries(check.facts ?? {}))
    if (typeof value === 'number') add(FAMILIES.fact, value, { fact })
}

const toSeconds = (us: number | null): number | null => (us === null ? null : us / 1e6)
