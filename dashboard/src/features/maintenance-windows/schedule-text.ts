import { DAY_MS } from '@vedette/shared/tables'
import type { MaintenanceWindow } from '@vedette/shared'
import { repeatOf } from '../../lib/repeat.ts'
import { clock, dayAndClock } from '../../lib/time.ts'
import { windows as text } from '../../messages/windows.ts'
/** Bounds for clocks that are wrong and for computers that were asleep. */
const [SHORTEST_MS, LONGEST_MS] = [5_000, 3_600_000]

/** `Every week on Sun, 02:00–04:00 Europe/Berlin`, in the local time of the window. */
export function scheduleText({ starts_at, ends_at, repeat, time_zone: zone }: MaintenanceWindow): string {
  const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)]
  const isLong = end - start >= DAY_MS
  if (repeat === null) return `${dayAndClock(start, zone)} – ${dayAndClock(end, zone)} ${zone}`
  const span = isLong ? `${dayAndClock(start, zone)} – ${dayAndClock(end, zone)}` : `${clock(start, zone)}–${clock(end, zone)}`
  return `${repeatText(repeat)}, ${span} ${zone}`
}

function repeatText(rule: string): string {
  const { repeat, days } = repeatOf(rule)
  if (repeat === 'weekly' && days.length > 0)
    return text.weeklyOn(days.map((day) => text.dayNames[day as keyof typeof text.dayNames]).join(', '))
  if (repeat === 'monthly') return text.monthlyOn(rule.slice(rule.lastIndexOf('=') + 1))
  return repeat === 'custom' ? rule : text.repeats[repeat]
}

/** The status of a window from the times that the backend calculated. */
export function windowStatus({ under_way_until: until, next_starts_at: next }: MaintenanceWindow): string {
  if (until !== null) return 'in_progress'
  return next === null ? 'ended' : 'scheduled'
}

/** `until 04:00` or `next on 29 Nov 02:00`, in the local time of the window; undefined for one that does not repeat. */
export function nextChangeText(window: MaintenanceWindow, nowMs: number): string | undefined {
  const { under_way_until: until, next_starts_at: next, repeat, time_zone: zone } = window
  if (repeat === null) return undefined
  if (until !== null) {
    const end = Date.parse(until)
    return text.until(end - nowMs < DAY_MS ? clock(end, zone) : dayAndClock(end, zone))
  }
  return next === null ? undefined : text.next(dayAndClock(Date.parse(next), zone))
}

/** The time until a window starts or ends next, ms; false without such a time. */
export function nextChangeMs(windows: readonly MaintenanceWindow[], nowMs: number): number | false {
  const changes = windows.flatMap(({ under_way_until: until, next_starts_at: next }) => [until, next])
  const instants = changes.flatMap((change) => (change === null ? [] : [Date.parse(change)]))
  if (instants.length === 0) return false
  return Math.min(Math.max(Math.min(...instants) - nowMs, SHORTEST_MS), LONGEST_MS)
}
