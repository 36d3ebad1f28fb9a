import {
  counted,
  type CountedLimit,
  MAX_ALERT_SOURCES,
  MAX_EXPORTS,
  MAX_MANUAL_CERTIFICATES,
  type Plan,
  type PlanLimits,
  PLANS,
} from '@vedette/shared'
import type { Actor } from '../audit/index.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type Db, inTransaction } from '../../platform/db/index.ts'
import { ApiError, conflict } from '../../platform/errors.ts'
import { recordSecurityAudit } from '../security-log/index.ts'
import * as store from './store.ts'

/**
 * Enforces a limit of the organization's plan. Run it in the inserting transaction, right before the insert: it locks the plan until
 * that transaction ends, so that the limit is exact. `count` must use the `db` that it is given. Throws plan_limit_reached with the
 * limit and its value. `known` is the plan where the request has read it.
 */
export async function refuseOverPlan(
  db: Db,
  organization: number,
  limit: CountedLimit,
  count: (db: Db) => Promise<number>,
  adding = 1,
  known?: Plan,
): Promise<void> {
  // No lock without a limit.
  if (limitOf(known ?? (await store.findPlan(db, organization)), limit) === null) return
  const plan = await store.lockPlan(db, organization)
  const allowed = limitOf(plan, limit)
  if (allowed === null || (await count(db)) + adding <= allowed) return
  throw new ApiError('plan_limit_reached', `The plan ${plan} allows ${allowed} ${limit}.`)
}

/** Enforces the shortest interval of the plan. Throws plan_limit_reached with the limit and its value. */
export function refuseShortIntervals(plan: Plan, intervals: readonly number[]): void {
  const { shortestIntervalSeconds } = PLANS[plan]
  const shortest = Math.min(...intervals)
  if (shortest >= shortestIntervalSeconds) return
  const message = counted`The plan ${plan} requires an interval of at least ${shortestIntervalSeconds} seconds (requested: ${shortest}).`
  throw new ApiError('plan_limit_reached', message)
}

const limitOf = (plan: Plan, limit: CountedLimit): number | null => (PLANS[plan] as PlanLimits)[limit]

/** Changes the plan of the organization. Nothing over the new limits is deleted; additions are refused. */
export async function setPlan(
  db: Db,
  clock: Clock,
  organization: { number: number; id: string },
  plan: Plan,
  actor: Actor,
): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const before = await store.lockPlan(transaction, organization.number)
    if (before === plan) return
    await store.updatePlan(transaction, organization.number, plan)
    const target = { kind: 'organization', id: organization.id } as const
    const entry = { action: 'organization.plan_changed', target, details: { from: before, to: plan } } as const
    await recordSecurityAudit(transaction, organization.number, actor, entry, new Date(clock.now()))
  })
}

/** What an organization may have of each on every plan. */
const BOUNDS = {
  // Fifty a day for as long as they are kept.
  annotation: { max: 20_000, noun: 'annotations', remedy: 'Wait until old ones are deleted' },
  alert_rule: { max: 1_000, noun: 'alert rules', remedy: 'Delete one' },
  alert_source: { max: MAX_ALERT_SOURCES, noun: 'alert sources', remedy: 'Delete one' },
  api_key: { max: 1_000, noun: 'API keys that are not revoked', remedy: 'Revoke one' },
  certificate: { max: MAX_MANUAL_CERTIFICATES, noun: 'certificates by hand', remedy: 'Delete one' },
  channel: { max: 1_000, noun: 'channels', remedy: 'Delete one' },
  escalation_policy: { max: 1_000, noun: 'escalation policies', remedy: 'Delete one' },
  identity_provider: { max: 20, noun: 'identity providers', remedy: 'Delete one' },
  metric_export: { max: MAX_EXPORTS, noun: 'exports', remedy: 'Delete one' },
  schedule: { max: 2_000, noun: 'schedules', remedy: 'Delete one' },
  slo: { max: 100, noun: 'SLOs', remedy: 'Delete one' },
  maintenance_window: { max: 1_000, noun: 'maintenance windows', remedy: 'Delete one' },
  status_page: { max: 1_000, noun: 'status pages', remedy: 'Delete one' },
} as const
type BoundedTable = keyof typeof BOUNDS

/** Run it in the inserting transaction; additions at the same moment may exceed the bound by their number. Throws conflict. */
export async function refuseOverBound(db: Db, organization: number, table: BoundedTable, added = 1): Promise<void> {
  const { max, noun, remedy } = BOUNDS[table]
  if ((await store.countUpTo(db, table, organization, max)) + added > max)
    throw conflict(`At most ${max} ${noun} per organization are allowed. ${remedy} first.`)
}

/** How many of a table an organization may have, with their noun; undefined where nothing bounds them. */
export async function findBound(db: Db, organization: number, table: string): Promise<{ max: number; noun: string } | undefined> {
  if (table !== 'monitor') return BOUNDS[table as BoundedTable]
  const max = limitOf(await store.findPlan(db, organization), 'monitors')
  return max === null ? undefined : { max, noun: 'monitors' }
}
