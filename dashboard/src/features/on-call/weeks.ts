import { DAY_MS, HOUR_MS } from '@vedette/shared/tables'
import { instantAt, localTimeAt } from '../../lib/time-zone.ts'

export interface Week {
  fromMs: number
  toMs: number
  /** Midnights of its days, ms. */
  days: readonly number[]
}

/** Midnight of the local day; where it does not exist, the first instant of the day. */
function startOfDay(ms: number, zone: string): number {
  const date = localTimeAt(ms, zone).slice(0, 10)
  return instantAt(`${date}T00:00`, zone) ?? instantAt(`${date}T01:00`, zone) ?? ms
}

/** The weeks from the local day of an instant on, of seven local days each. Pure. */
export function weeksFrom(nowMs: number, zone: string, count: number): Week[] {
  const noon = startOfDay(nowMs, zone) + 12 * HOUR_MS
  const midnight = (day: number) => startOfDay(noon + day * DAY_MS, zone)
  return Array.from({ length: count }, (_, week) => ({
    fromMs: midnight(week * 7),
    toMs: midnight((week + 1) * 7),
    days: Array.from({ length: 7 }, (_, day) => midnight(week * 7 + day)),
  }))
}
