import type { HealthFinding, ServerHealth } from '@vedette/shared'
import type { HealthCode } from '@vedette/shared/tables'
import { findings } from '../messages/findings.ts'
import { isProblem } from './health.ts'

// Apart from health.ts: the overview does not need it.

const names: Readonly<Record<string, string>> = findings.codes

/** The name of a finding; a code that the page does not know is shown by its API name. */
export const findingName = (code: string): string => names[code] ?? code

type Tab = 'containers' | 'services' | 'hardware' | 'storage'

/** The tab that shows what a finding is about. */
const TABS: Readonly<Partial<Record<HealthCode, Tab>>> = {
  disk_failing: 'storage',
  disk_worn: 'storage',
  array_degraded: 'storage',
  pool_degraded: 'storage',
  filesystem_full: 'storage',
  inodes_full: 'storage',
  fills_soon: 'storage',
  unit_failed: 'services',
  security_updates: 'services',
  container_oom: 'containers',
  container_unhealthy: 'containers',
  container_restarting: 'containers',
  container_exited: 'containers',
  memory_errors: 'hardware',
  temperature_critical: 'hardware',
  battery_low: 'hardware',
  ups_on_battery: 'hardware',
  pressure: 'hardware',
  kernel_limit: 'hardware',
}

/** Undefined: the overview shows it. */
export const tabOfFinding = ({ code }: Pick<HealthFinding, 'code'>): Tab | undefined => TABS[code]

/** How many problems each tab has. */
export function countByTab({ findings }: ServerHealth): Readonly<Partial<Record<string, number>>> {
  const counts: Partial<Record<string, number>> = {}
  for (const finding of findings.filter(isProblem)) {
    const tab = tabOfFinding(finding)
    if (tab) counts[tab] = (counts[tab] ?? 0) + 1
  }
  return counts
}
