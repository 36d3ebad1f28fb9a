import type { HealthFinding, IncidentItem, ServerHealth } from '@vedette/shared'

/** Whether somebody should act on it. */
export const isProblem = ({ severity }: Pick<HealthFinding, 'severity'>): boolean => severity !== 'info'

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
