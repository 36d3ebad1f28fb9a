import { entityMetric, healthMetric } from '@vedette/shared'
import type { TableRow } from '../../../platform/db/index.ts'

/** What a rule evaluates. */
export type RuleSubject = Pick<TableRow<'alert_rule'>, 'metric' | 'operator' | 'mount' | 'entity_name'>

/** The parts of the evidence of an incident that name what it is about. Incidents of earlier versions lack some. */
export interface SubjectEvidence {
  mount?: string | null | undefined
  findings?: readonly { entity_id?: string | null; field?: string | null }[] | null | undefined
  entities?: readonly { entity_id?: string | null }[] | null | undefined
}

/** What metrics of a host say, where a finding or another metric says the same. */
const SAME: Readonly<Record<string, string>> = {
  'memory.percent': 'memory',
  'memory.days_until_full': 'memory',
  'health.pressure': 'memory',
  'host.failed_units': 'failed units',
  'health.unit_failed': 'failed units',
  'host.reboot_required': 'restart',
  'health.reboot_required': 'restart',
}

/** Findings whose `field` is a filesystem. */
const OF_FILESYSTEMS: ReadonlySet<string> = new Set(['filesystem_full', 'inodes_full', 'fills_soon'])

/**
 * What an incident is about: two incidents of one target that share one of these say the same. Rules with one condition do, and whatever
 * is about one filesystem, one entity or the memory of the host. A rule on a field of entities shares what is found by this field
 * only: a busy container is no container that has ended. Pure.
 */
export function subjectsOf(rule: RuleSubject, { mount, findings, entities }: SubjectEvidence = {}): string[] {
  const { metric, operator, mount: ofMount, entity_name: name } = rule
  const same = SAME[metric]
  const own = [JSON.stringify([metric, operator, ofMount, name]), ...(same === undefined ? [] : [same])]
  const code = healthMetric(metric)
  if (code && OF_FILESYSTEMS.has(code)) return [...own, ...(findings ?? []).map(({ field }) => `filesystem ${field ?? ''}`)]
  if (code) return [...own, ...(findings ?? []).flatMap(({ entity_id: id, field }) => (id ? [id, `${id} ${field ?? ''}`] : []))]
  if (metric.startsWith('filesystem.')) return [...own, `filesystem ${mount ?? ofMount ?? ''}`]
  const field = entityMetric(metric)?.field
  return [...own, ...(entities ?? []).flatMap(({ entity_id: id }) => (id && field ? [`${id} ${field}`] : []))]
}

export const saysTheSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.some((subject) => other.includes(subject))
