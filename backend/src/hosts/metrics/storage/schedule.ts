import { DAY_MS, HOUR_MS } from '@vedette/shared'

export { DAY_MS, HOUR_MS }
/** Lengths of time that the stored form of samples depends on. */
export const HALF_HOUR_MS = 1_800_000
/** A day is stored as count, sum and maximum over this length. */
export const BUCKET_MS = 300_000

/** How far a sample may lie ahead of its receipt. */
export const MAX_AHEAD_MS = 300_000

/**
 * An hour is compacted this long after its end. Samples of an hour that ended more than `LATE_AFTER_MS` before their receipt are
 * marked as late by the statement that stores them; the difference is how long such a statement may take.
 */
const SETTLE_MS = 10 * 60_000
export const LATE_AFTER_MS = 4 * 60_000

/** The end of the last hour that is due for compaction, ms. */
export const dueUntilMs = (nowMs: number): number => Math.floor((nowMs - SETTLE_MS) / HOUR_MS) * HOUR_MS
