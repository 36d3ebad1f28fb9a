import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@vedette/shared'
/** Between two attempts; the last pause repeats. */
const PAUSES_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS]
/** A job is retried for a day after it was stored. */
export const RETRY_FOR_MS = 24 * HOUR_MS

/**
 * When a job is attempted again that has just failed, ms; undefined where it is abandoned, because that would be more than a day
 * after it was stored. `attempts` failed before this one. `spread` is the part by which a pause varies, so that jobs that failed
 * together do not return together; `fraction` is random in [0, 1). Pure.
 */
export function nextAttemptAt(
  createdAtMs: number,
  attempts: number,
  nowMs: number,
  { spread, fraction }: { spread: number; fraction: number },
): number | undefined {
  const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length - 1)] as number
  const next = Math.round(nowMs + pause * (1 - spread + 2 * spread * fraction))
  return next > createdAtMs + RETRY_FOR_MS ? undefined : next
}
