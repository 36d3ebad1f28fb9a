import { BURN_ALERTS, type BurnAlert } from '@vedette/shared'

export interface GoodCounts {
  good: number
  total: number
  /** Seconds of composites are counted in place of checks. */
  isTime?: boolean
}

/** The share of bad checks that an objective in percent allows. Pure. */
export const allowedShare = (objective: number): number => (100 - objective) / 100

/** How much of the budget is left, in percent; null without checks. Pure. */
export function budgetLeftPercent({ good, total }: GoodCounts, objective: number): number | null {
  return total === 0 ? null : 100 - (100 * (total - good)) / (total * allowedShare(objective))
}

/** How many times faster the budget burns than it lasts; null without checks. Pure. */
export function burnRate({ good, total }: GoodCounts, objective: number): number | null {
  return total === 0 ? null : (total - good) / total / allowedShare(objective)
}

/** Whether one bad check among so many exceeds the threshold of an alert. Pure. */
export function hasTooFewChecks(total: number, alert: BurnAlert, objective: number): boolean {
  return total > 0 && 1 / total > BURN_ALERTS[alert].factor * allowedShare(objective)
}

/** Whether both windows burn faster than the threshold; a window without checks does not burn. Pure. */
export function isBurning(long: GoodCounts, short: GoodCounts, alert: BurnAlert, objective: number): boolean {
  return Math.min(burnRate(long, objective) ?? 0, burnRate(short, objective) ?? 0) > BURN_ALERTS[alert].factor
}
