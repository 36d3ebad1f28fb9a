import type { Severity } from '../alerting/alert-types.ts'

// This file needs no schema library, so that the page can load it alone.

/** What the health of a host may find, worst first. Codes are stable; `name` is that of its default rule. */
export const HEALTH_FINDINGS = {
  disk_failing: { severity: 'critical', name: 'Disk failing' },
  array_degraded: { severity: 'critical', name: 'Array degraded' },
  pool_degraded: { severity: 'critical', name: 'Pool degraded' },
  filesystem_full: { severity: 'critical', name: 'Filesystem full' },
  inodes_full: { severity: 'critical', name: 'Inodes used up' },
  memory_errors: { severity: 'critical', name: 'Memory errors' },
  temperature_critical: { severity: 'critical', name: 'Temperature critical' },
  battery_low: { severity: 'critical', name: 'UPS battery low' },
  ups_on_battery: { severity: 'warning', name: 'UPS on battery' },
  unit_failed: { severity: 'warning', name: 'Unit failed' },
  container_oom: { severity: 'warning', name: 'Container out of memory' },
  container_unhealthy: { severity: 'warning', name: 'Container unhealthy' },
  container_restarting: { severity: 'warning', name: 'Container restarting' },
  container_exited: { severity: 'warning', name: 'Container exited' },
  fills_soon: { severity: 'warning', name: 'Filesystem full soon' },
  disk_worn: { severity: 'warning', name: 'Disk worn' },
  pressure: { severity: 'warning', name: 'Memory pressure' },
  kernel_limit: { severity: 'warning', name: 'Kernel limit' },
  clock_off: { severity: 'warning', name: 'Clock off' },
  samples_dropped: { severity: 'warning', name: 'Samples dropped' },
  security_updates: { severity: 'info', name: 'Security updates pending' },
  reboot_required: { severity: 'info', name: 'Restart required' },
} as const satisfies Record<string, { severity: Severity; name: string }>

export type HealthCode = keyof typeof HEALTH_FINDINGS
export const HEALTH_CODES = Object.keys(HEALTH_FINDINGS) as HealthCode[]

/** Best first: the index of a status is how bad it is. */
export const HEALTH_STATUSES = ['ok', 'info', 'warning', 'critical'] as const
export type HealthStatus = (typeof HEALTH_STATUSES)[number]

const PREFIX = 'health.'

/** The finding that a metric of a rule is about; undefined for another metric. */
export function healthMetric(metric: string): HealthCode | undefined {
  const code = metric.startsWith(PREFIX) ? metric.slice(PREFIX.length) : ''
  return Object.hasOwn(HEALTH_FINDINGS, code) ? (code as HealthCode) : undefined
}

export const healthMetricOf = (code: HealthCode): string => PREFIX + code
