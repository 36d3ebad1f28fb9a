import { type AlertRulePreview, type PreviewIncident, toTimestamp } from '@vedette/shared'
import { invalid } from '../../../platform/errors.ts'
import { encodeId } from '../../../platform/ids.ts'
import { PromqlError } from '../../../querying/promql/index.ts'
import { type QuerySeries, type QueriedSeries, seriesId } from '../series/answer.ts'
import { previewSeries, stepOf } from '../series/preview-series.ts'
import { findTargets } from '../series/subjects.ts'
import type { RuleColumns } from '../rules/rule.ts'
import type { Db } from '../../../platform/db/index.ts'

/** Series of the whole period, most of which may be in few of its answers. */
const MAX_SERIES = 1_000
const MAX_INCIDENTS = 500

interface SeriesPreviewDeps {
  db: Db
  querySeries: QuerySeries
  /** Aborted when nobody waits for the answer any more. */
  ending: AbortSignal
}

/** Of a rule on an expression. Throws validation_error where it cannot be evaluated over that time. */
export async function previewExpression(
  { db, querySeries, ending }: SeriesPreviewDeps,
  organization: number,
  rule: RuleColumns,
  { nowMs, spanMs }: { nowMs: number; spanMs: number },
): Promise<AlertRulePreview> {
  const stepMs = stepOf(rule.every_seconds ?? 1, spanMs)
  const endMs = Math.floor(nowMs / stepMs) * stepMs
  const window = { startMs: endMs - Math.floor(spanMs / stepMs) * stepMs, endMs, stepMs }
  const query = { expression: rule.expression ?? '', ...window, limit: MAX_SERIES + 1 }
  const answer = await querySeries(organization, query, ending).catch((error: unknown): QueriedSeries[] => {
    if (!(error instanceof PromqlError)) throw error
    throw invalid({ path: 'condition.expression', message: `cannot be evaluated over seven days: ${error.message}` })
  })
  const series = answer.slice(0, MAX_SERIES)
  const all = previewSeries(rule, series, window).toSorted((one, other) => other.openedAtMs - one.openedAtMs)
  const shown = all.slice(0, MAX_INCIDENTS)
  const firing = shown.map(({ labels }) => ({ id: seriesId(labels), labels, value: 1 }))
  const targets = await findTargets(db, organization, rule.name, firing)
  return {
    from: toTimestamp(window.startMs),
    to: toTimestamp(endMs),
    step_seconds: stepMs / 1_000,
    targets: series.length,
    has_more_targets: answer.length > MAX_SERIES,
    would_open: all.length,
    incidents: shown.flatMap(({ labels, openedAtMs, resolvedAtMs }): PreviewIncident[] => {
      const target = targets.get(seriesId(labels))
      if (!target) return []
      return [
        {
          target: { type: target.type, id: encodeId(target.type, target.id), name: target.name },
          opened_at: toTimestamp(openedAtMs),
          resolved_at: resolvedAtMs === null ? null : toTimestamp(resolvedAtMs),
        },
      ]
    }),
  }
}
