import { WEEKDAYS } from '@vedette/shared/tables'

export const REPEATS = ['once', 'daily', 'weekly', 'monthly', 'custom'] as const
/** Turns of people may be by hours too. */
export const TURN_REPEATS = ['once', 'hourly', ...REPEATS.slice(1)] as const
export type Repeat = (typeof REPEATS)[number] | 'hourly'

/** An RRULE while it is edited. */
export interface RepeatInput {
  repeat: Repeat
  days: readonly string[]
  /** Of a turn by hours. */
  hours: string
  /** A custom RRULE. */
  rule: string
}

/**
 * The fields of an editor for an RRULE; one that does not fit them is custom, like a day of the month that is not the first day, which
 * is that of the local time `starts`.
 */
export function repeatOf(rule: string | null, starts?: string): RepeatInput {
  const fields = (repeat: Repeat, days: readonly string[] = [], hours = '12') => ({ repeat, days, hours, rule: rule ?? '' })
  if (rule === null) return fields('once')
  const hourly = /^FREQ=HOURLY(?:;INTERVAL=([2-9]|[1-9]\d{1,2}))?$/.exec(rule)
  if (hourly) return fields('hourly', [], hourly[1] ?? '1')
  if (rule === 'FREQ=DAILY') return fields('daily')
  if (rule === 'FREQ=WEEKLY') return fields('weekly')
  const day = /^FREQ=MONTHLY;BYMONTHDAY=(\d{1,2})$/.exec(rule)?.[1]
  if (day !== undefined) return fields(starts === undefined || Number(day) === dayOf(starts) ? 'monthly' : 'custom')
  const days = /^FREQ=WEEKLY;BYDAY=((?:MO|TU|WE|TH|FR|SA|SU)(?:,(?:MO|TU|WE|TH|FR|SA|SU))*)$/.exec(rule)?.[1]
  return days === undefined ? fields('custom') : fields('weekly', days.split(','))
}

const dayOf = (local: string): number => Number(local.slice(8, 10))

/** `starts` is the local time of the first day. */
export function ruleOf({ repeat, days, hours, rule }: RepeatInput, starts: string): string | null {
  if (repeat === 'once') return null
  if (repeat === 'hourly') return hours.trim() === '1' ? 'FREQ=HOURLY' : `FREQ=HOURLY;INTERVAL=${hours.trim()}`
  if (repeat === 'daily') return 'FREQ=DAILY'
  if (repeat === 'monthly') return `FREQ=MONTHLY;BYMONTHDAY=${dayOf(starts)}`
  if (repeat === 'custom') return rule.trim()
  const chosen = WEEKDAYS.filter((day) => days.includes(day))
  return chosen.length > 0 ? `FREQ=WEEKLY;BYDAY=${chosen.join(',')}` : 'FREQ=WEEKLY'
}
