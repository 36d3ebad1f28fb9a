import { DAY_MS, HOUR_MS } from '@vedette/shared'

/** From here on Mondays, UTC: neither people nor organizations have a time zone. */
const DUE_AFTER_MS = 7 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
/** The epoch began on a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS

/** The week whose summary is due: it ended on the last Monday that has passed 07:00. `nextDueMs` is a week after that. Pure. */
export function dueWeek(nowMs: number): { fromMs: number; toMs: number; nextDueMs: number } {
  const weeks = Math.floor((nowMs - DUE_AFTER_MS - FIRST_MONDAY_MS) / WEEK_MS)
  const toMs = FIRST_MONDAY_MS + weeks * WEEK_MS
  return { fromMs: toMs - WEEK_MS, toMs, nextDueMs: toMs + WEEK_MS + DUE_AFTER_MS }
}
