import type { Family } from './format.ts'

const gauge = (name: string, help: string): Family => ({ name, type: 'gauge', help })

export const MONITOR_FAMILIES = {
  info: { name: 'vedette_monitor_info', type: 'info', help: 'What a monitor is; tags are between commas.' },
  status: gauge('vedette_monitor_status', 'Always 1; the label is the status of the monitor over all regions.'),
  success: gauge('probe_success', 'Whether the newest check passed; a degraded one did.'),
  degraded: gauge('vedette_check_degraded', 'Whether the newest check was degraded.'),
  checkedAt: gauge('vedette_check_timestamp_seconds', 'Unix time of the newest check.'),
  duration: gauge('probe_duration_seconds', 'Duration of the newest check.'),
  lookup: gauge('probe_dns_lookup_time_seconds', 'Time to resolve the name of the target.'),
  httpPhase: gauge('probe_http_duration_seconds', 'Duration of each phase of an HTTP check, over all redirects.'),
  phase: gauge('vedette_check_phase_seconds', 'Duration of each phase of a check that is not HTTP.'),
  httpStatus: gauge('probe_http_status_code', 'Status of the last response.'),
  certificate: gauge('probe_ssl_earliest_cert_expiry', 'Unix time at which the certificate of the target expires.'),
  ipProtocol: gauge('probe_ip_protocol', 'Whether the target was reached by IPv4 or IPv6: 4 or 6.'),
  fact: gauge('vedette_check_fact', 'What a kind of check reports in addition, by name.'),
} as const satisfies Record<string, Family>

/** Conclusive checks of an hour or a day, added up. */
export interface CheckSums {
  checks: number
  failed: number
  degraded: number
  /** With a response. */
  answered: number
  responseSumUs: number
}

/** A column of a stored check, as a number. */
export type CheckColumn =
  | 'at'
  | 'outcome'
  | 'http_status'
  | 'response_us'
  | 'dns_us'
  | 'connect_us'
  | 'tls_us'
  | 'first_byte_us'
  | 'transfer_us'
  | 'ip_protocol'
  | 'certificate_expires_at'

/** What a check says, and by which name. Facts are apart: their names are those of the kinds of checks. */
export interface CheckFigure {
  family: Family
  labels: Readonly<Record<string, string>>
  /** Whether monitors of this type have it. */
  isOf(type: string): boolean
  column: CheckColumn
  /** Null: the check does not say it. */
  valueOf(stored: number): number | null
  /** What stands for the checks of a time of which the sums alone are read; null: nothing does. */
  meanOf?(sums: CheckSums): number | null
}

/** Our phases by the names of blackbox_exporter. */
const HTTP_PHASES = [
  ['resolve', 'dns_us'],
  ['connect', 'connect_us'],
  ['tls', 'tls_us'],
  ['processing', 'first_byte_us'],
  ['transfer', 'transfer_us'],
] as const

const isHttp = (type: string): boolean => type === 'http'
const usToSeconds = (us: number): number => us / 1e6
const msToSeconds = (ms: number): number => ms / 1_000
/** By the code of the outcome: up, degraded, down. Whether an inconclusive check would have passed is unknown. */
const PASSED = [1, 1, 0] as const
const DEGRADED = [0, 1, 0] as const

const all = (
  family: Family,
  column: CheckColumn,
  valueOf: CheckFigure['valueOf'],
  meanOf?: CheckFigure['meanOf'],
): CheckFigure => ({
  family,
  labels: {},
  isOf: () => true,
  column,
  valueOf,
  ...(meanOf && { meanOf }),
})

const F = MONITOR_FAMILIES
export const CHECK_FIGURES: readonly CheckFigure[] = [
  all(F.checkedAt, 'at', msToSeconds),
  all(
    F.success,
    'outcome',
    (code) => PASSED[code] ?? null,
    ({ checks, failed }) => (checks === 0 ? null : (checks - failed) / checks),
  ),
  all(
    F.degraded,
    'outcome',
    (code) => DEGRADED[code] ?? null,
    ({ checks, degraded }) => (checks === 0 ? null : degraded / checks),
  ),
  all(F.duration, 'response_us', usToSeconds, ({ answered, responseSumUs }) =>
    answered === 0 ? null : usToSeconds(responseSumUs / answered),
  ),
  all(F.lookup, 'dns_us', usToSeconds),
  ...HTTP_PHASES.flatMap(([phase, column]): CheckFigure[] => [
    { family: F.httpPhase, labels: { phase }, isOf: isHttp, column, valueOf: usToSeconds },
    { family: F.phase, labels: { phase }, isOf: (type) => !isHttp(type), column, valueOf: usToSeconds },
  ]),
  { ...all(F.httpStatus, 'http_status', (status) => status), isOf: isHttp },
  all(F.certificate, 'certificate_expires_at', msToSeconds),
  all(F.ipProtocol, 'ip_protocol', (version) => version),
]

/** A check that is older than so many of its intervals, and the grace, states nothing of the present. */
export const INTERVALS = 3
export const GRACE_MS = 60_000

/** How long a check states something. */
export const checkLookbackMs = (intervalSeconds: number): number => INTERVALS * intervalSeconds * 1_000 + GRACE_MS

export const listOfTags = (tags: readonly string[]): string => (tags.length === 0 ? '' : `,${tags.join(',')},`)
