import type { EntityMetrics, EntityMetricsQuery } from '@vedette/shared'
import type { Tenant } from '../../../access/auth/index.ts'
import { alignWindow, chooseStep, resolveWindow } from '../../metrics/index.ts'
import { findPlan } from '../../../access/plans/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { Series, Summary } from './figures.ts'
import { readHistory } from './history.ts'
import { requireEntity } from './list.ts'

export interface EntityMetricsDeps {
  db: Db
  clock: Clock
  pushIntervalSeconds: number
  rawRetentionMs: number
}

/** What was read of an entity over a period. Throws not_found, validation_error for a range that makes no sense. */
export async function readEntityMetrics(
  { db, clock, pushIntervalSeconds, rawRetentionMs }: EntityMetricsDeps,
  { number: organization }: Tenant,
  { serverId, entityId }: { serverId: string; entityId: string },
  { points, ...request }: EntityMetricsQuery,
): Promise<EntityMetrics> {
  const { row, server, kind } = await requireEntity(db, organization, serverId, entityId)
  const plan = await findPlan(db, organization)
  const { window, period, finestSeconds } = resolveWindow(request, {
    plan,
    nowMs: clock.now(),
    sampleIntervalSeconds: pushIntervalSeconds,
    rawRetentionMs,
  })
  const stepMs = points === undefined ? undefined : chooseStep(window.toMs - 1 - window.fromMs, points, finestSeconds) * 1_000
  const steps = stepMs === undefined ? window : alignWindow({ fromMs: window.fromMs, toMs: window.toMs - 1 }, stepMs)
  // What an entity before it had under the same number is not its own.
  const fromMs = Math.max(Math.min(window.fromMs, steps.fromMs), row.first_seen)
  const key = { organization, server: server.number, entity: row.number, kind }
  const summary = new Summary(kind)
  const series = stepMs === undefined ? undefined : new Series(kind, { ...steps, stepMs })
  for await (const columns of readHistory(db, key, { fromMs, toMs: Math.max(window.toMs, steps.toMs) })) {
    summary.add(columns)
    series?.add(columns)
  }
  return {
    server_id: encodeId('server', server.id),
    entity_id: encodeId('entity', row.id),
    period,
    metrics: summary.figures(),
    ...(series && { series: series.figures() }),
  }
}
