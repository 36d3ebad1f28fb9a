import type { MaintenanceWindow } from '@vedette/shared'
import { clock, dayAndClock } from '../../../lib/time.ts'
import { text } from '../../../messages/index.ts'
import { repeatOf } from './draft.ts'

const words = text.alerts.windows
const DAY_MS = 86_400_000
/** A clock that goes wrong asks no faster; one that sleeps meanwhile is not trusted for longer. */
const [SHORTEST_MS, LONGEST_MS] = [5_000, 3_600_000]

/** `each week on Sun, 02:00–04:00 Europe/Berlin`: by the clock of the window, since it repeats by that. */
export function timesWords({ starts_at, ends_at, repeat, time_zone: zone }: MaintenanceWindow): string {
  const [begin, end] = [Date.parse(starts_at), Date.parse(ends_at)]
  const isLong = end - begin >= DAY_MS
  if (repeat === null) return `${dayAndClock(begin, zone)} – ${dayAndClock(end, zone)} ${zone}`
  const span = isLong ? `${dayAndClock(begin, zone)} – ${dayAndClock(end, zone)}` : `${clock(begin, zone)}–${clock(end, zone)}`
  return `${repeatWords(repeat)}, ${span} ${zone}`
}

function repeatWords(rule: string): string {
  const { repeat, days } = repeatOf(rule)
  if (repeat === 'weekly' && days.length > 0) return words.weeklyOn(days.map((day) => words.dayNames[day] ?? day).join(', '))
  if (repeat === 'monthly') return words.monthlyOn(rule.slice(rule.lastIndexOf('=') + 1))
  return repeat === 'custom' ? rule : words.repeats[repeat]
}

/** How a window stands, by what the backend says of it: it knows rules and clocks. */
export function stateOf({ under_way_until: until, next_starts_at: next }: MaintenanceWindow): string {
  if (until !== null) return 'now'
  return next === null ? 'over' : 'planned'
}

/** `until 04:00` or `next on Sun 29 Nov, 02:00`, by the clock of the window; undefined where its times say it already. */
export function turnWords(window: MaintenanceWindow, nowMs: number): string | undefined {
  const { under_way_until: until, next_starts_at: next, repeat, time_zone: zone } = window
  if (repeat === null) return undefined
  if (until !== null) {
    const end = Date.parse(until)
    return words.until(end - nowMs < DAY_MS ? clock(end, zone) : dayAndClock(end, zone))
  }
  return next === null ? undefined : words.next(dayAndClock(Date.parse(next), zone))
}

/** `refetchInterval`, ms: until one of the windows begins or ends next. False while none does. */
export function turnPace(windows: readonly MaintenanceWindow[], nowMs: number): number | false {
  const turns = windows.flatMap(({ under_way_until: until, next_starts_at: next }) => [until, next])
  const instants = turns.flatMap((turn) => (turn === null ? [] : [Date.parse(turn)]))
  if (instants.length === 0) return false
  return Math.min(Math.max(Math.min(...instants) - nowMs, SHORTEST_MS), LONGEST_MS)
}
