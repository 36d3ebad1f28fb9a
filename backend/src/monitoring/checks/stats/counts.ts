/** Counts over a window of checks, without inconclusive ones. */
export interface Counts {
  /** Conclusive checks. */
  checks: number
  /** Checks that were down. */
  failed: number
  /** Checks with a response, and so with a response time. */
  answered: number
  responseSumUs: number
}

export const NO_CHECKS: Counts = { checks: 0, failed: 0, answered: 0, responseSumUs: 0 }

/** Percent with 4 decimals, truncated so that one failed check among millions never reads as 100. 100 without checks. */
export function uptimePercent({ checks, failed }: Pick<Counts, 'checks' | 'failed'>): number {
  return checks === 0 ? 100 : Math.floor(((checks - failed) * 1_000_000) / checks) / 10_000
}

/** Mean in milliseconds with 3 decimals; 0 without responses. */
export function avgResponseMs({ answered, responseSumUs }: Counts): number {
  return answered === 0 ? 0 : toMs(responseSumUs / answered)
}

/** Milliseconds with 3 decimals, as on the wire. */
export function toMs(us: number): number {
  return Math.round(us) / 1000
}

/** Checks that an objective counts, of several monitors. */
export interface GoodCounts {
  good: number
  /** Conclusive checks outside maintenance. */
  total: number
  /** Seconds of composites are counted in place of checks. */
  isTime?: boolean
}

/** Monitors whose checks are counted together, as `countGood` does. */
export interface CountedGroup {
  monitors: readonly number[]
  thresholdUs: number | undefined
}
