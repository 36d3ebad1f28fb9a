import { entityMetric, healthMetric, SOURCE_METRIC } from '@vedette/shared'
import { HEALTH_DECLARATIONS } from '../../../hosts/health/index.ts'
import type { TableRow } from '../../../platform/db/index.ts'

/** What a rule evaluates. */
export type RuleSubject = Pick<TableRow<'alert_rule'>, 'metric' | 'operator' | 'mount' | 'entity_name' | 'expression'>

/** The parts of the evidence of an incident that name what it is about. Incidents of earlier versions lack some. */
export interface SubjectEvidence {
  mount?: string | null | undefined
  findings?: readonly { entity_id?: string | null; field?: string | null }[] | null | undefined
  entities?: readonly { entity_id?: string | null }[] | null | undefined
  labels?: Readonly<Record<string, string>> | null | undefined
}

/** The metric that says the same as a finding about the host as a whole. */
const SAYS: ReadonlyMap<string, string> = new Map(HEALTH_DECLARATIONS.flatMap(({ code, says }) => (says ? [[code, says]] : [])))
const SAID: ReadonlySet<string> = new Set(SAYS.values())

/** Findings whose `field` is a filesystem. */
const OF_FILESYSTEMS: ReadonlySet<string> = new Set(
  HEALTH_DECLARATIONS.flatMap(({ code, kind }) => (kind === 'filesystem' ? [code] : [])),
)

/** In the order of the labels, whose texts JSON keeps apart. */
const seriesKey = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))

/** A forecast says the same as the percentage that it is about. */
const measured = (metric: string): string => metric.replace(/\.days_until_full$/, '.percent')

/**
 * What an incident is about: two incidents of one target that share one of these say the same. Rules with one condition do, and whatever
 * is about one filesystem, one entity or the memory of the host. A rule on a field of entities shares what is found by this field
 * only: a busy container is no container that has ended. Pure.
 */
export function subjectsOf(rule: RuleSubject, { mount, findings, entities, labels }: SubjectEvidence = {}): string[] {
  const { metric, operator, mount: ofMount, entity_name: name, expression } = rule
  // Each alert of a sender is a thing of its own; what it groups by is said with it.
  if (metric === SOURCE_METRIC) return []
  // Each series of an expression is a thing of its own.
  if (expression !== null) return [JSON.stringify([expression, seriesKey(labels ?? {})])]
  const code = healthMetric(metric)
  const same = code ? SAYS.get(code) : measured(metric)
  const own = [JSON.stringify([metric, operator, ofMount, name]), ...(same !== undefined && SAID.has(same) ? [same] : [])]
  if (code && OF_FILESYSTEMS.has(code)) return [...own, ...(findings ?? []).map(({ field }) => `filesystem ${field ?? ''}`)]
  if (code) return [...own, ...(findings ?? []).flatMap(({ entity_id: id, field }) => (id ? [id, `${id} ${field ?? ''}`] : []))]
  if (metric.startsWith('filesystem.')) return [...own, `filesystem ${mount ?? ofMount ?? ''}`]
  const field = entityMetric(metric)?.field
  return [...own, ...(entities ?? []).flatMap(({ entity_id: id }) => (id && field ? [`${id} ${field}`] : []))]
}

export const saysTheSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.some((subject) => other.includes(subject))
