import { toTimestamp } from '@vedette/shared'
import { encodeId } from '../../../platform/ids.ts'
import { queryOf } from './rule-query.ts'
import { listEvaluatedRules, listOpenAlerts, type OpenAlert, type StoredRule } from './rules-store.ts'
import type { Labels, Scope } from './sources/source.ts'

/** As in the answers of Prometheus, whose names these are. */
export interface PrometheusAlert {
  labels: Labels
  annotations: Labels
  state: 'firing'
  activeAt: string
  value: string
}

export interface PrometheusRule {
  type: 'alerting'
  name: string
  query: string
  /** s. */
  duration: number
  keepFiringFor: number
  labels: Labels
  annotations: Labels
  /** What holds, but not for long enough yet, is not known: no rule is `pending`. */
  state: 'firing' | 'inactive'
  health: 'ok' | 'err'
  lastError?: string
  alerts: PrometheusAlert[]
  lastEvaluation: string
  evaluationTime: number
}

export interface PrometheusRuleGroup {
  name: string
  file: string
  /** s. */
  interval: number
  limit: number
  rules: PrometheusRule[]
  lastEvaluation: string
  evaluationTime: number
}

/** The rules that are evaluated, with those of SLOs, and their open incidents. */
export async function readRules({ from, organization, nowMs }: Scope): Promise<{ groups: PrometheusRuleGroup[] }> {
  const rules = await listEvaluatedRules(from.db, organization)
  return { groups: [toGroup(rules, await listOpenAlerts(from.db, organization), nowMs)] }
}

/** The open incidents of the same rules. */
export async function readAlerts(scope: Scope): Promise<{ alerts: PrometheusAlert[] }> {
  const { groups } = await readRules(scope)
  return { alerts: groups.flatMap(({ rules }) => rules.flatMap(({ alerts }) => alerts)) }
}

/** Rules on samples are evaluated with each push, those of SLOs in this time. */
const INTERVAL_SECONDS = 30

/** All in one group. Pure. */
export function toGroup(rules: readonly StoredRule[], open: readonly OpenAlert[], nowMs: number): PrometheusRuleGroup {
  const byRule = Map.groupBy(open, ({ ruleId }) => ruleId)
  const evaluated = { lastEvaluation: toTimestamp(nowMs), evaluationTime: 0 }
  return {
    name: 'vedette',
    file: '',
    interval: INTERVAL_SECONDS,
    limit: 0,
    rules: rules.map((rule) => {
      const alerts = (byRule.get(rule.id) ?? []).map((alert) => toAlert(rule, alert))
      const { query, durationSeconds } = queryOf(rule)
      return {
        type: 'alerting',
        name: rule.name,
        query,
        duration: durationSeconds,
        keepFiringFor: 0,
        labels: { severity: rule.severity },
        annotations: { rule_id: encodeId('alertRule', rule.id) },
        state: alerts.length > 0 ? 'firing' : 'inactive',
        ...(rule.lastError === null ? { health: 'ok' } : { health: 'err', lastError: rule.lastError }),
        alerts,
        ...evaluated,
      }
    }),
    ...evaluated,
  }
}

function toAlert({ name, metric }: StoredRule, alert: OpenAlert): PrometheusAlert {
  const { id, targetType, targetId, targetName, severity, summary, openedAtMs, evidence } = alert
  const annotations = { summary, incident_id: encodeId('incident', id) }
  const value = toExponent([evidence[metric], evidence['value']].find((one) => typeof one === 'number') ?? 1)
  const firing = { annotations, state: 'firing', activeAt: toTimestamp(openedAtMs), value } as const
  const labels = evidence['labels']
  // Prometheus puts its own in place of those of the series.
  if (isLabels(labels)) return { labels: { ...withoutName(labels), alertname: name, severity }, ...firing }
  // By the labels of the series of its target.
  const instance = targetType === 'slo' ? 'slo' : 'instance'
  return {
    labels: { alertname: name, severity, [instance]: targetName, [`${targetType}_id`]: encodeId(targetType, targetId) },
    ...firing,
  }
}

const isLabels = (labels: unknown): labels is Labels => typeof labels === 'object' && labels !== null
const withoutName = ({ __name__: _name, ...labels }: Labels): Labels => labels

/** `1.5e+00`, as Go writes it. */
const toExponent = (value: unknown): string =>
  Number(value)
    .toExponential()
    .replace(/e([+-])(\d)$/, 'e$10$2')
