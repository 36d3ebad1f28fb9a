import { type ActiveHours, DAY_MS, type ErrorDetail, isTimeZone, toTimestamp } from '@vedette/shared'
import { joined, type Span, spanAt } from '../../platform/time/spans.ts'
import { hoursIn } from '../../platform/time/weekly-hours.ts'

/** The active time that touches a range, in order and apart; it may reach beyond it. Pure. */
export function activeSpans(hours: readonly ActiveHours[], range: Span): Span[] {
  const byZone = Map.groupBy(hours, ({ time_zone: zone }) => zone)
  return joined([...byZone].flatMap(([zone, own]) => hoursIn(zone, own, range)))
}

export interface Activity {
  isActive: boolean
  /** When to look again: the hours end or begin then, or are known no further; null: they are never left. */
  untilMs: number | null
}

/** Hours repeat after a week; one of them may be skipped by a change of the clock. */
const AHEAD_MS = 15 * DAY_MS

/** Whether a monitor with these hours is active at an instant. Without hours it always is. Pure. */
export function activityAt(hours: readonly ActiveHours[], atMs: number): Activity {
  if (hours.length === 0) return { isActive: true, untilMs: null }
  const spans = activeSpans(hours, { fromMs: atMs, toMs: atMs + AHEAD_MS })
  const current = spanAt(spans, atMs)
  if (current) return { isActive: true, untilMs: current.toMs }
  return { isActive: false, untilMs: spans.find(({ fromMs }) => fromMs > atMs)?.fromMs ?? atMs + AHEAD_MS }
}

/** What the schema does not see. Pure. */
export const activeHoursFaults = (hours: readonly ActiveHours[]): ErrorDetail[] =>
  hours.flatMap(({ time_zone: zone }, index) =>
    isTimeZone(zone)
      ? []
      : [{ path: `active_hours.${index}.time_zone`, message: 'must be a time zone, for example Europe/Berlin' }],
  )

/** Why a monitor is idle at an instant. Pure. */
export function idleUntil(hours: readonly ActiveHours[], atMs: number): { reason: string; untilMs: number } {
  const { untilMs } = activityAt(hours, atMs)
  return { reason: idleReason(untilMs ?? atMs), untilMs: untilMs ?? atMs }
}

export const idleReason = (untilMs: number): string => `outside of its active hours, until ${toTimestamp(untilMs)}`
