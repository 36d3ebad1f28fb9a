import type { MaintenanceWindow } from '@vedette/shared'
import { clock, dayAndClock } from '../../../lib/time.ts'
import { text } from '../../../messages/index.ts'
import { repeatOf } from './draft.ts'

const words = text.alerts.windows
const DAY_MS = 86_400_000

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

/** Of one that happens once; whether a recurring one is under way the backend knows alone. */
export function stateOf({ starts_at, ends_at, repeat }: MaintenanceWindow, nowMs: number): string {
  const [begin, end] = [Date.parse(starts_at), Date.parse(ends_at)]
  if (begin <= nowMs && nowMs < end) return 'now'
  if (nowMs < begin) return 'planned'
  return repeat === null ? 'over' : 'recurring'
}
