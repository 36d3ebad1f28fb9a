const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** From one try to the next; the last of them again and again. */
const PAUSES_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS]
const GIVE_UP_AFTER_MS = 24 * HOUR_MS
/** Each pause is longer or shorter by up to so much: those that failed together do not come back together. */
const SPREAD = 0.2

/**
 * When a telling that has just failed is tried again; undefined where that would be a day after it was stored, and it is given up.
 * `tries` are those that failed before this one; `chance` is in [0, 1). Pure.
 */
export function nextTryAt(storedAtMs: number, tries: number, nowMs: number, chance: number): number | undefined {
  const pause = PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] as number
  const next = Math.round(nowMs + pause * (1 - SPREAD + 2 * SPREAD * chance))
  return next > storedAtMs + GIVE_UP_AFTER_MS ? undefined : next
}
