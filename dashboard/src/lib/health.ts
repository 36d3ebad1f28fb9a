import type { HealthFinding, IncidentItem, ServerHealth } from '@vedette/shared'
import type { HealthCode } from '@vedette/shared/tables'
import { messages } from '../messages/index.ts'

const names: Readonly<Record<string, string>> = messages.health.codes

/** The name of a finding; a code that the page does not know is shown by its API name. */
export const findingName = (code: string): string => names[code] ?? code

/** Whether somebody should act on it. */
export const isProblem = ({ severity }: Pick<HealthFinding, 'severity'>): boolean => severity !== 'info'

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

/** The problems of a server that no open incident names: its rule is turned off, or there is none. Values change meanwhile. */
export function withoutIncident(
  serverId: string,
  { findings }: ServerHealth,
  incidents: readonly Pick<IncidentItem, 'target' | 'summary'>[],
): HealthFinding[] {
  const own = incidents.filter(({ target }) => target.id === serverId).map(({ summary }) => withoutNumbers(summary))
  return findings.filter(
    (finding) => isProblem(finding) && !own.some((summary) => summary.includes(withoutNumbers(finding.text ?? ''))),
  )
}

const withoutNumbers = (text: string): string => text.replaceAll(/\d+(?:\.\d+)?/g, '0')
