/** What one window of checks adds up to; inconclusive checks are in none of it. */
export interface Counts {
  /** Conclusive checks. */
  checks: number
  /** Of them, those that were down. */
  failed: number
  /** Checks that got an answer, and so have a response time. */
  answered: number
  responseSumUs: number
}

/** Percent with 4 decimals, cut and not rounded: a single failed check among millions never reads as 100. 100 without checks. */
export function uptimePercent({ checks, failed }: Pick<Counts, 'checks' | 'failed'>): number {
  return checks === 0 ? 100 : Math.floor(((checks - failed) * 1_000_000) / checks) / 10_000
}

/** Mean in milliseconds with 3 decimals; 0 where nothing answered. */
export function avgResponseMs({ answered, responseSumUs }: Counts): number {
  return answered === 0 ? 0 : toMs(responseSumUs / answered)
}

/** Microseconds as the wire tells them: milliseconds with 3 decimals. */
export function toMs(us: number): number {
  return Math.round(us) / 1000
}
