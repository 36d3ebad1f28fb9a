import { DAY_MS } from '../wire/durations.ts'

/** What an organization may have and read; null is without limit. */
export interface PlanLimits {
  monitors: number | null
  servers: number | null
  members: number | null
  /** Series of other programs that have samples; null: as many as the installation allows. */
  activeSeries: number | null
  /** Checks of a monitor come no more often than this. */
  shortestIntervalSeconds: number
  /** How far back samples and checks can be read one by one, and as means over 5 minutes or more. */
  rawRetentionDays: number | null
  rollupRetentionDays: number | null
}

const SHORTEST_INTERVAL_SECONDS = 10

/**
 * The one table of plans; docs quote it. What a plan keeps limits what can be read: what is deleted when is decided for the
 * whole installation. "Billing" is the plan and nothing more.
 */
export const PLANS = {
  free: {
    monitors: 20,
    servers: 5,
    members: 3,
    activeSeries: 1_000,
    shortestIntervalSeconds: 60,
    rawRetentionDays: 1,
    rollupRetentionDays: 3,
  },
  pro: {
    monitors: 500,
    servers: 100,
    members: 25,
    activeSeries: 20_000,
    shortestIntervalSeconds: 30,
    rawRetentionDays: 8,
    rollupRetentionDays: 90,
  },
  enterprise: {
    monitors: null,
    servers: null,
    members: null,
    activeSeries: null,
    shortestIntervalSeconds: SHORTEST_INTERVAL_SECONDS,
    rawRetentionDays: null,
    rollupRetentionDays: null,
  },
} as const satisfies Record<string, PlanLimits>
export type Plan = keyof typeof PLANS

export const PLAN_NAMES = Object.keys(PLANS) as Plan[]

/** The plan of a self-hosted installation: nothing is held back. */
export const DEFAULT_PLAN: Plan = 'enterprise'

/** What a plan counts. */
export type CountedLimit = 'monitors' | 'servers' | 'members'

/** The oldest instant whose samples and checks this plan lets read one by one, ms; -Infinity without a limit. */
export function oldestSingleMs(plan: Plan, nowMs: number): number {
  const { rawRetentionDays } = PLANS[plan] as PlanLimits
  return rawRetentionDays === null ? Number.NEGATIVE_INFINITY : nowMs - rawRetentionDays * DAY_MS
}

/** The oldest instant whose means this plan lets read, ms; -Infinity without a limit. */
export function oldestReadableMs(plan: Plan, nowMs: number): number {
  return daysAgo((PLANS[plan] as PlanLimits).rollupRetentionDays, nowMs)
}

/** The oldest instant whose samples this plan lets read one by one, ms; -Infinity without a limit. */
export function oldestRawMs(plan: Plan, nowMs: number): number {
  return daysAgo((PLANS[plan] as PlanLimits).rawRetentionDays, nowMs)
}

const daysAgo = (days: number | null, nowMs: number): number => (days === null ? Number.NEGATIVE_INFINITY : nowMs - days * DAY_MS)
