import type { ErrorDetail } from '../../wire/errors.ts'
import { isTimeZone } from '../../wire/local-time.ts'
import { type Calendar, nextOccurrence } from './calendar.ts'
import { parseCron } from './cron.ts'
import { parseOnCalendar } from './on-calendar.ts'

/** When the pings of a heartbeat are expected: every period after the last one, or at the times of a calendar in a time zone. */
export type HeartbeatSchedule =
  | { period_seconds: number; grace_seconds: number }
  | { cron: string; time_zone: string; grace_seconds: number }
  | { on_calendar: string; time_zone: string; grace_seconds: number }

/** A year: jobs that run less often are nothing to be monitored by their silence. */
const YEAR_SECONDS = 366 * 86_400
export const PERIOD_SECONDS = { minimum: 10, maximum: YEAR_SECONDS } as const
export const GRACE_SECONDS = { minimum: 0, maximum: YEAR_SECONDS } as const
const MAX_EXPRESSION_LENGTH = 200
const MAX_ZONE_LENGTH = 64

const PARSERS = { cron: parseCron, on_calendar: parseOnCalendar } as const
type CalendarField = keyof typeof PARSERS

/** Occurrences that are examined for the longest pause between two. */
const EXAMINED = 400

/** Faults of a schedule, each with its path below `options`. Pure. */
export function scheduleFaults(given: unknown, path = 'options.schedule'): ErrorDetail[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return [{ path, message: 'must be an object with period_seconds, cron or on_calendar' }]
  const schedule = given as Record<string, unknown>
  const forms = (['period_seconds', 'cron', 'on_calendar'] as const).filter((name) => schedule[name] !== undefined)
  const [form] = forms
  if (form === undefined || forms.length > 1)
    return [{ path, message: 'must have exactly one of period_seconds, cron and on_calendar' }]
  const known = form === 'period_seconds' ? [form, 'grace_seconds'] : [form, 'time_zone', 'grace_seconds']
  const unknown = Object.keys(schedule).filter((name) => !known.includes(name))
  const faults = unknown.map((name) => ({ path: `${path}.${name}`, message: `is not known next to ${form}` }))
  const fault = (name: string, message: string | undefined) => {
    if (message !== undefined) faults.push({ path: `${path}.${name}`, message })
  }
  fault('grace_seconds', secondsFault(schedule.grace_seconds, GRACE_SECONDS))
  if (form === 'period_seconds') {
    fault(form, secondsFault(schedule.period_seconds, PERIOD_SECONDS))
    return faults
  }
  const zone = schedule.time_zone
  if (typeof zone !== 'string' || zone.length > MAX_ZONE_LENGTH || !isTimeZone(zone))
    fault('time_zone', 'must be the name of a time zone, such as Europe/Berlin or UTC')
  fault(form, calendarFault(form, schedule[form]))
  return faults
}

function secondsFault(value: unknown, { minimum, maximum }: { minimum: number; maximum: number }): string | undefined {
  if (Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum) return undefined
  return `must be a whole number of seconds from ${minimum} to ${maximum}`
}

function calendarFault(form: CalendarField, value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_EXPRESSION_LENGTH)
    return `must be a text of at most ${MAX_EXPRESSION_LENGTH} characters`
  const calendar = PARSERS[form](value)
  if (typeof calendar === 'string') return calendar
  const firstMs = nextOccurrence(calendar, 'UTC', 0)
  if (firstMs === undefined) return 'never occurs'
  const nextMs = nextOccurrence(calendar, 'UTC', firstMs)
  if (nextMs === undefined || nextMs - firstMs >= PERIOD_SECONDS.minimum * 1_000) return undefined
  return `must not occur more often than every ${PERIOD_SECONDS.minimum} seconds`
}

/** The parsed calendar of a valid schedule; undefined for a period. */
export function calendarOf(schedule: HeartbeatSchedule): { calendar: Calendar; timeZone: string } | undefined {
  if ('period_seconds' in schedule) return undefined
  const calendar = 'cron' in schedule ? parseCron(schedule.cron) : parseOnCalendar(schedule.on_calendar)
  if (typeof calendar === 'string') throw new Error('a stored schedule is invalid')
  return { calendar, timeZone: schedule.time_zone }
}

/** When the ping after one at this instant is expected, ms; undefined: the calendar ends before. Pure. */
export function nextExpected(schedule: HeartbeatSchedule, afterMs: number): number | undefined {
  if ('period_seconds' in schedule) return afterMs + schedule.period_seconds * 1_000
  const { calendar, timeZone } = calendarOf(schedule) as { calendar: Calendar; timeZone: string }
  return nextOccurrence(calendar, timeZone, afterMs)
}

/** The longest time between two expected pings, whole seconds. Pure. */
export function longestPauseSeconds(schedule: HeartbeatSchedule, fromMs: number): number {
  if ('period_seconds' in schedule) return schedule.period_seconds
  const { calendar, timeZone } = calendarOf(schedule) as { calendar: Calendar; timeZone: string }
  let longestMs = 0
  let atMs = nextOccurrence(calendar, timeZone, fromMs)
  for (let count = 0; atMs !== undefined && count < EXAMINED; count += 1) {
    const nextMs = nextOccurrence(calendar, timeZone, atMs)
    if (nextMs !== undefined) longestMs = Math.max(longestMs, nextMs - atMs)
    atMs = nextMs
  }
  return Math.min(Math.max(Math.ceil(longestMs / 1_000), PERIOD_SECONDS.minimum), PERIOD_SECONDS.maximum)
}

/** As people read it: `every 5 minutes` is for the texts of the page; messages of checks have this. */
export function describeSchedule(schedule: HeartbeatSchedule): string {
  if ('period_seconds' in schedule) return `every ${describeSeconds(schedule.period_seconds)}`
  return 'cron' in schedule
    ? `by cron ${schedule.cron} in ${schedule.time_zone}`
    : `by OnCalendar ${schedule.on_calendar} in ${schedule.time_zone}`
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** `5 minutes`, `1 day`, `90 seconds`: the largest unit that divides it. Pure. */
export function describeSeconds(seconds: number): string {
  const [unit, size] = UNITS.find(([, length]) => seconds >= length && seconds % length === 0) ?? ['second', 1]
  const count = seconds / size
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
